#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "error/result.h"
#include "operations/tables.h"
#include "table/definition.h"

// Checks of the settings of a table apart from its schema, shared by CreateTable, UpdateTable and
// TagResource.
namespace monotable::operations {

inline constexpr int64_t kMaxCapacityUnits = 1'000'000'000'000;
inline constexpr size_t kMaxTags = 50;

// The service words some refusals differently when a table is created and when it is changed.
enum class Occasion { kCreateTable, kUpdateTable };

// Checks that the units of the table, or with a name of an index, are within the limits of the
// service.
Status CheckBounds(const table::Throughput& throughput, std::string_view index_name);
// Whether throughput was given where the billing mode asks for it, and only there.
Status CheckTableThroughput(const std::optional<table::Throughput>& throughput,
                            table::BillingMode billing_mode);
// The same check for a new global index. Returns its throughput, which is zero with on-demand
// billing.
Result<table::Throughput> CheckIndexThroughput(const IndexParameter& index,
                                               table::BillingMode billing_mode, Occasion occasion);
// Limits for on-demand billing, of an index or (empty name) of the table.
Status CheckOnDemand(const std::optional<table::OnDemandThroughput>& limits,
                     table::BillingMode billing_mode, std::string_view index_name,
                     Occasion occasion);

// Warm throughput that a table or index is created with: at least what its billing gives.
Status CheckWarm(const std::optional<table::WarmThroughput>& warm, table::BillingMode billing_mode,
                 const table::Throughput& throughput, std::string_view index_name);
// Sets warm throughput of an index or (empty name) of the table, which only grows.
Status GrowWarm(const table::WarmThroughput& wanted, const table::Throughput& current,
                std::string_view index_name, std::optional<table::WarmThroughput>* warm);

// A random UUID (version 4), which tells a table from an earlier one of the same name.
std::string NewUuid();

// What encryption settings say, with the ARN of the key.
Result<table::SseSettings> BuildSse(const engine::Engine& engine, const SseParameter& parameter);

// Begins a stream. Its label is the time at which it begins, in the format of the service.
void StartStream(int64_t now_ms, table::StreamViewType view_type,
                 table::TableDefinition* definition);

// A structure in which nothing is set counts as absent.
bool HasLimits(const std::optional<table::OnDemandThroughput>& limits);
bool HasUnits(const std::optional<table::WarmThroughput>& warm);

Status CheckTagKey(const std::string& key);
Status CheckTags(const std::vector<table::Tag>& tags);

}  // namespace monotable::operations
