#include "api/dynamodb/table_parameters.h"

#include <algorithm>

#include <fmt/format.h>

#include "table/definition.h"
#include "wire/table_json.h"

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

operations::ProjectionParameter DecodeProjection(const Fields& fields) {
  return {fields.OptionalEnum("ProjectionType", kProjectionTypes),
          fields.OptionalTexts("NonKeyAttributes")};
}

}  // namespace

std::optional<table::BillingMode> DecodeBillingMode(const Fields& fields, std::string_view name) {
  return fields.OptionalEnum(name, kBillingModes);
}

table::KeyAttribute DecodeAttributeDefinition(const Fields& fields) {
  return {fields.Text("AttributeName"),
          fields.OptionalEnum("AttributeType", kKeyTypes).value_or(item::Type::kString)};
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

operations::KeySchemaElement DecodeKeySchemaElement(const Fields& fields) {
  return {fields.Text("AttributeName"), fields.Text("KeyType") == "RANGE"};
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

operations::SseParameter DecodeSse(const Fields& fields) {
  return {fields.OptionalFlag("Enabled"), fields.OptionalText("SSEType"),
          fields.OptionalText("KMSMasterKeyId")};
}

table::Tag DecodeTag(const Fields& fields) {
  return {fields.Text("Key"), fields.Text("Value")};
}

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

// The service sorts attributes by their names, here and in projections.
void EncodeAttributeDefinitions(const table::TableDefinition& definition, json::Writer* writer) {
  auto attributes = definition.attributes;
  std::sort(attributes.begin(), attributes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  wire::WriteAttributeDefinitions(attributes, writer);
}

void EncodeProjection(const table::Projection& projection, json::Writer* writer) {
  table::Projection sorted = projection;
  std::sort(sorted.non_key_attributes.begin(), sorted.non_key_attributes.end());
  wire::WriteProjection(sorted, writer);
}

// Seconds since the epoch; the JavaScript SDK takes nothing but a number.
void EncodeTime(std::string_view name, int64_t milliseconds, json::Writer* writer) {
  writer->Key(name).Raw(fmt::format("{}.{:03}", milliseconds / 1000, milliseconds % 1000));
}

}  // namespace monotable::api::dynamodb
