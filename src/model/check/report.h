#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "model/model.h"

namespace monotable::model {

// Takes the findings of the checks and leaves out those that the entity or pattern they are about
// accepts. Says in the end which acceptances were not needed.
class Report {
 public:
  Report(const Model& model, Findings* findings) : model_(model), findings_(*findings) {}

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

  // Whether the thing accepts that finding; remembers that it was needed.
  bool Accepts(std::string_view subject, std::string_view id);

  void TellNeedlessAcceptances();

 private:
  void Add(Finding finding);

  const Model& model_;
  Findings& findings_;
  std::set<std::pair<std::string, std::string>> needed_;  // owner and id
};

// entities.Sale, entities.Sale.keys.GSI1 (of the table's own key: keys.primary), patterns.AP6.
std::string SubjectOf(const EntityModel& entity);
std::string SubjectOf(const EntityModel& entity, const AttributeModel& attribute);
std::string SubjectOfKey(const EntityModel& entity, std::string_view index);
std::string SubjectOf(const PatternModel& pattern);

}  // namespace monotable::model
