#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/dynamodb/shapes.h"
#include "error/result.h"
#include "json/json_writer.h"
#include "operations/tables.h"
#include "table/definition.h"
#include "wire/fields.h"

// Parts of tables that several requests and answers have.
namespace monotable::api::dynamodb {
namespace shapes {

inline constexpr Shape kLong = Scalar(Kind::kLong);

inline constexpr Shape kNewTableName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kName));
inline constexpr Shape kIndexName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kName));
inline constexpr Shape kKeyName = Bounded(Kind::kString, 1, 255);

// Enumerations and the members of structures in the order in which the service reports them, which
// is not that of its model.
inline constexpr std::string_view kAttributeTypeNames[] = {"B", "N", "S"};
inline constexpr std::string_view kKeyTypeNames[] = {"HASH", "RANGE"};
inline constexpr std::string_view kProjectionTypeNames[] = {"ALL", "INCLUDE", "KEYS_ONLY"};
inline constexpr std::string_view kBillingModeNames[] = {"PROVISIONED", "PAY_PER_REQUEST"};
inline constexpr std::string_view kSseTypeNames[] = {"AES256", "KMS"};
inline constexpr Shape kAttributeType = Enumeration(kAttributeTypeNames);
inline constexpr Shape kKeyType = Enumeration(kKeyTypeNames);
inline constexpr Shape kProjectionType = Enumeration(kProjectionTypeNames);
inline constexpr Shape kBillingMode = Enumeration(kBillingModeNames);
inline constexpr Shape kSseType = Enumeration(kSseTypeNames);

inline constexpr Member kAttributeDefinitionMembers[] = {
    {"AttributeType", &kAttributeType, true},
    {"AttributeName", &kKeyName, true},
};
inline constexpr Shape kAttributeDefinition =
    Structure("AttributeDefinition", kAttributeDefinitionMembers);
inline constexpr Shape kAttributeDefinitions = ListOf(&kAttributeDefinition);

inline constexpr Member kKeySchemaElementMembers[] = {
    {"AttributeName", &kKeyName, true},
    {"KeyType", &kKeyType, true},
};
inline constexpr Shape kKeySchemaElement = Structure("KeySchemaElement", kKeySchemaElementMembers);
// A global index may have four partition and four sort attributes; how many a key really may have
// is a rule of each kind of key, not of the shape.
inline constexpr Shape kKeySchema = ListOf(&kKeySchemaElement, 1);

inline constexpr Shape kNonKeyAttributes = ListOf(&kKeyName, 1, 20);
inline constexpr Member kProjectionMembers[] = {
    {"ProjectionType", &kProjectionType},
    {"NonKeyAttributes", &kNonKeyAttributes},
};
inline constexpr Shape kProjection = Structure("Projection", kProjectionMembers);

inline constexpr Shape kUnits = Bounded(Kind::kLong, 1);
inline constexpr Member kThroughputMembers[] = {
    {"WriteCapacityUnits", &kUnits, true},
    {"ReadCapacityUnits", &kUnits, true},
};
inline constexpr Shape kThroughput = Structure("ProvisionedThroughput", kThroughputMembers);

inline constexpr Member kOnDemandMembers[] = {
    {"MaxReadRequestUnits", &kLong},
    {"MaxWriteRequestUnits", &kLong},
};
inline constexpr Shape kOnDemand = Structure("OnDemandThroughput", kOnDemandMembers);

inline constexpr Member kWarmMembers[] = {
    {"ReadUnitsPerSecond", &kLong},
    {"WriteUnitsPerSecond", &kLong},
};
inline constexpr Shape kWarm = Structure("WarmThroughput", kWarmMembers);

inline constexpr Member kLocalIndexMembers[] = {
    {"IndexName", &kIndexName, true},
    {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true},
};
inline constexpr Shape kLocalIndex = Structure("LocalSecondaryIndex", kLocalIndexMembers);
inline constexpr Shape kLocalIndexes = ListOf(&kLocalIndex);

inline constexpr Member kGlobalIndexMembers[] = {
    {"IndexName", &kIndexName, true},   {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true}, {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand}, {"WarmThroughput", &kWarm},
};
inline constexpr Shape kGlobalIndex = Structure("GlobalSecondaryIndex", kGlobalIndexMembers);
inline constexpr Shape kGlobalIndexes = ListOf(&kGlobalIndex);

inline constexpr Shape kKeyId = Bounded(Kind::kString, 1);
inline constexpr Member kSseMembers[] = {
    {"Enabled", &kFlag},
    {"SSEType", &kSseType},
    {"KMSMasterKeyId", &kKeyId},
};
inline constexpr Shape kSse = Structure("SSESpecification", kSseMembers);

// What tags may be is a rule of the operations, which word it in their own way.
inline constexpr Member kTagMembers[] = {
    {"Key", &kText},
    {"Value", &kText},
};
inline constexpr Shape kTag = Structure("Tag", kTagMembers);
inline constexpr Shape kTags = ListOf(&kTag);

}  // namespace shapes

// A list member, each element decoded by a function of its fields; nullopt if it is absent.
template <typename Decode>
auto DecodeList(const Fields& fields, std::string_view name, Decode decode)
    -> std::optional<std::vector<decltype(decode(fields))>> {
  const auto element = fields.Find(name);
  if (!element) return std::nullopt;
  std::vector<decltype(decode(fields))> list;
  for (const auto& member : json::ArrayOf(*element)) list.push_back(decode(Fields(member)));
  return list;
}

// A structure member, decoded by a function of its fields; nullopt if it is absent.
template <typename Decode>
auto DecodeStructure(const Fields& fields, std::string_view name, Decode decode)
    -> std::optional<decltype(decode(fields))> {
  const auto element = fields.Find(name);
  if (!element) return std::nullopt;
  return decode(Fields(*element));
}

// A billing mode under the name BillingMode or BillingModeOverride.
std::optional<table::BillingMode> DecodeBillingMode(const Fields& fields, std::string_view name);
table::KeyAttribute DecodeAttributeDefinition(const Fields& fields);
table::Throughput DecodeThroughput(const Fields& fields);
table::OnDemandThroughput DecodeOnDemandThroughput(const Fields& fields);
table::WarmThroughput DecodeWarmThroughput(const Fields& fields);
operations::KeySchemaElement DecodeKeySchemaElement(const Fields& fields);
operations::IndexParameter DecodeIndex(const Fields& fields);
operations::SseParameter DecodeSse(const Fields& fields);
table::Tag DecodeTag(const Fields& fields);
// Whether every tag has a key and a value. The shape does not say so, because the service words
// these violations in its own way.
Status CheckTagsComplete(const Fields& fields);

// The members "AttributeDefinitions", "KeySchema" and "Projection" of several descriptions, and a
// time of any name.
void EncodeAttributeDefinitions(const table::TableDefinition& definition, json::Writer* writer);
void EncodeProjection(const table::Projection& projection, json::Writer* writer);
void EncodeTime(std::string_view name, int64_t milliseconds, json::Writer* writer);

}  // namespace monotable::api::dynamodb
