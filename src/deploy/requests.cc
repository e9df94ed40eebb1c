#include "deploy/requests.h"

#include <algorithm>
#include <vector>

#include "json/json_writer.h"
#include "table/definition.h"
#include "wire/table_json.h"

namespace monotable::deploy {
namespace {

void WriteThroughput(const TableShape& table, json::Writer* out) {
  if (table.billing != table::BillingMode::kProvisioned) return;
  out->Key("ProvisionedThroughput").BeginObject();
  out->Key("ReadCapacityUnits").Integer(table.throughput.read_units);
  out->Key("WriteCapacityUnits").Integer(table.throughput.write_units).EndObject();
}

void WriteIndex(const TableShape& table, const IndexShape& index, json::Writer* out) {
  out->BeginObject().Key("IndexName").String(index.name);
  wire::WriteKeySchema(index.key, out);
  wire::WriteProjection(index.projection, out);
  if (index.kind == table::IndexKind::kGlobal) WriteThroughput(table, out);
  out->EndObject();
}

void WriteIndexes(const TableShape& table, table::IndexKind kind, std::string_view name,
                  json::Writer* out) {
  const auto of_kind = [kind](const IndexShape& index) { return index.kind == kind; };
  if (std::none_of(table.indexes.begin(), table.indexes.end(), of_kind)) return;
  out->Key(name).BeginArray();
  for (const IndexShape& index : table.indexes) {
    if (of_kind(index)) WriteIndex(table, index, out);
  }
  out->EndArray();
}

void WriteBilling(const TableShape& table, json::Writer* out) {
  out->Key("BillingMode").String(table::BillingModeName(table.billing));
  WriteThroughput(table, out);
}

void WriteStream(std::optional<table::StreamViewType> view, json::Writer* out) {
  out->Key("StreamSpecification").BeginObject().Key("StreamEnabled").Bool(view.has_value());
  if (view) out->Key("StreamViewType").String(table::StreamViewName(*view));
  out->EndObject();
}

void WriteEncryption(const TableShape& table, json::Writer* out) {
  out->Key("SSESpecification").BeginObject().Key("Enabled").Bool(true).Key("SSEType").String("KMS");
  if (!table.encryption_key.empty()) out->Key("KMSMasterKeyId").String(table.encryption_key);
  out->EndObject();
}

// An object with the name of a table and what `write` adds.
template <typename Write>
std::string Request(std::string_view table_name, Write write) {
  std::string body;
  json::Writer out(&body);
  out.BeginObject().Key("TableName").String(table_name);
  write(&out);
  out.EndObject();
  return body;
}

}  // namespace

std::string CreateTableRequest(const TableShape& table) {
  return Request(table.name, [&](json::Writer* out) {
    WriteBilling(table, out);
    std::vector<const table::KeySchema*> keys = {&table.key};
    for (const IndexShape& index : table.indexes) keys.push_back(&index.key);
    wire::WriteAttributeDefinitions(wire::AttributesOf(keys), out);
    wire::WriteKeySchema(table.key, out);
    WriteIndexes(table, table::IndexKind::kLocal, "LocalSecondaryIndexes", out);
    WriteIndexes(table, table::IndexKind::kGlobal, "GlobalSecondaryIndexes", out);
    if (table.stream) WriteStream(table.stream, out);
    if (table.encrypted) WriteEncryption(table, out);
    if (table.deletion_protection) out->Key("DeletionProtectionEnabled").Bool(true);
  });
}

std::string CreateIndexRequest(const TableShape& table, const IndexShape& index) {
  return Request(table.name, [&](json::Writer* out) {
    wire::WriteAttributeDefinitions(wire::AttributesOf({&index.key}), out);
    out->Key("GlobalSecondaryIndexUpdates").BeginArray().BeginObject().Key("Create");
    WriteIndex(table, index, out);
    out->EndObject().EndArray();
  });
}

std::string DeleteIndexRequest(std::string_view table_name, std::string_view index_name) {
  return Request(table_name, [&](json::Writer* out) {
    out->Key("GlobalSecondaryIndexUpdates").BeginArray().BeginObject().Key("Delete");
    out->BeginObject().Key("IndexName").String(index_name).EndObject().EndObject().EndArray();
  });
}

std::string StreamRequest(std::string_view table_name, std::optional<table::StreamViewType> view) {
  return Request(table_name, [&](json::Writer* out) { WriteStream(view, out); });
}

std::string BillingRequest(const TableShape& table) {
  return Request(table.name, [&](json::Writer* out) {
    WriteBilling(table, out);
    if (table.billing != table::BillingMode::kProvisioned) return;
    // A table that becomes provisioned must give the throughput of each of its indexes.
    bool open = false;
    for (const IndexShape& index : table.indexes) {
      if (index.kind != table::IndexKind::kGlobal) continue;
      if (!open) out->Key("GlobalSecondaryIndexUpdates").BeginArray();
      open = true;
      out->BeginObject().Key("Update").BeginObject().Key("IndexName").String(index.name);
      WriteThroughput(table, out);
      out->EndObject().EndObject();
    }
    if (open) out->EndArray();
  });
}

std::string EncryptionRequest(const TableShape& table) {
  return Request(table.name, [&](json::Writer* out) { WriteEncryption(table, out); });
}

std::string DeletionProtectionRequest(std::string_view table_name, bool on) {
  return Request(table_name,
                 [&](json::Writer* out) { out->Key("DeletionProtectionEnabled").Bool(on); });
}

std::string TimeToLiveRequest(std::string_view table_name, std::string_view attribute, bool on) {
  return Request(table_name, [&](json::Writer* out) {
    out->Key("TimeToLiveSpecification").BeginObject();
    out->Key("AttributeName").String(attribute).Key("Enabled").Bool(on).EndObject();
  });
}

std::string RecoveryRequest(const TableShape& table) {
  const bool on = table.recovery.value_or(false);
  return Request(table.name, [&](json::Writer* out) {
    out->Key("PointInTimeRecoverySpecification").BeginObject();
    out->Key("PointInTimeRecoveryEnabled").Bool(on);
    if (on) out->Key("RecoveryPeriodInDays").Integer(table.recovery_days);
    out->EndObject();
  });
}

std::string TableNameRequest(std::string_view table_name) {
  return Request(table_name, [](json::Writer*) {});
}

}  // namespace monotable::deploy
