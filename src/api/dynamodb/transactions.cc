#include "operations/transactions.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <xxhash.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/item_parameters.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/shapes.h"
#include "encoding/item.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Member kGetMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};
constexpr Shape kGet = Structure("Get", kGetMembers);
constexpr Member kTransactGetMembers[] = {{"Get", &kGet, true}};
constexpr Shape kTransactGet = Structure("TransactGetItem", kTransactGetMembers);
constexpr Shape kTransactGets = ListOf(&kTransactGet, 1, 100);
constexpr Member kTransactGetItemsMembers[] = {
    {"TransactItems", &kTransactGets, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
};
constexpr Shape kTransactGetItems = Structure("TransactGetItemsInput", kTransactGetItemsMembers);

constexpr Member kTransactCheckMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText, true},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactPutMembers[] = {
    {"Item", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactDeleteMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactUpdateMembers[] = {
    {"Key", &kValueMap, true},
    {"UpdateExpression", &kText, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Shape kTransactCheck = Structure("ConditionCheck", kTransactCheckMembers);
constexpr Shape kTransactPut = Structure("Put", kTransactPutMembers);
constexpr Shape kTransactDelete = Structure("Delete", kTransactDeleteMembers);
constexpr Shape kTransactUpdate = Structure("Update", kTransactUpdateMembers);
constexpr Member kTransactWriteMembers[] = {
    {"ConditionCheck", &kTransactCheck},
    {"Put", &kTransactPut},
    {"Delete", &kTransactDelete},
    {"Update", &kTransactUpdate},
};
constexpr Shape kTransactWrite = Structure("TransactWriteItem", kTransactWriteMembers);
constexpr Shape kTransactWrites = ListOf(&kTransactWrite, 1, 100);
constexpr Shape kToken = Bounded(Kind::kString, 1, 36);
constexpr Member kTransactWriteItemsMembers[] = {
    {"TransactItems", &kTransactWrites, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ClientRequestToken", &kToken},
};
constexpr Shape kTransactWriteItems =
    Structure("TransactWriteItemsInput", kTransactWriteItemsMembers);

}  // namespace
}  // namespace shapes

namespace {

using operations::TransactAction;

constexpr EnumName<TransactAction> kTransactActions[] = {
    {"ConditionCheck", TransactAction::kConditionCheck},
    {"Put", TransactAction::kPut},
    {"Delete", TransactAction::kDelete},
    {"Update", TransactAction::kUpdate},
};

Result<operations::TransactWrite> DecodeAction(TransactAction action, const Fields& fields) {
  operations::TransactWrite write;
  write.action = action;
  write.table_name = fields.Text("TableName");
  TRY_ASSIGN(write.item, DecodeItemMember(fields, action == TransactAction::kPut ? "Item" : "Key"));
  if (action == TransactAction::kUpdate) {
    write.update_expression = fields.OptionalText("UpdateExpression");
  }
  write.condition_expression = fields.OptionalText("ConditionExpression");
  // The depth of values is not checked here, unlike everywhere else.
  TRY_ASSIGN(write.attributes, DecodeExpressionAttributes(fields, wire::Nesting::kUnchecked));
  write.return_old_on_condition_failure = DecodeReturnOldOnConditionFailure(fields);
  return write;
}

Result<operations::TransactWrite> DecodeTransactItem(const Fields& fields) {
  const EnumName<TransactAction>* chosen = nullptr;
  for (const auto& action : kTransactActions) {
    if (!fields.Has(action.name)) continue;
    if (chosen) {
      chosen = nullptr;
      break;
    }
    chosen = &action;
  }
  if (!chosen) {
    return Error::Validation("TransactItems can only contain one of Check, Put, Update or Delete");
  }
  return DecodeAction(chosen->value, Fields(*fields.Find(chosen->name)));
}

// A text that two requests share exactly when they ask for the same: every part with its length in
// front, maps in their sorted order, items in their canonical encoding.
class Canonical {
 public:
  void Add(std::string_view part) {
    text_.append(std::to_string(part.size())).append(":").append(part);
  }
  void AddOptional(const std::optional<std::string>& part) {
    if (part) Add(*part);
    text_.push_back(';');
  }
  void AddNumber(int number) { text_.append(std::to_string(number)).push_back(';'); }
  void AddAttributes(const operations::ExpressionAttributes& attributes) {
    if (attributes.names) {
      for (const auto& [token, name] : *attributes.names) {
        Add(token);
        Add(name);
      }
    }
    text_.push_back(';');
    if (attributes.values) {
      item::Item values;
      for (const auto& [token, value] : *attributes.values) values.Set(token, value);
      Add(encoding::EncodeItem(values).bytes);
    }
    text_.push_back(';');
  }

  std::string Digest() const {
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(text_.data(), text_.size()));
    return std::string(reinterpret_cast<const char*>(digest.digest), sizeof digest.digest);
  }

 private:
  std::string text_;
};

// Covers what the transaction does, but not what it asks to be answered: a retry may ask for the
// consumed capacity.
std::string Fingerprint(const operations::TransactWriteItemsRequest& request) {
  Canonical canonical;
  for (const auto& write : request.writes) {
    canonical.AddNumber(static_cast<int>(write.action));
    canonical.Add(write.table_name);
    canonical.Add(encoding::EncodeItem(write.item).bytes);
    canonical.AddOptional(write.update_expression);
    canonical.AddOptional(write.condition_expression);
    canonical.AddAttributes(write.attributes);
    canonical.AddNumber(write.return_old_on_condition_failure);
  }
  return canonical.Digest();
}

}  // namespace

Result<operations::TransactGetItemsRequest> DecodeTransactGetItems(const json::Object& body) {
  const Fields fields(body);
  operations::TransactGetItemsRequest request;
  for (const auto& member : json::ArrayOf(*fields.Find("TransactItems"))) {
    const auto get_element = Fields(member).Find("Get");
    if (!get_element) continue;
    const Fields members(*get_element);
    operations::TransactGet get;
    get.table_name = members.Text("TableName");
    TRY_ASSIGN(get.key, DecodeItemMember(members, "Key"));
    get.projection_expression = members.OptionalText("ProjectionExpression");
    get.attributes = DecodeExpressionNames(members);
    request.gets.push_back(std::move(get));
  }
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  return request;
}

Result<operations::TransactWriteItemsRequest> DecodeTransactWriteItems(const json::Object& body) {
  const Fields fields(body);
  operations::TransactWriteItemsRequest request;
  for (const auto& member : json::ArrayOf(*fields.Find("TransactItems"))) {
    TRY_ASSIGN(auto write, DecodeTransactItem(Fields(member)));
    request.writes.push_back(std::move(write));
  }
  request.client_request_token = fields.OptionalText("ClientRequestToken");
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  request.return_item_collection_metrics = DecodeReturnItemCollectionMetrics(fields);
  if (request.client_request_token) request.fingerprint = Fingerprint(request);
  return request;
}

void EncodeTransactGetItems(const operations::TransactGetItemsResponse& response,
                            std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.Key("Responses").BeginArray();
  for (const auto& item : response.items) {
    writer.BeginObject();
    EncodeOptionalItem("Item", item, &writer);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
}

void EncodeTransactWriteItems(const operations::TransactWriteItemsResponse& response,
                              std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  EncodeItemCollectionMetrics(response.item_collection_metrics, &writer);
  writer.EndObject();
}

std::span<const Operation> TransactionOperations() {
  static constexpr Operation kOperations[] = {
      {"TransactWriteItems", shapes::kTransactWriteItems, Place::kInline,
       CallingBack<DecodeTransactWriteItems, operations::TransactWriteItems,
                   EncodeTransactWriteItems>},
      {"TransactGetItems", shapes::kTransactGetItems, Place::kInline,
       Returning<DecodeTransactGetItems, operations::TransactGetItems, EncodeTransactGetItems>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
