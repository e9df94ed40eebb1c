#include "api/dynamodb/encode_table_description.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "table/definition.h"

namespace monotable::api::dynamodb {
namespace {

using table::BillingMode;
using table::IndexDefinition;
using table::TableDefinition;

std::string_view IndexStatusName(table::IndexStatus status) {
  switch (status) {
    case table::IndexStatus::kCreating:
      return "CREATING";
    case table::IndexStatus::kUpdating:
      return "UPDATING";
    case table::IndexStatus::kDeleting:
      return "DELETING";
    case table::IndexStatus::kActive:
      break;
  }
  return "ACTIVE";
}

void EncodeOnDemand(const std::optional<table::OnDemandThroughput>& limits, json::Writer* writer) {
  if (!limits) return;
  writer->Key("OnDemandThroughput").BeginObject();
  if (limits->max_read_units) {
    writer->Key("MaxReadRequestUnits").Integer(*limits->max_read_units);
  }
  if (limits->max_write_units) {
    writer->Key("MaxWriteRequestUnits").Integer(*limits->max_write_units);
  }
  writer->EndObject();
}

void EncodeWarm(const table::Throughput& warm, bool warming, json::Writer* writer) {
  writer->Key("WarmThroughput").BeginObject();
  writer->Key("ReadUnitsPerSecond").Integer(warm.read_units);
  writer->Key("WriteUnitsPerSecond").Integer(warm.write_units);
  writer->Key("Status").String(warming ? "UPDATING" : "ACTIVE").EndObject();
}

class Description {
 public:
  Description(const operations::TableDescription& table, json::Writer* writer)
      : table_(table),
        definition_(*table.definition),
        creating_(table.status == "CREATING"),
        writer_(writer) {}

  void Encode() {
    writer_->BeginObject();
    if (!table_.reduced) {
      EncodeAttributeDefinitions(definition_, writer_);
      EncodeKeySchema(definition_.key, writer_);
      EncodeTime("CreationDateTime", definition_.created_at_ms, writer_);
    }
    writer_->Key("TableName").String(definition_.name);
    writer_->Key("TableStatus").String(table_.status);
    EncodeThroughput();
    writer_->Key("TableSizeBytes").Integer(table_.figures.size_bytes);
    writer_->Key("ItemCount").Integer(table_.figures.item_count);
    writer_->Key("TableArn").String(table_.arn);
    writer_->Key("TableId").String(definition_.uuid);
    EncodeBillingMode();
    if (!table_.reduced) {
      EncodeIndexes(table::IndexKind::kLocal, "LocalSecondaryIndexes");
      EncodeIndexes(table::IndexKind::kGlobal, "GlobalSecondaryIndexes");
      EncodeSettings();
      EncodeRestoreSummary();
    }
    EncodeSse();
    writer_->Key("DeletionProtectionEnabled").Bool(definition_.deletion_protection);
    writer_->EndObject();
  }

 private:
  void EncodeThroughput() {
    writer_->Key("ProvisionedThroughput").BeginObject();
    if (definition_.throughput_increased_at_ms > 0) {
      EncodeTime("LastIncreaseDateTime", definition_.throughput_increased_at_ms, writer_);
    }
    if (definition_.throughput_decreased_at_ms > 0) {
      EncodeTime("LastDecreaseDateTime", definition_.throughput_decreased_at_ms, writer_);
    }
    writer_->Key("NumberOfDecreasesToday").Integer(definition_.decreases_today);
    writer_->Key("ReadCapacityUnits").Integer(definition_.throughput.read_units);
    writer_->Key("WriteCapacityUnits").Integer(definition_.throughput.write_units).EndObject();
  }

  // Absent for a table that has always been provisioned.
  void EncodeBillingMode() {
    const bool on_demand = definition_.billing_mode == BillingMode::kPayPerRequest;
    if (!on_demand && !definition_.pay_per_request_since_ms) return;
    writer_->Key("BillingModeSummary").BeginObject();
    writer_->Key("BillingMode").String(table::BillingModeName(definition_.billing_mode));
    if (!creating_ && definition_.pay_per_request_since_ms) {
      EncodeTime("LastUpdateToPayPerRequestDateTime", *definition_.pay_per_request_since_ms,
                 writer_);
    }
    writer_->EndObject();
  }

  void EncodeIndexes(table::IndexKind kind, std::string_view name) {
    bool open = false;
    for (const IndexDefinition& index : definition_.indexes) {
      if (index.kind != kind) continue;
      if (!open) writer_->Key(name).BeginArray();
      open = true;
      EncodeIndex(index);
    }
    if (open) writer_->EndArray();
  }

  void EncodeIndex(const IndexDefinition& index) {
    static const operations::TableDescription::Figures kNone;
    const auto found = table_.index_figures.find(index.name);
    const auto& figures = found == table_.index_figures.end() ? kNone : found->second;
    writer_->BeginObject().Key("IndexName").String(index.name);
    EncodeKeySchema(index.key, writer_);
    EncodeProjection(index.projection, writer_);
    if (index.kind == table::IndexKind::kGlobal) EncodeGlobal(index, figures);
    writer_->Key("IndexSizeBytes").Integer(figures.size_bytes);
    writer_->Key("ItemCount").Integer(figures.item_count);
    writer_->Key("IndexArn").String(table_.arn + "/index/" + index.name).EndObject();
  }

