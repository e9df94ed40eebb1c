#include "operations/query_scan.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/item_parameters.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Shape kItemIndexName = Bounded(Kind::kString, 3, 255, Pattern::kName);
constexpr std::string_view kSelectNames[] = {"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                             "ALL_PROJECTED_ATTRIBUTES"};
constexpr Shape kSelect = Enumeration(kSelectNames);

constexpr Shape kLimit = Bounded(Kind::kInteger, 1);

constexpr Member kQueryMembers[] = {
    {"TableName", &kItemTableName, true},
    {"IndexName", &kItemIndexName},
    {"Select", &kSelect},
    {"AttributesToGet", &kAttributeNames},
    // Scan reports its Limit in the classic way; the two really differ.
    {"Limit", &kLimit, false, Report::kNewer},
    {"ConsistentRead", &kFlag},
    {"KeyConditions", &kConditions},
    {"QueryFilter", &kConditions},
    {"ConditionalOperator", &kConditionalOperator},
    {"ScanIndexForward", &kFlag},
    {"ExclusiveStartKey", &kValueMap},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ProjectionExpression", &kText},
    {"FilterExpression", &kText},
    {"KeyConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
};
constexpr Shape kQuery = Structure("QueryInput", kQueryMembers);

constexpr Shape kTotalSegments = Bounded(Kind::kInteger, 1, 1000000);
constexpr Shape kSegment = Bounded(Kind::kInteger, 0, 999999);

constexpr Member kScanMembers[] = {
    {"TableName", &kItemTableName, true},
    {"IndexName", &kItemIndexName},
    {"AttributesToGet", &kAttributeNames},
    {"Limit", &kLimit},
    {"Select", &kSelect},
    {"ScanFilter", &kConditions},
    {"ConditionalOperator", &kConditionalOperator},
    {"ExclusiveStartKey", &kValueMap},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TotalSegments", &kTotalSegments},
    {"Segment", &kSegment},
    {"ProjectionExpression", &kText},
    {"FilterExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ConsistentRead", &kFlag},
};
constexpr Shape kScan = Structure("ScanInput", kScanMembers);

}  // namespace
}  // namespace shapes

namespace {

constexpr EnumName<operations::Select> kSelects[] = {
    {"ALL_ATTRIBUTES", operations::Select::kAllAttributes},
    {"ALL_PROJECTED_ATTRIBUTES", operations::Select::kAllProjectedAttributes},
    {"SPECIFIC_ATTRIBUTES", operations::Select::kSpecificAttributes},
    {"COUNT", operations::Select::kCount},
};

// Validation errors in values say that the starting key is invalid. Text that is not base64 fails
// before the service knows that it is looking at a key.
Result<std::optional<item::Item>> DecodeStartKey(const Fields& fields) {
  const auto element = fields.Find("ExclusiveStartKey");
  if (!element) return std::optional<item::Item>();
  auto key = wire::DecodeItem(json::ObjectOf(*element));
  if (key) return std::optional(std::move(*key));
  if (key.error().code() != ErrorCode::kValidation) return std::move(key).error();
  return Error::Validation("The provided starting key is invalid: " + key.error().message());
}

// The parameters that Query and Scan share, the values among them in the order in which the
// service checks them.
Status DecodePage(const Fields& fields, operations::PageParameters* request) {
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

void EncodePage(const operations::PageResponse& response, std::string* out) {
  out->reserve(out->size() + ExpectedSizeOfAll(response.items) + 256);
  json::Writer writer(out);
  writer.BeginObject();
  if (response.with_items) {
    writer.Key("Items");
    EncodeItems(response.items, &writer);
  }
  writer.Key("Count").Integer(response.count);
  writer.Key("ScannedCount").Integer(response.scanned_count);
  EncodeOptionalItem("LastEvaluatedKey", response.last_evaluated_key, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

std::span<const Operation> QueryScanOperations() {
  static constexpr Operation kOperations[] = {
      {"Query", shapes::kQuery, Place::kInline,
       Returning<DecodeQuery, operations::Query, EncodePage>},
      {"Scan", shapes::kScan, Place::kWorker, Returning<DecodeScan, operations::Scan, EncodePage>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
