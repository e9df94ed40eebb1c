#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "error/result.h"
#include "table/definition.h"

namespace monotable::operations {

// The definition of a table with its current figures. The front door prints it.
struct TableDescription {
  struct Figures {
    int64_t item_count = 0;
    int64_t size_bytes = 0;
    // Set only for a global index that was added to the table and is still being filled.
    std::optional<bool> backfilling = std::nullopt;
    bool warming = false;  // more warm throughput has been asked for
  };

  std::shared_ptr<const table::TableDefinition> definition;
  std::string status;  // "CREATING", "ACTIVE", "UPDATING" or "DELETING"
  std::string arn;     // of the table; index and stream ARNs follow from it
  Figures figures;
  std::map<std::string, Figures> index_figures;  // by index name
  bool sse_updating = false;
  // DeleteTable answers with the keys and attribute definitions left out.
  bool reduced = false;
};

// How DescribeTable, CreateTable, UpdateTable and DeleteTable describe a table.
TableDescription Describe(engine::Engine& engine,
                          std::shared_ptr<const table::TableDefinition> definition,
                          std::string status);

// The warm throughput of a table or index: what was asked for, and at least what its billing gives.
table::Throughput WarmOf(table::BillingMode billing_mode, const table::Throughput& throughput,
                         const std::optional<table::WarmThroughput>& warm);

// Whether an index is being created. The table is UPDATING meanwhile.
bool IsFillingIndex(const table::TableDefinition& table);

// A key schema element as written, before its attribute has a type.
struct KeySchemaElement {
  std::string attribute_name;
  bool is_range = false;
};

struct ProjectionParameter {
  std::optional<table::ProjectionType> type;
  std::optional<std::vector<std::string>> non_key_attributes;
};

struct IndexParameter {
  std::string index_name;
  std::vector<KeySchemaElement> key_schema;
  ProjectionParameter projection;
  std::optional<table::Throughput> throughput;
  std::optional<table::OnDemandThroughput> on_demand_throughput;
  std::optional<table::WarmThroughput> warm_throughput;
};

struct StreamParameter {
  bool enabled = false;
  std::optional<table::StreamViewType> view_type;
};

struct SseParameter {
  std::optional<bool> enabled;
  std::optional<std::string> sse_type;  // "AES256" or "KMS"
  std::optional<std::string> kms_master_key_id;
};

struct CreateTableRequest {
  std::string table_name;
  std::optional<std::vector<table::KeyAttribute>> attribute_definitions;
  std::optional<std::vector<KeySchemaElement>> key_schema;
  std::optional<std::vector<IndexParameter>> local_indexes;
  std::optional<std::vector<IndexParameter>> global_indexes;
  std::optional<table::BillingMode> billing_mode;
  std::optional<table::Throughput> throughput;
  std::optional<table::OnDemandThroughput> on_demand_throughput;
  std::optional<table::WarmThroughput> warm_throughput;
  std::optional<StreamParameter> stream;
  std::optional<SseParameter> sse;
  std::optional<table::TableClass> table_class;
  std::optional<bool> deletion_protection;
  std::optional<std::vector<table::Tag>> tags;
};

struct GlobalIndexUpdate {
  // Exactly one is set; an entry with none or several is refused by UpdateTable.
  std::optional<IndexParameter> create;
  std::optional<IndexParameter> update;  // throughput members only
  std::optional<std::string> remove;
};

struct UpdateTableRequest {
  std::string table_name;
  std::optional<std::vector<table::KeyAttribute>> attribute_definitions;
  std::optional<table::BillingMode> billing_mode;
  std::optional<table::Throughput> throughput;
  std::optional<table::OnDemandThroughput> on_demand_throughput;
  std::optional<table::WarmThroughput> warm_throughput;
  std::optional<std::vector<GlobalIndexUpdate>> global_index_updates;
  std::optional<StreamParameter> stream;
  std::optional<SseParameter> sse;
  std::optional<table::TableClass> table_class;
  std::optional<bool> deletion_protection;
  bool has_replica_updates = false;
};

struct ListTablesRequest {
  std::optional<std::string> exclusive_start_table_name;
  std::optional<int64_t> limit;
};

struct ListTablesResponse {
  std::vector<std::string> table_names;
  std::optional<std::string> last_evaluated_table_name;
};

struct UpdateTimeToLiveRequest {
  std::string table_name;
  bool enabled = false;
  std::string attribute_name;
};

struct UpdateTimeToLiveResponse {
  bool enabled = false;
  std::string attribute_name;
};

struct DescribeTimeToLiveResponse {
  bool enabled = false;
  std::string attribute_name;
};

struct DescribeLimitsResponse {
  int64_t account_max_read_units = 80000;
  int64_t account_max_write_units = 80000;
  int64_t table_max_read_units = 40000;
  int64_t table_max_write_units = 40000;
};

// Control-plane operations wait for their own commit, so they run on a worker, never on an I/O
// thread. A table name may also be the table's ARN.
Result<TableDescription> CreateTable(engine::Engine& engine, const CreateTableRequest& request);
Result<TableDescription> DescribeTable(engine::Engine& engine, const std::string& table_name);
Result<TableDescription> UpdateTable(engine::Engine& engine, const UpdateTableRequest& request);
Result<TableDescription> DeleteTable(engine::Engine& engine, const std::string& table_name);
Result<ListTablesResponse> ListTables(engine::Engine& engine, const ListTablesRequest& request);
Result<UpdateTimeToLiveResponse> UpdateTimeToLive(engine::Engine& engine,
                                                  const UpdateTimeToLiveRequest& request);
Result<DescribeTimeToLiveResponse> DescribeTimeToLive(engine::Engine& engine,
                                                      const std::string& table_name);
DescribeLimitsResponse DescribeLimits();

// The table that CreateTable makes of a request, without its id. Makes all checks of CreateTable
// and writes nothing.
Result<table::TableDefinition> BuildDefinition(const engine::Engine& engine,
                                               const CreateTableRequest& request);

}  // namespace monotable::operations