  void EncodeGlobal(const IndexDefinition& index,
                    const operations::TableDescription::Figures& figures) {
    // The indexes of a new table come with it.
    const auto status = creating_ ? table::IndexStatus::kCreating : index.status;
    writer_->Key("IndexStatus").String(IndexStatusName(status));
    if (figures.backfilling) writer_->Key("Backfilling").Bool(*figures.backfilling);
    writer_->Key("ProvisionedThroughput").BeginObject();
    writer_->Key("NumberOfDecreasesToday").Integer(0);
    writer_->Key("ReadCapacityUnits").Integer(index.throughput.read_units);
    writer_->Key("WriteCapacityUnits").Integer(index.throughput.write_units).EndObject();
    EncodeOnDemand(index.on_demand_throughput, writer_);
    if (!creating_) EncodeWarm(WarmOf(index), figures.warming, writer_);
  }

  void EncodeSettings() {
    EncodeOnDemand(definition_.on_demand_throughput, writer_);
    // A new table shows it only if it was asked for.
    if (!creating_ || table_.figures.warming) {
      EncodeWarm(WarmOf(definition_), table_.figures.warming, writer_);
    }
    EncodeStream();
    if (definition_.table_class) EncodeTableClass();
  }

  template <typename Owner>
  table::Throughput WarmOf(const Owner& owner) const {
    return operations::WarmOf(definition_.billing_mode, owner.throughput, owner.warm_throughput);
  }

  // No description means that the service's own key encrypts the table.
  void EncodeSse() {
    if (!definition_.sse.enabled && !table_.sse_updating) return;
    writer_->Key("SSEDescription").BeginObject();
    writer_->Key("Status").String(table_.sse_updating ? "UPDATING" : "ENABLED");
    if (definition_.sse.enabled) {
      writer_->Key("SSEType").String("KMS");
      writer_->Key("KMSMasterKeyArn").String(definition_.sse.kms_key_arn);
    }
    writer_->EndObject();
  }

  void EncodeStream() {
    if (definition_.stream.enabled) {
      writer_->Key("StreamSpecification").BeginObject().Key("StreamEnabled").Bool(true);
      writer_->Key("StreamViewType").String(table::StreamViewName(definition_.stream.view_type));
      writer_->EndObject();
    }
    if (definition_.latest_stream_label.empty()) return;
    writer_->Key("LatestStreamLabel").String(definition_.latest_stream_label);
    writer_->Key("LatestStreamArn")
        .String(table_.arn + "/stream/" + definition_.latest_stream_label);
  }

  void EncodeRestoreSummary() {
    const auto& origin = definition_.restored_from;
    if (!origin) return;
    writer_->Key("RestoreSummary").BeginObject();
    if (!origin->source_backup_arn.empty()) {
      writer_->Key("SourceBackupArn").String(origin->source_backup_arn);
    }
    writer_->Key("SourceTableArn").String(origin->source_table_arn);
    EncodeTime("RestoreDateTime", origin->moment_ms, writer_);
    writer_->Key("RestoreInProgress").Bool(creating_).EndObject();
  }

  void EncodeTableClass() {
    const bool standard = *definition_.table_class == table::TableClass::kStandard;
    writer_->Key("TableClassSummary").BeginObject();
    writer_->Key("TableClass").String(standard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS");
    if (definition_.table_class_changed_at_ms > 0) {
      EncodeTime("LastUpdateDateTime", definition_.table_class_changed_at_ms, writer_);
    }
    writer_->EndObject();
  }

  const operations::TableDescription& table_;
  const TableDefinition& definition_;
  const bool creating_;
  json::Writer* writer_;
};

}  // namespace

// The service sorts attributes by their names, here and in projections.
void EncodeAttributeDefinitions(const TableDefinition& definition, json::Writer* writer) {
  auto attributes = definition.attributes;
  std::sort(attributes.begin(), attributes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  writer->Key("AttributeDefinitions").BeginArray();
  for (const auto& attribute : attributes) {
    writer->BeginObject().Key("AttributeName").String(attribute.name);
    writer->Key("AttributeType").String(item::TypeName(attribute.type)).EndObject();
  }
  writer->EndArray();
}

void EncodeProjection(const table::Projection& projection, json::Writer* writer) {
  writer->Key("Projection").BeginObject();
  writer->Key("ProjectionType").String(table::ProjectionName(projection.type));
  if (!projection.non_key_attributes.empty()) {
    const std::set<std::string> names(projection.non_key_attributes.begin(),
                                      projection.non_key_attributes.end());
    writer->Key("NonKeyAttributes").BeginArray();
    for (const auto& name : names) writer->String(name);
    writer->EndArray();
  }
  writer->EndObject();
}

// Seconds since the epoch; the JavaScript SDK takes nothing but a number.
void EncodeTime(std::string_view name, int64_t milliseconds, json::Writer* writer) {
  writer->Key(name).Raw(fmt::format("{}.{:03}", milliseconds / 1000, milliseconds % 1000));
}

void EncodeKeySchema(const table::KeySchema& key, json::Writer* writer) {
  const auto encode = [writer](const std::vector<table::KeyAttribute>& attributes,
                               std::string_view type) {
    for (const auto& attribute : attributes) {
      writer->BeginObject().Key("AttributeName").String(attribute.name);
      writer->Key("KeyType").String(type).EndObject();
    }
  };
  writer->Key("KeySchema").BeginArray();
  encode(key.hash, "HASH");
  encode(key.range, "RANGE");
  writer->EndArray();
}

void EncodeTableDescription(const operations::TableDescription& table, json::Writer* writer) {
  Description(table, writer).Encode();
}

}  // namespace monotable::api::dynamodb
