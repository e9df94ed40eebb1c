#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/decode_parameters.h"

namespace monotable::api::dynamodb {
namespace {

constexpr EnumName<operations::Select> kSelects[] = {
    {"ALL_ATTRIBUTES", operations::Select::kAllAttributes},
    {"ALL_PROJECTED_ATTRIBUTES", operations::Select::kAllProjectedAttributes},
    {"SPECIFIC_ATTRIBUTES", operations::Select::kSpecificAttributes},
    {"COUNT", operations::Select::kCount},
};

// Errors in its values say that they are in this key. What is not even base64 fails before the
// service knows that it is looking at one.
Result<std::optional<item::Item>> DecodeStartKey(const Fields& fields) {
  const auto element = fields.Find("ExclusiveStartKey");
  if (!element) return std::optional<item::Item>();
  auto key = DecodeItem(json::ObjectOf(*element));
  if (key) return std::optional(std::move(*key));
  if (key.error().code() != ErrorCode::kValidation) return std::move(key).error();
  return Error::Validation("The provided starting key is invalid: " + key.error().message());
}

// The parameters that Query and Scan share, the values among them in the order in which the
// service checks them.
template <typename Request>
Status DecodePage(const Fields& fields, Request* request) {
  TRY_ASSIGN(request->attributes, DecodeExpressionAttributes(fields));
  TRY_ASSIGN(request->exclusive_start_key, DecodeStartKey(fields));
  request->table_name = fields.Text("TableName");
  request->index_name = fields.OptionalText("IndexName");
  request->filter_expression = fields.OptionalText("FilterExpression");
  request->conditional_operator = DecodeConditionalOperator(fields);
  request->projection_expression = fields.OptionalText("ProjectionExpression");
  request->attributes_to_get = fields.OptionalTexts("AttributesToGet");
  request->select = fields.OptionalEnum("Select", kSelects);
  request->limit = fields.OptionalInteger("Limit");
  request->consistent_read = fields.Flag("ConsistentRead");
  request->return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  return {};
}

}  // namespace

Result<operations::GetItemRequest> DecodeGetItem(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"AttributesToGet"}, {"ProjectionExpression"}));
  operations::GetItemRequest request;
  request.table_name = fields.Text("TableName");
  TRY_ASSIGN(request.key, DecodeItemMember(fields, "Key"));
  request.consistent_read = fields.Flag("ConsistentRead");
  request.projection_expression = fields.OptionalText("ProjectionExpression");
  request.attributes_to_get = fields.OptionalTexts("AttributesToGet");
  request.attributes = DecodeExpressionNames(fields);
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  return request;
}

Result<operations::QueryRequest> DecodeQuery(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields,
                    {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"},
                    {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"}));
  operations::QueryRequest request;
  TRY(DecodePage(fields, &request));
  TRY_ASSIGN(request.query_filter, DecodeConditions(fields, "QueryFilter"));
  TRY_ASSIGN(request.key_conditions, DecodeConditions(fields, "KeyConditions"));
  request.key_condition_expression = fields.OptionalText("KeyConditionExpression");
  request.scan_index_forward = fields.Flag("ScanIndexForward", true);
  return request;
}

Result<operations::ScanRequest> DecodeScan(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"AttributesToGet", "ScanFilter", "ConditionalOperator"},
                    {"ProjectionExpression", "FilterExpression"}));
  operations::ScanRequest request;
  TRY(DecodePage(fields, &request));
  TRY_ASSIGN(request.scan_filter, DecodeConditions(fields, "ScanFilter"));
  request.segment = fields.OptionalInteger("Segment");
  request.total_segments = fields.OptionalInteger("TotalSegments");
  return request;
}

}  // namespace monotable::api::dynamodb
