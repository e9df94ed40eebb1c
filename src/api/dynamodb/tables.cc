#include "operations/tables.h"

#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"
#include "table/definition.h"
#include "wire/table_json.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr std::string_view kStreamViewNames[] = {"OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES",
                                                 "NEW_IMAGE"};
constexpr Shape kStreamView = Enumeration(kStreamViewNames);

constexpr Member kStreamMembers[] = {
    {"StreamEnabled", &kFlag, true},
    {"StreamViewType", &kStreamView},
};
constexpr Shape kStream = Structure("StreamSpecification", kStreamMembers);

constexpr Member kCreateTableMembers[] = {
    {"AttributeDefinitions", &kAttributeDefinitions},
    {"TableName", &kNewTableName, true, Report::kClassic,
     "The parameter 'TableName' is required but was not present in the request"},
    {"KeySchema", &kKeySchema},
    {"LocalSecondaryIndexes", &kLocalIndexes},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kSse},
    {"Tags", &kTags},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"WarmThroughput", &kWarm},
    {"OnDemandThroughput", &kOnDemand},
};

constexpr Shape kCreateTable = Structure("CreateTableInput", kCreateTableMembers);

constexpr Member kCreateIndexMembers[] = {
    {"IndexName", &kIndexName, true},   {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true}, {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand}, {"WarmThroughput", &kWarm},
};
constexpr Shape kCreateIndex = Structure("CreateGlobalSecondaryIndexAction", kCreateIndexMembers);
constexpr Member kUpdateIndexMembers[] = {
    {"IndexName", &kIndexName, true},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};
constexpr Shape kUpdateIndex = Structure("UpdateGlobalSecondaryIndexAction", kUpdateIndexMembers);
constexpr Member kDeleteIndexMembers[] = {{"IndexName", &kIndexName, true}};
constexpr Shape kDeleteIndex = Structure("DeleteGlobalSecondaryIndexAction", kDeleteIndexMembers);
constexpr Member kIndexUpdateMembers[] = {
    {"Update", &kUpdateIndex},
    {"Create", &kCreateIndex},
    {"Delete", &kDeleteIndex},
};
constexpr Shape kIndexUpdate = Structure("GlobalSecondaryIndexUpdate", kIndexUpdateMembers);
constexpr Shape kIndexUpdates = ListOf(&kIndexUpdate);

constexpr Shape kReplicaUpdate = Structure("ReplicationGroupUpdate", {});
constexpr Shape kReplicaUpdates = ListOf(&kReplicaUpdate, 1);

constexpr Member kUpdateTableMembers[] = {
    {"AttributeDefinitions", &kAttributeDefinitions},
    {"TableName", &kTableName, true},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"GlobalSecondaryIndexUpdates", &kIndexUpdates},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kSse},
    {"ReplicaUpdates", &kReplicaUpdates},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};
constexpr Shape kUpdateTable = Structure("UpdateTableInput", kUpdateTableMembers);

constexpr Shape kDeleteTable = Structure("DeleteTableInput", kTableNameMembers);
constexpr Shape kDescribeTable = Structure("DescribeTableInput", kTableNameMembers);

constexpr Shape kStartTableName = Bounded(Kind::kString, 3, 255, Pattern::kName);
constexpr Member kListTablesMembers[] = {
    {"ExclusiveStartTableName", &kStartTableName},
    {"Limit", &kListLimit},
};
constexpr Shape kListTables = Structure("ListTablesInput", kListTablesMembers);

constexpr Member kTimeToLiveMembers[] = {
    {"AttributeName", &kKeyName, true},
    {"Enabled", &kFlag, true},
};
constexpr Shape kTimeToLive = Structure("TimeToLiveSpecification", kTimeToLiveMembers);
constexpr Member kUpdateTimeToLiveMembers[] = {
    {"TableName", &kTableName, true},
    {"TimeToLiveSpecification", &kTimeToLive, true},
};
constexpr Shape kUpdateTimeToLive = Structure("UpdateTimeToLiveInput", kUpdateTimeToLiveMembers);
constexpr Shape kDescribeTimeToLive = Structure("DescribeTimeToLiveInput", kTableNameMembers);

constexpr Shape kDescribeLimits = Structure("DescribeLimitsInput", {});
constexpr Shape kDescribeEndpoints = Structure("DescribeEndpointsRequest", {});

}  // namespace
}  // namespace shapes

