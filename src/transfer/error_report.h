#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"
#include "operations/transfers.h"
#include "transfer/bucket.h"

namespace monotable::transfer {

// Where in the source of an import something is no item.
struct SourcePlace {
  std::string key;
  int64_t index = 0;  // of the item in its object, from 0
  std::string preview;
};

// What an import could not take, as a file beside its source. The service has a log for it, of
// which the lines here have the members. Not thread-safe.
class ErrorReport {
 public:
  ErrorReport(const Bucket& bucket, const operations::ImportDescription& import);

  // Counts all; keeps as many as somebody may read.
  Status Add(const SourcePlace& place, const std::string& message);
  // Writes the file, if there is anything to report.
  Status Finish();

  int64_t count() const { return count_; }
  const std::string& key() const { return key_; }

 private:
  static constexpr int64_t kKept = 10'000;

  const Bucket& bucket_;
  const operations::ImportDescription& import_;
  std::string key_;
  std::optional<NewObject> object_;
  int64_t count_ = 0;
};

// Whether a file in a bucket is such a report, by its name without folders.
bool IsErrorReport(std::string_view name);

}  // namespace monotable::transfer
