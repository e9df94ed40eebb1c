#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "error/result.h"
#include "expression/legacy.h"
#include "item/value.h"

// Parameters and answers that several operations share, in DynamoDB's words.
namespace monotable::operations {

// Makes the response of an operation. Called at most once, on the thread that needs the response.
template <typename T>
struct MakeResponse {
  std::function<Result<T>()> make;
  // Of the items that the response may show, which tells how much work it is.
  size_t image_bytes = 0;

  Result<T> operator()() const { return make(); }
};

// How an operation that waits for the disk answers: called exactly once, on any thread. That thread
// may be the one all writes wait for, so the response is made elsewhere.
template <typename T>
using Done = std::function<void(MakeResponse<T> make)>;

// The answer of an operation that failed.
template <typename T>
MakeResponse<T> Failed(Error error) {
  return {[error = std::move(error)]() -> Result<T> { return error; }};
}

enum class ReturnValues { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };
enum class ReturnConsumedCapacity { kNone, kTotal, kIndexes };
enum class Select { kAllAttributes, kAllProjectedAttributes, kSpecificAttributes, kCount };

// ExpressionAttributeNames and ExpressionAttributeValues. An absent map and an empty map differ,
// because the service refuses an empty map.
struct ExpressionAttributes {
  std::optional<std::map<std::string, std::string>> names;
  std::optional<std::map<std::string, item::Value>> values;
};

// What PutItem, UpdateItem and DeleteItem have in common.
struct SingleWriteRequest {
  std::string table_name;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  std::optional<expression::LegacyExpectations> expected;
  std::optional<expression::ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  bool return_old_on_condition_failure = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct CapacityUnits {
  double total = 0;
  double read = 0;
  double write = 0;
};

// One entry of ConsumedCapacity. The front door prints the parts that the request asked for.
struct ConsumedCapacity {
  std::string table_name;
  CapacityUnits total;
  CapacityUnits table;
  std::map<std::string, CapacityUnits> local_indexes;
  std::map<std::string, CapacityUnits> global_indexes;
  ReturnConsumedCapacity detail = ReturnConsumedCapacity::kTotal;
  // The read and write split is printed for transactions only, as the service does.
  bool print_split = false;
};

struct ItemCollectionMetrics {
  std::string table_name;
  std::string hash_name;
  item::Value hash_value;
  double size_gb_lower = 0;
  double size_gb_upper = 1;
};

// ConditionalCheckFailedException carries the item when ReturnValuesOnConditionCheckFailure asks.
class ConditionFailureDetail : public ErrorDetail {
 public:
  explicit ConditionFailureDetail(encoding::EncodedItem failed) : item(std::move(failed)) {}
  encoding::EncodedItem item;
};

// TransactionCanceledException carries one reason per action, in order.
struct CancellationReason {
  std::string code = "None";
  std::string message;
  std::optional<encoding::EncodedItem> item;
};

class TransactionCanceledDetail : public ErrorDetail {
 public:
  explicit TransactionCanceledDetail(std::vector<CancellationReason> all)
      : reasons(std::move(all)) {}
  std::vector<CancellationReason> reasons;
};

}  // namespace monotable::operations
