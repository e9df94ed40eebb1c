#include <utility>

#include <fmt/format.h>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/fields.h"

namespace monotable::api::dynamodb {
namespace {

constexpr EnumName<item::Type> kKeyTypes[] = {
    {"S", item::Type::kString}, {"N", item::Type::kNumber}, {"B", item::Type::kBinary}};
constexpr EnumName<table::ProjectionType> kProjectionTypes[] = {
    {"ALL", table::ProjectionType::kAll},
    {"KEYS_ONLY", table::ProjectionType::kKeysOnly},
    {"INCLUDE", table::ProjectionType::kInclude}};
constexpr EnumName<table::BillingMode> kBillingModes[] = {
    {"PROVISIONED", table::BillingMode::kProvisioned},
    {"PAY_PER_REQUEST", table::BillingMode::kPayPerRequest}};
constexpr EnumName<table::StreamViewType> kStreamViewTypes[] = {
    {"KEYS_ONLY", table::StreamViewType::kKeysOnly},
    {"NEW_IMAGE", table::StreamViewType::kNewImage},
    {"OLD_IMAGE", table::StreamViewType::kOldImage},
    {"NEW_AND_OLD_IMAGES", table::StreamViewType::kNewAndOldImages}};
constexpr EnumName<table::TableClass> kTableClasses[] = {
    {"STANDARD", table::TableClass::kStandard},
    {"STANDARD_INFREQUENT_ACCESS", table::TableClass::kStandardInfrequentAccess}};

// The one enumeration that the service does not check with the others.
Status CheckTableClass(const Fields& fields) {
  if (!fields.Has("TableClass") || fields.OptionalEnum("TableClass", kTableClasses)) return {};
  return Error::Validation(
      "Invalid table-class parameter provided. Please try again with a valid table-class value: "
      "[STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

// Tags have rules of their own, of which that of being complete can only be kept here.
Status CheckTagsComplete(const Fields& fields) {
  const auto tags = fields.Find("Tags");
  if (!tags) return {};
  for (const auto& element : json::ArrayOf(*tags)) {
    const Fields tag(element);
    if (!tag.Has("Key")) return Error::Validation("The Tag Key provided is invalid, Key: null");
    if (!tag.Has("Value")) {
      return Error::Validation("The Tag Value provided is invalid, Value: null");
    }
  }
  return {};
}

// A list member, each element decoded by a function of its fields; nullopt if there is none.
template <typename Decode>
auto DecodeList(const Fields& fields, std::string_view name, Decode decode)
    -> std::optional<std::vector<decltype(decode(fields))>> {
  const auto element = fields.Find(name);
  if (!element) return std::nullopt;
  std::vector<decltype(decode(fields))> list;
  for (const auto& member : json::ArrayOf(*element)) list.push_back(decode(Fields(member)));
  return list;
}

// A structure member likewise.
template <typename Decode>
auto DecodeStructure(const Fields& fields, std::string_view name, Decode decode)
    -> std::optional<decltype(decode(fields))> {
  const auto element = fields.Find(name);
  if (!element) return std::nullopt;
  return decode(Fields(*element));
}

table::KeyAttribute DecodeAttributeDefinition(const Fields& fields) {
  return {fields.Text("AttributeName"),
          fields.OptionalEnum("AttributeType", kKeyTypes).value_or(item::Type::kString)};
}

operations::KeySchemaElement DecodeKeySchemaElement(const Fields& fields) {
  return {fields.Text("AttributeName"), fields.Text("KeyType") == "RANGE"};
}

operations::ProjectionParameter DecodeProjection(const Fields& fields) {
  return {fields.OptionalEnum("ProjectionType", kProjectionTypes),
          fields.OptionalTexts("NonKeyAttributes")};
}

table::Throughput DecodeThroughput(const Fields& fields) {
  return {fields.Integer("ReadCapacityUnits"), fields.Integer("WriteCapacityUnits")};
}

table::OnDemandThroughput DecodeOnDemandThroughput(const Fields& fields) {
  return {fields.OptionalInteger("MaxReadRequestUnits"),
          fields.OptionalInteger("MaxWriteRequestUnits")};
}

table::WarmThroughput DecodeWarmThroughput(const Fields& fields) {
  return {fields.OptionalInteger("ReadUnitsPerSecond"),
          fields.OptionalInteger("WriteUnitsPerSecond")};
}

operations::IndexParameter DecodeIndex(const Fields& fields) {
  operations::IndexParameter index;
  index.index_name = fields.Text("IndexName");
  index.key_schema = DecodeList(fields, "KeySchema", DecodeKeySchemaElement)
                         .value_or(std::vector<operations::KeySchemaElement>());
  index.projection = DecodeStructure(fields, "Projection", DecodeProjection)
                         .value_or(operations::ProjectionParameter());
  index.throughput = DecodeStructure(fields, "ProvisionedThroughput", DecodeThroughput);
  index.on_demand_throughput =
      DecodeStructure(fields, "OnDemandThroughput", DecodeOnDemandThroughput);
  index.warm_throughput = DecodeStructure(fields, "WarmThroughput", DecodeWarmThroughput);
  return index;
}

operations::StreamParameter DecodeStream(const Fields& fields) {
  return {fields.Flag("StreamEnabled"), fields.OptionalEnum("StreamViewType", kStreamViewTypes)};
}

operations::SseParameter DecodeSse(const Fields& fields) {
  return {fields.OptionalFlag("Enabled"), fields.OptionalText("SSEType"),
          fields.OptionalText("KMSMasterKeyId")};
}

table::Tag DecodeTag(const Fields& fields) {
  return {fields.Text("Key"), fields.Text("Value")};
}

operations::GlobalIndexUpdate DecodeIndexUpdate(const Fields& fields) {
  operations::GlobalIndexUpdate update;
  update.create = DecodeStructure(fields, "Create", DecodeIndex);
  update.update = DecodeStructure(fields, "Update", DecodeIndex);
  if (const auto remove = fields.Find("Delete")) update.remove = Fields(*remove).Text("IndexName");
  return update;
}

// Members whose features are not there. Taking them silently would promise what nobody keeps.
constexpr std::string_view kUnsupported[] = {
    "DisassociationProtectionEnabled",
    "GlobalTableSettingsReplicationMode",
    "GlobalTableSourceArn",
    "GlobalTableWitnessUpdates",
    "MultiRegionConsistency",
    "ResourcePolicy",
    "VectorIndexUpdates",
    "VectorIndexes",
};

Status CheckSupported(const Fields& fields) {
  for (const std::string_view member : kUnsupported) {
    if (!fields.Has(member)) continue;
    return Error::Validation(fmt::format(
        "One or more parameter values were invalid: {} is not supported by this server", member));
  }
  return {};
}

// The settings that a table is created with and that can be changed later.
template <typename Request>
void DecodeSettings(const Fields& fields, Request* request) {
  request->table_name = fields.Text("TableName");
  request->attribute_definitions =
      DecodeList(fields, "AttributeDefinitions", DecodeAttributeDefinition);
  request->billing_mode = fields.OptionalEnum("BillingMode", kBillingModes);
  request->throughput = DecodeStructure(fields, "ProvisionedThroughput", DecodeThroughput);
  request->on_demand_throughput =
      DecodeStructure(fields, "OnDemandThroughput", DecodeOnDemandThroughput);
  request->warm_throughput = DecodeStructure(fields, "WarmThroughput", DecodeWarmThroughput);
  request->stream = DecodeStructure(fields, "StreamSpecification", DecodeStream);
  request->sse = DecodeStructure(fields, "SSESpecification", DecodeSse);
  request->table_class = fields.OptionalEnum("TableClass", kTableClasses);
  request->deletion_protection = fields.OptionalFlag("DeletionProtectionEnabled");
}

operations::RestoreOverrides DecodeOverrides(const Fields& fields) {
  operations::RestoreOverrides overrides;
  overrides.billing_mode = fields.OptionalEnum("BillingModeOverride", kBillingModes);
  overrides.local_indexes = DecodeList(fields, "LocalSecondaryIndexOverride", DecodeIndex);
  overrides.global_indexes = DecodeList(fields, "GlobalSecondaryIndexOverride", DecodeIndex);
  overrides.throughput = DecodeStructure(fields, "ProvisionedThroughputOverride", DecodeThroughput);
  overrides.on_demand_throughput =
      DecodeStructure(fields, "OnDemandThroughputOverride", DecodeOnDemandThroughput);
  overrides.sse = DecodeStructure(fields, "SSESpecificationOverride", DecodeSse);
  return overrides;
}

}  // namespace

Result<operations::CreateTableRequest> DecodeCreateTable(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckSupported(fields));
  TRY(CheckTableClass(fields));
  TRY(CheckTagsComplete(fields));
  operations::CreateTableRequest request;
  DecodeSettings(fields, &request);
  request.key_schema = DecodeList(fields, "KeySchema", DecodeKeySchemaElement);
  request.local_indexes = DecodeList(fields, "LocalSecondaryIndexes", DecodeIndex);
  request.global_indexes = DecodeList(fields, "GlobalSecondaryIndexes", DecodeIndex);
  request.tags = DecodeList(fields, "Tags", DecodeTag);
  return request;
}

Result<operations::UpdateTableRequest> DecodeUpdateTable(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckSupported(fields));
  TRY(CheckTableClass(fields));
  operations::UpdateTableRequest request;
  DecodeSettings(fields, &request);
  request.global_index_updates =
      DecodeList(fields, "GlobalSecondaryIndexUpdates", DecodeIndexUpdate);
  request.has_replica_updates = fields.Has("ReplicaUpdates");
  return request;
}

Result<std::string> DecodeTableName(const json::Object& body) {
  return Fields(body).Text("TableName");
}

Result<operations::ListTablesRequest> DecodeListTables(const json::Object& body) {
  const Fields fields(body);
  return operations::ListTablesRequest{fields.OptionalText("ExclusiveStartTableName"),
                                       fields.OptionalInteger("Limit")};
}

Result<operations::TagResourceRequest> DecodeTagResource(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckTagsComplete(fields));
  return operations::TagResourceRequest{
      fields.Text("ResourceArn"),
      DecodeList(fields, "Tags", DecodeTag).value_or(std::vector<table::Tag>())};
}

