#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/node.h"

namespace monotable::model {

enum class Severity { kError, kWarning, kInfo };
std::string_view SeverityName(Severity severity);  // error, warning, info

// A fact about a model that its author should know. Ids are stable, so that an author can look them
// up in docs/models/findings.md and silence them in the file (`accept: [hot_partition]`).
struct Finding {
  Severity severity = Severity::kError;
  std::string id;       // hot_partition
  Place place;          // in the file
  std::string subject;  // entities.Sale.keys.GSI3, patterns.AP2
  std::string message;  // what is the case, in one sentence
  std::string fix;      // what to do about it, in one sentence; empty if nothing is to be done
};

// Takes findings one by one.
class FindingSink {
 public:
  virtual void Add(Finding finding) = 0;
  void Error(std::string id, Place place, std::string subject, std::string message,
             std::string fix = "") {
    Add({Severity::kError, std::move(id), place, std::move(subject), std::move(message),
         std::move(fix)});
  }
  void Warning(std::string id, Place place, std::string subject, std::string message,
               std::string fix = "") {
    Add({Severity::kWarning, std::move(id), place, std::move(subject), std::move(message),
         std::move(fix)});
  }
  void Info(std::string id, Place place, std::string subject, std::string message,
            std::string fix = "") {
    Add({Severity::kInfo, std::move(id), place, std::move(subject), std::move(message),
         std::move(fix)});
  }

 protected:
  ~FindingSink() = default;
};

// Collects findings. Loading continues after an error, so that an author sees all errors at once.
class Findings final : public FindingSink {
 public:
  void Add(Finding finding) override { all_.push_back(std::move(finding)); }

  const std::vector<Finding>& all() const { return all_; }
  bool has_errors() const {
    for (const Finding& finding : all_) {
      if (finding.severity == Severity::kError) return true;
    }
    return false;
  }

 private:
  std::vector<Finding> all_;
};

// sales.model.yaml:12:7: error: … [unknown_attribute]
//   fix: …
std::string FormatFinding(std::string_view file, const Finding& finding);

// The known name that is closest to the unknown one, for "did you mean"; empty if no name is close.
std::string ClosestName(std::string_view name, const std::vector<std::string>& known);

}  // namespace monotable::model