namespace {

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

operations::StreamParameter DecodeStream(const Fields& fields) {
  return {fields.Flag("StreamEnabled"), fields.OptionalEnum("StreamViewType", kStreamViewTypes)};
}

operations::GlobalIndexUpdate DecodeIndexUpdate(const Fields& fields) {
  operations::GlobalIndexUpdate update;
  update.create = DecodeStructure(fields, "Create", DecodeIndex);
  update.update = DecodeStructure(fields, "Update", DecodeIndex);
  if (const auto remove = fields.Find("Delete")) update.remove = Fields(*remove).Text("IndexName");
  return update;
}

// Members of features that this server does not have. Accepting them silently would be a promise
// that the server does not keep.
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
  request->billing_mode = DecodeBillingMode(fields, "BillingMode");
  request->throughput = DecodeStructure(fields, "ProvisionedThroughput", DecodeThroughput);
  request->on_demand_throughput =
      DecodeStructure(fields, "OnDemandThroughput", DecodeOnDemandThroughput);
  request->warm_throughput = DecodeStructure(fields, "WarmThroughput", DecodeWarmThroughput);
  request->stream = DecodeStructure(fields, "StreamSpecification", DecodeStream);
  request->sse = DecodeStructure(fields, "SSESpecification", DecodeSse);
  request->table_class = fields.OptionalEnum("TableClass", kTableClasses);
  request->deletion_protection = fields.OptionalFlag("DeletionProtectionEnabled");
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

Result<operations::UpdateTimeToLiveRequest> DecodeUpdateTimeToLive(const json::Object& body) {
  const Fields fields(body);
  const Fields specification(*fields.Find("TimeToLiveSpecification"));
  return operations::UpdateTimeToLiveRequest{
      fields.Text("TableName"), specification.Flag("Enabled"), specification.Text("AttributeName")};
}

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
      wire::WriteKeySchema(definition_.key, writer_);
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
    wire::WriteKeySchema(index.key, writer_);
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
    // A new table shows its warm throughput only if the request asked for it.
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

void EncodeTableAs(std::string_view name, const operations::TableDescription& table,
                   std::string* out) {
  out->reserve(out->size() + 2048);
  json::Writer writer(out);
  writer.BeginObject().Key(name);
  Description(table, &writer).Encode();
  writer.EndObject();
}

}  // namespace

void EncodeDescribedTable(const operations::TableDescription& table, std::string* out) {
  EncodeTableAs("Table", table, out);
}

void EncodeChangedTable(const operations::TableDescription& table, std::string* out) {
  EncodeTableAs("TableDescription", table, out);
}

void EncodeListTables(const operations::ListTablesResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  if (response.last_evaluated_table_name) {
    writer.Key("LastEvaluatedTableName").String(*response.last_evaluated_table_name);
  }
  writer.Key("TableNames").BeginArray();
  for (const auto& name : response.table_names) writer.String(name);
  writer.EndArray().EndObject();
}

void EncodeUpdateTimeToLive(const operations::UpdateTimeToLiveResponse& response,
                            std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("TimeToLiveSpecification").BeginObject();
  writer.Key("Enabled").Bool(response.enabled);
  writer.Key("AttributeName").String(response.attribute_name).EndObject().EndObject();
}

void EncodeDescribeTimeToLive(const operations::DescribeTimeToLiveResponse& response,
                              std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("TimeToLiveDescription").BeginObject();
  writer.Key("TimeToLiveStatus").String(response.enabled ? "ENABLED" : "DISABLED");
  if (response.enabled) writer.Key("AttributeName").String(response.attribute_name);
  writer.EndObject().EndObject();
}

void EncodeDescribeLimits(const operations::DescribeLimitsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  writer.Key("AccountMaxReadCapacityUnits").Integer(response.account_max_read_units);
  writer.Key("AccountMaxWriteCapacityUnits").Integer(response.account_max_write_units);
  writer.Key("TableMaxReadCapacityUnits").Integer(response.table_max_read_units);
  writer.Key("TableMaxWriteCapacityUnits").Integer(response.table_max_write_units);
  writer.EndObject();
}

void EncodeDescribeEndpoints(std::string_view address, std::string* out) {
  // How long a client may believe the answer, as the service says it: a day.
  constexpr int64_t kEndpointCacheMinutes = 1440;
  json::Writer writer(out);
  writer.BeginObject().Key("Endpoints").BeginArray().BeginObject();
  writer.Key("Address").String(address);
  writer.Key("CachePeriodInMinutes").Integer(kEndpointCacheMinutes);
  writer.EndObject().EndArray().EndObject();
}

namespace {

Answer DescribeLimits(const Call&) {
  return BodyOf<EncodeDescribeLimits>(operations::DescribeLimits());
}

// Clients that discover endpoints go on with the one they are told, so it must lead back here.
Answer DescribeEndpoints(const Call& call) {
  const std::string regional = "dynamodb." + call.engine.options().region + ".amazonaws.com";
  return BodyOf<EncodeDescribeEndpoints>(call.host.empty() ? std::string_view(regional)
                                                           : call.host);
}

}  // namespace

std::span<const Operation> TableOperations() {
  static constexpr Operation kOperations[] = {
      {"CreateTable", shapes::kCreateTable, Place::kWorker,
       Returning<DecodeCreateTable, operations::CreateTable, EncodeChangedTable>},
      {"DescribeTable", shapes::kDescribeTable, Place::kWorker,
       Returning<DecodeTableName, operations::DescribeTable, EncodeDescribedTable>},
      {"UpdateTable", shapes::kUpdateTable, Place::kWorker,
       Returning<DecodeUpdateTable, operations::UpdateTable, EncodeChangedTable>},
      {"DeleteTable", shapes::kDeleteTable, Place::kWorker,
       Returning<DecodeTableName, operations::DeleteTable, EncodeChangedTable>},
      {"ListTables", shapes::kListTables, Place::kWorker,
       Returning<DecodeListTables, operations::ListTables, EncodeListTables>},
      {"UpdateTimeToLive", shapes::kUpdateTimeToLive, Place::kWorker,
       Returning<DecodeUpdateTimeToLive, operations::UpdateTimeToLive, EncodeUpdateTimeToLive>},
      {"DescribeTimeToLive", shapes::kDescribeTimeToLive, Place::kWorker,
       Returning<DecodeTableName, operations::DescribeTimeToLive, EncodeDescribeTimeToLive>},
      {"DescribeLimits", shapes::kDescribeLimits, Place::kInline, DescribeLimits},
      {"DescribeEndpoints", shapes::kDescribeEndpoints, Place::kInline, DescribeEndpoints},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
