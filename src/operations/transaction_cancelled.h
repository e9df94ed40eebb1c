#pragma once

#include <optional>
#include <vector>

#include "operations/parameters.h"

namespace monotable::operations {

// Collects why a transaction is cancelled, one reason per action in order, and makes the error of
// it. Actions without a reason are listed with the code None.
class CancellationReasons {
 public:
  explicit CancellationReasons(size_t actions) : reasons_(actions) {}

  void Set(size_t action, const Error& error,
           std::optional<encoding::EncodedItem> item = std::nullopt);
  bool any() const { return any_; }
  Error ToError() &&;

 private:
  std::vector<CancellationReason> reasons_;
  bool any_ = false;
};

}  // namespace monotable::operations
