#include "model/cloudformation/table.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cloudformation/names.h"
#include "table/definition.h"

namespace monotable::model {
namespace {

// The key that is used when none is named; CloudFormation wants it left out.
constexpr std::string_view kManagedKey = "alias/aws/dynamodb";

void WriteKeySchema(const table::KeySchema& key, json::Writer* out) {
  out->Key("KeySchema").BeginArray();
  for (const auto& [part, kind] : {std::pair(&key.hash, "HASH"), std::pair(&key.range, "RANGE")}) {
    for (const table::KeyAttribute& attribute : *part) {
      out->BeginObject().Key("AttributeName").String(attribute.name);
      out->Key("KeyType").String(kind).EndObject();
    }
  }
  out->EndArray();
}

// Each key attribute of the table and its indexes once, in the order they appear.
void WriteAttributes(const TableModel& table, json::Writer* out) {
  std::vector<table::KeyAttribute> attributes;
  const auto gather = [&](const table::KeySchema& key) {
    for (const auto* part : {&key.hash, &key.range}) {
      for (const table::KeyAttribute& attribute : *part) {
        if (std::find(attributes.begin(), attributes.end(), attribute) == attributes.end()) {
          attributes.push_back(attribute);
        }
      }
    }
  };
  gather(table.key);
  for (const IndexModel& index : table.indexes) gather(index.key);
  out->Key("AttributeDefinitions").BeginArray();
  for (const table::KeyAttribute& attribute : attributes) {
    out->BeginObject().Key("AttributeName").String(attribute.name);
    out->Key("AttributeType").String(item::TypeName(attribute.type)).EndObject();
  }
  out->EndArray();
}

void WriteThroughput(const TableModel& table, json::Writer* out) {
  if (table.billing != table::BillingMode::kProvisioned) return;
  out->Key("ProvisionedThroughput").BeginObject().Key("ReadCapacityUnits");
  WriteRef(kReadUnitsParameter, out);
  out->Key("WriteCapacityUnits");
  WriteRef(kWriteUnitsParameter, out);
  out->EndObject();
}

void WriteProjection(const table::Projection& projection, json::Writer* out) {
  out->Key("Projection").BeginObject();
  out->Key("ProjectionType").String(table::ProjectionName(projection.type));
  if (projection.type == table::ProjectionType::kInclude) {
    out->Key("NonKeyAttributes").BeginArray();
    for (const std::string& name : projection.non_key_attributes) out->String(name);
    out->EndArray();
  }
  out->EndObject();
}

void WriteIndexes(const TableModel& table, table::IndexKind kind, json::Writer* out) {
  std::vector<const IndexModel*> indexes;
  for (const IndexModel& index : table.indexes) {
    if (index.kind == kind) indexes.push_back(&index);
  }
  if (indexes.empty()) return;
  const bool global = kind == table::IndexKind::kGlobal;
  out->Key(global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes").BeginArray();
  for (const IndexModel* index : indexes) {
    out->BeginObject().Key("IndexName").String(index->name);
    WriteKeySchema(index->key, out);
    WriteProjection(index->projection, out);
    if (global) WriteThroughput(table, out);
    out->EndObject();
  }
  out->EndArray();
}

void WriteEncryption(const TableModel& table, const Choices& choices, json::Writer* out) {
  if (!table.encrypted && !choices.TakesKmsKey()) return;
  const std::string_view key =
      table.encryption_key == kManagedKey ? std::string_view() : table.encryption_key;
  out->Key("SSESpecification").BeginObject();
  out->Key("SSEEnabled").Bool(true).Key("SSEType").String("KMS");
  if (!key.empty() || choices.TakesKmsKey()) {
    out->Key("KMSMasterKeyId");
    choices.WriteKmsKey(key, out);
  }
  out->EndObject();
}

}  // namespace

void WriteTableProperties(const TableModel& table, const Choices& choices, json::Writer* out) {
  out->BeginObject().Key("TableName");
  WriteFilledIn(table.name, choices.environment(), out);
  out->Key("BillingMode").String(table::BillingModeName(table.billing));
  WriteThroughput(table, out);
  WriteAttributes(table, out);
  WriteKeySchema(table.key, out);
  WriteIndexes(table, table::IndexKind::kLocal, out);
  WriteIndexes(table, table::IndexKind::kGlobal, out);
  WriteEncryption(table, choices, out);
  out->Key("PointInTimeRecoverySpecification");
  choices.WritePitr(out);
  if (!table.ttl_attribute.empty()) {
    out->Key("TimeToLiveSpecification").BeginObject();
    out->Key("AttributeName").String(table.ttl_attribute).Key("Enabled").Bool(true).EndObject();
  }
  if (table.stream) {
    out->Key("StreamSpecification").BeginObject();
    out->Key("StreamViewType").String(table::StreamViewName(*table.stream)).EndObject();
  }
  out->Key("DeletionProtectionEnabled");
  choices.WriteDeletionProtection(out);
  out->EndObject();
}

}  // namespace monotable::model
