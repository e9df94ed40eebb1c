#include "operations/transaction_cancelled.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace monotable::operations {
namespace {

// The names that reasons have differ from those of the same errors elsewhere.
std::string_view ReasonCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorCode::kItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorCode::kTransactionConflict:
      return "TransactionConflict";
    case ErrorCode::kProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorCode::kThrottling:
      return "ThrottlingError";
    default:
      return "ValidationError";
  }
}

}  // namespace

void CancellationReasons::Set(size_t action, const Error& error,
                              std::optional<encoding::EncodedItem> item) {
  CancellationReason& reason = reasons_[action];
  reason.code = ReasonCode(error.code());
  reason.message = error.message();
  reason.item = std::move(item);
  any_ = true;
}

Error CancellationReasons::ToError() && {
  std::string codes;
  for (const CancellationReason& reason : reasons_) {
    if (!codes.empty()) codes += ", ";
    codes += reason.code;
  }
  return Error(ErrorCode::kTransactionCanceled,
               fmt::format("Transaction cancelled, please refer cancellation reasons for specific "
                           "reasons [{}]",
                           codes),
               std::make_shared<TransactionCanceledDetail>(std::move(reasons_)));
}

}  // namespace monotable::operations