Result<operations::UntagResourceRequest> DecodeUntagResource(const json::Object& body) {
  const Fields fields(body);
  return operations::UntagResourceRequest{
      fields.Text("ResourceArn"),
      fields.OptionalTexts("TagKeys").value_or(std::vector<std::string>())};
}

Result<operations::ListTagsOfResourceRequest> DecodeListTagsOfResource(const json::Object& body) {
  return operations::ListTagsOfResourceRequest{Fields(body).Text("ResourceArn")};
}

Result<operations::UpdateTimeToLiveRequest> DecodeUpdateTimeToLive(const json::Object& body) {
  const Fields fields(body);
  const Fields specification(*fields.Find("TimeToLiveSpecification"));
  return operations::UpdateTimeToLiveRequest{
      fields.Text("TableName"), specification.Flag("Enabled"), specification.Text("AttributeName")};
}

Result<operations::RestoreTableFromBackupRequest> DecodeRestoreTableFromBackup(
    const json::Object& body) {
  const Fields fields(body);
  return operations::RestoreTableFromBackupRequest{
      fields.Text("BackupArn"), fields.Text("TargetTableName"), DecodeOverrides(fields)};
}

Result<operations::RestoreTableToPointInTimeRequest> DecodeRestoreTableToPointInTime(
    const json::Object& body) {
  const Fields fields(body);
  operations::RestoreTableToPointInTimeRequest request;
  request.source_table_name = fields.OptionalText("SourceTableName");
  request.source_table_arn = fields.OptionalText("SourceTableArn");
  request.target_table_name = fields.Text("TargetTableName");
  request.use_latest_restorable_time = fields.Flag("UseLatestRestorableTime");
  request.restore_time_ms = fields.OptionalTimeMs("RestoreDateTime");
  request.overrides = DecodeOverrides(fields);
  return request;
}

}  // namespace monotable::api::dynamodb
