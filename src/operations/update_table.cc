#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "operations/table_errors.h"
#include "operations/table_schema.h"
#include "operations/table_settings.h"
#include "operations/tables.h"
#include "operations/update_table_request.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using table::IndexDefinition;
using table::IndexStatus;
using table::KeyAttribute;
using table::TableDefinition;

std::shared_ptr<TableDefinition> DuringChange(const TableDefinition& before,
                                              const TableDefinition& after) {
  auto shown = std::make_shared<TableDefinition>(after);
  const bool switches = before.billing_mode != after.billing_mode;
  if (!switches) shown->throughput = before.throughput;
  if (switches && after.billing_mode == BillingMode::kPayPerRequest) {
    shown->pay_per_request_since_ms.reset();
  }
  shown->warm_throughput = before.warm_throughput;
  shown->sse = before.sse;
  shown->table_class = before.table_class;
  shown->table_class_changed_at_ms = before.table_class_changed_at_ms;
  shown->attributes = before.attributes;
  for (const KeyAttribute& attribute : after.attributes) {
    if (before.FindAttribute(attribute.name) == nullptr) shown->attributes.push_back(attribute);
  }
  for (const IndexDefinition& index : before.indexes) {
    const auto same =
        std::find_if(shown->indexes.begin(), shown->indexes.end(),
                     [&index](const IndexDefinition& other) { return other.id == index.id; });
    if (same == shown->indexes.end()) {
      shown->indexes.push_back(index);
      shown->indexes.back().status = IndexStatus::kDeleting;
      continue;
    }
    if (same->throughput != index.throughput ||
        same->on_demand_throughput != index.on_demand_throughput) {
      same->status = IndexStatus::kUpdating;
    }
    if (!switches) same->throughput = index.throughput;
    same->warm_throughput = index.warm_throughput;
  }
  return shown;
}

// Limits that are taken away are shown as -1 once.
void ShowRemovedLimits(const std::optional<table::OnDemandThroughput>& requested,
                       TableDefinition* shown) {
  if (!HasLimits(requested)) return;
  auto limits = shown->on_demand_throughput.value_or(table::OnDemandThroughput());
  if (requested->max_read_units == -1) limits.max_read_units = -1;
  if (requested->max_write_units == -1) limits.max_write_units = -1;
  shown->on_demand_throughput = limits;
}

// The service makes some changes while the table stays ACTIVE.
bool ShowsUpdating(const RequestedChanges& changes, const TableDefinition& after) {
  return changes.throughput || changes.billing || changes.stream || changes.table_class ||
         changes.index_created || changes.index_deleted || IsFillingIndex(after);
}

// What UpdateTable answers. The service answers while the change is under way: most settings are
// still as they were, and an index that is being deleted is still there.
TableDescription DescribeDuring(engine::Engine& engine, const UpdateTableRequest& request,
                                const TableDefinition& before, const TableDefinition& after) {
  const RequestedChanges changes(request);
  auto shown = DuringChange(before, after);
  ShowRemovedLimits(request.on_demand_throughput, shown.get());
  TableDescription description =
      Describe(engine, std::move(shown), ShowsUpdating(changes, after) ? "UPDATING" : "ACTIVE");
  description.sse_updating = changes.sse;
  description.figures.warming = changes.warm;
  for (auto& [index, figures] : description.index_figures) {
    if (figures.backfilling) figures.backfilling = false;
  }
  return description;
}

constexpr int64_t kDayMs = 24 * 3'600'000;

Error OneIndexAtATime() {
  return Error(ErrorCode::kLimitExceeded,
               "Subscriber limit exceeded: Only 1 online index can be created or deleted "
               "simultaneously per table");
}

// The requested throughput of the table, or with a name of an index, equals the current one.
Error ThroughputStays(const table::Throughput& units, const std::string& index_name) {
  const std::string of = index_name.empty() ? "table" : "index " + index_name;
  return Error::Validation(fmt::format(
      "The provisioned throughput for the {0} will not change. The requested value equals the "
      "current value. Current ReadCapacityUnits provisioned for {1}: {2}. Requested "
      "ReadCapacityUnits: {2}. Current WriteCapacityUnits provisioned for {1}: {3}. Requested "
      "WriteCapacityUnits: {3}. Refer to the Amazon DynamoDB Developer Guide for current limits "
      "and how to request higher limits.",
      of, index_name.empty() ? "the table" : of, units.read_units, units.write_units));
}

// One UpdateTable applied to the current definition. Made afresh for every decision.
class TableChange {
 public:
  TableChange(const engine::Engine& engine, const UpdateTableRequest& request,
              const TableDefinition& current, int64_t now_ms)
      : engine_(engine),
        request_(request),
        changes_(request),
        current_(current),
        next_(current),
        now_ms_(now_ms) {}

  Result<TableDefinition> Apply() {
    TRY(CheckOneIndexAtATime());
    next_.billing_mode = request_.billing_mode.value_or(current_.billing_mode);
    switches_to_provisioned_ = next_.billing_mode == BillingMode::kProvisioned &&
                               current_.billing_mode == BillingMode::kPayPerRequest;
    TRY(ChangeThroughput());
    TRY(ChangeIndexes());
    TRY(ChangeBillingOfIndexes());
    KeepWarm();
    TRY(ChangeLimits());
    TRY(ChangeStream());
    TRY(ChangeSse());
    ChangeTableClass();
    next_.deletion_protection = request_.deletion_protection.value_or(next_.deletion_protection);
    return std::move(next_);
  }

 private:
  std::span<const GlobalIndexUpdate> index_updates() const {
    if (!request_.global_index_updates) return {};
    return *request_.global_index_updates;
  }

  // While an index is being filled the service takes no other new index, and little else that is
  // not about another index.
  Status CheckOneIndexAtATime() const {
    ptrdiff_t creates_and_deletes = 0;
    for (const GlobalIndexUpdate& update : index_updates()) {
      if (!update.update) ++creates_and_deletes;
    }
    if (creates_and_deletes > 1) return OneIndexAtATime();
    if (!IsFillingIndex(current_)) return {};
    if (creates_and_deletes == 0) {
      const bool possible = changes_.deletion_protection || changes_.sse || changes_.indexes;
      if (possible && changes_.count() == 1) return {};
      return TableBeingUpdated(current_.name);
    }
    for (const GlobalIndexUpdate& update : index_updates()) {
      if (update.update) continue;
      const IndexDefinition* index = update.remove ? current_.FindIndex(*update.remove) : nullptr;
      if (index == nullptr || index->status != IndexStatus::kCreating) return OneIndexAtATime();
    }
    return {};
  }

  Status ChangeThroughput() {
    if (next_.billing_mode == BillingMode::kPayPerRequest || request_.throughput ||
        switches_to_provisioned_) {
      TRY(CheckTableThroughput(request_.throughput, next_.billing_mode));
    }
    if (next_.billing_mode == BillingMode::kPayPerRequest) {
      if (current_.billing_mode == BillingMode::kPayPerRequest) return {};
      next_.pay_per_request_since_ms = now_ms_;
      next_.throughput = {};
      return {};
    }
    if (!request_.throughput) return {};
    const table::Throughput& before = current_.throughput;
    const table::Throughput& after = *request_.throughput;
    if (!switches_to_provisioned_) {
      if (before == after) return ThroughputStays(after, "");
      RecordChange(before, after);
    }
    next_.throughput = after;
    return {};
  }

  void RecordChange(const table::Throughput& before, const table::Throughput& after) {
    if (after.read_units > before.read_units || after.write_units > before.write_units) {
      next_.throughput_increased_at_ms = now_ms_;
    }
    if (after.read_units < before.read_units || after.write_units < before.write_units) {
      const bool same_day = current_.throughput_decreased_at_ms / kDayMs == now_ms_ / kDayMs;
      next_.decreases_today = same_day ? current_.decreases_today + 1 : 1;
      next_.throughput_decreased_at_ms = now_ms_;
    }
  }

  Status ChangeIndexes() {
    for (const GlobalIndexUpdate& update : index_updates()) {
      if (update.create) {
        TRY(CreateIndex(*update.create));
      } else if (update.update) {
        TRY(UpdateIndex(*update.update));
      } else {
        TRY(DeleteIndex(*update.remove));
      }
    }
    return {};
  }

  Status CreateIndex(const IndexParameter& parameter) {
    if (next_.FindIndex(parameter.index_name) != nullptr) {
      return Error::Validation("Attempting to create an index which already exists");
    }
    std::span<const KeyAttribute> definitions;
    if (request_.attribute_definitions) definitions = *request_.attribute_definitions;
    TRY_ASSIGN(IndexDefinition index,
               BuildAddedIndex(current_, parameter, definitions, next_.billing_mode));
    // Ids are not used again, so that entries of a dropped index can never be taken for another's.
    if (next_.next_index_id == std::numeric_limits<uint16_t>::max()) {
      return Error(ErrorCode::kLimitExceeded,
                   "Subscriber limit exceeded: The table has had 65534 indexes in its life and can "
                   "have no more");
    }
    index.id = next_.next_index_id++;
    index.status = IndexStatus::kCreating;
    for (const auto* part : {&index.key.hash, &index.key.range}) {
      for (const KeyAttribute& attribute : *part) {
        if (next_.FindAttribute(attribute.name) == nullptr) next_.attributes.push_back(attribute);
      }
    }
    next_.indexes.push_back(std::move(index));
    const auto global = std::count_if(
        next_.indexes.begin(), next_.indexes.end(),
        [](const IndexDefinition& other) { return other.kind == table::IndexKind::kGlobal; });
    if (static_cast<size_t>(global) > kMaxGlobalIndexes) {
      return Error(ErrorCode::kLimitExceeded,
                   fmt::format("Subscriber limit exceeded: Number of global secondary indexes "
                               "exceeds per-table limit of {}",
                               kMaxGlobalIndexes));
    }
    return CheckProjectedAttributes(next_.indexes);
  }

  Result<IndexDefinition*> FindGlobal(const std::string& name, std::string_view action) {
    for (IndexDefinition& index : next_.indexes) {
      if (index.name != name) continue;
      if (index.kind == table::IndexKind::kGlobal) return &index;
      return Error::Validation(
          fmt::format("Cannot {} an index that is not a GlobalSecondaryIndex: {}", action, name));
    }
    return Error(
        ErrorCode::kResourceNotFound,
        fmt::format("Requested resource not found: Index {} for table {}", name, current_.name));
  }

  Status UpdateIndex(const IndexParameter& parameter) {
    TRY_ASSIGN(IndexDefinition* const index, FindGlobal(parameter.index_name, "update"));
    TRY(ChangeIndexThroughput(parameter, index));
    TRY(CheckOnDemand(parameter.on_demand_throughput, next_.billing_mode, index->name,
                      Occasion::kUpdateTable));
    Merge(parameter.on_demand_throughput, &index->on_demand_throughput);
    if (!parameter.warm_throughput) return {};
    return GrowWarm(*parameter.warm_throughput,
                    WarmOf(next_.billing_mode, index->throughput, index->warm_throughput),
                    index->name, &index->warm_throughput);
  }

  Status ChangeIndexThroughput(const IndexParameter& parameter, IndexDefinition* index) const {
    const bool other = HasLimits(parameter.on_demand_throughput) || parameter.warm_throughput;
    if (next_.billing_mode == BillingMode::kPayPerRequest) {
      if (other && !parameter.throughput) return {};
      return InvalidParameter(
          fmt::format("The only Updates for index: {} when TableThroughputMode is PAY_PER_REQUEST "
                      "can be to OnDemandThroughput, WarmThroughput",
                      index->name));
    }
    if (other && !parameter.throughput) return {};
    TRY_ASSIGN(const table::Throughput after,
               CheckIndexThroughput(parameter, next_.billing_mode, Occasion::kUpdateTable));
    if (!switches_to_provisioned_ && index->throughput == after) {
      return ThroughputStays(after, index->name);
    }
    index->throughput = after;
    return {};
  }

  // Attributes that no key uses any more go with the index.
  Status DeleteIndex(const std::string& name) {
    TRY(FindGlobal(name, "delete"));
    std::erase_if(next_.indexes,
                  [&name](const IndexDefinition& index) { return index.name == name; });
    std::erase_if(next_.attributes, [this](const KeyAttribute& attribute) {
      return !next_.key.Has(attribute.name) &&
             std::none_of(next_.indexes.begin(), next_.indexes.end(),
                          [&attribute](const IndexDefinition& index) {
                            return index.key.Has(attribute.name);
                          });
    });
    return {};
  }

  // A table that becomes provisioned needs throughput for every index; on-demand needs none.
  Status ChangeBillingOfIndexes() {
    std::vector<std::string_view> without;
    for (IndexDefinition& index : next_.indexes) {
      if (index.kind != table::IndexKind::kGlobal) continue;
      if (next_.billing_mode == BillingMode::kPayPerRequest) {
        index.throughput = {};
      } else {
        index.on_demand_throughput.reset();
        if (index.throughput == table::Throughput()) without.push_back(index.name);
      }
    }
    if (without.empty()) return {};
    return InvalidParameter(fmt::format("ProvisionedThroughput must be specified for index: {}",
                                        fmt::join(without, ",")));
  }

  Status ChangeLimits() {
    TRY(CheckOnDemand(request_.on_demand_throughput, next_.billing_mode, "",
                      Occasion::kUpdateTable));
    Merge(request_.on_demand_throughput, &next_.on_demand_throughput);
    if (next_.billing_mode == BillingMode::kProvisioned) next_.on_demand_throughput.reset();
    if (!changes_.warm) return {};
    return GrowWarm(*request_.warm_throughput,
                    WarmOf(next_.billing_mode, next_.throughput, next_.warm_throughput), "",
                    &next_.warm_throughput);
  }

  // What a table or index could take at once it can take for ever, whatever its billing becomes.
  void KeepWarm() {
    Keep(WarmOf(current_.billing_mode, current_.throughput, current_.warm_throughput),
         next_.throughput, &next_.warm_throughput);
    for (IndexDefinition& index : next_.indexes) {
      const IndexDefinition* before = current_.FindIndex(index.name);
      if (before == nullptr || index.kind != table::IndexKind::kGlobal) continue;
      Keep(WarmOf(current_.billing_mode, before->throughput, before->warm_throughput),
           index.throughput, &index.warm_throughput);
    }
  }

  void Keep(const table::Throughput& before, const table::Throughput& throughput,
            std::optional<table::WarmThroughput>* warm) const {
    const table::Throughput after = WarmOf(next_.billing_mode, throughput, *warm);
    if (after.read_units >= before.read_units && after.write_units >= before.write_units) return;
    *warm = {std::max(after.read_units, before.read_units),
             std::max(after.write_units, before.write_units)};
  }

  static void Merge(const std::optional<table::OnDemandThroughput>& change,
                    std::optional<table::OnDemandThroughput>* limits) {
    if (!change) return;
    table::OnDemandThroughput merged = limits->value_or(table::OnDemandThroughput());
    const auto merge = [](const std::optional<int64_t>& wanted, std::optional<int64_t>* limit) {
      if (wanted) *limit = *wanted == -1 ? std::nullopt : wanted;
    };
    merge(change->max_read_units, &merged.max_read_units);
    merge(change->max_write_units, &merged.max_write_units);
    *limits = merged;
    if (!HasLimits(*limits)) limits->reset();
  }

  Status ChangeStream() {
    if (!request_.stream) return {};
    if (!request_.stream->enabled) {
      if (!current_.stream.enabled) {
        return Error::Validation("Table has no stream to disable: TableName: " + current_.name);
      }
      next_.stream = {};
      return {};
    }
    if (current_.stream.enabled) {
      return Error::Validation("Table already has an enabled stream: TableName: " + current_.name);
    }
    StartStream(now_ms_, *request_.stream->view_type, &next_);
    return {};
  }

  Status ChangeSse() {
    if (!request_.sse) return {};
    TRY_ASSIGN(next_.sse, BuildSse(engine_, *request_.sse));
    if (!next_.sse.enabled && !current_.sse.enabled) {
      return InvalidParameter("Table is already encrypted by default");
    }
    if (current_.sse.enabled && request_.sse->kms_master_key_id == current_.sse.kms_key_arn) {
      return InvalidParameter(
          "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if "
          "you want to change Master Key");
    }
    return {};
  }

  // The class that a table has can be asked for again, but that changes nothing.
  void ChangeTableClass() {
    if (!request_.table_class) return;
    const auto current = current_.table_class.value_or(table::TableClass::kStandard);
    if (*request_.table_class == current) return;
    next_.table_class = request_.table_class;
    next_.table_class_changed_at_ms = now_ms_;
  }

  const engine::Engine& engine_;
  const UpdateTableRequest& request_;
  const RequestedChanges changes_;
  const TableDefinition& current_;
  TableDefinition next_;
  const int64_t now_ms_;
  bool switches_to_provisioned_ = false;
};

}  // namespace

Result<TableDescription> UpdateTable(engine::Engine& engine, const UpdateTableRequest& request) {
  TRY(CheckUpdateTableRequest(request));
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  const int64_t now_ms = engine.clock().NowMs();
  TableDefinition before;
  const auto decide = [&](const TableDefinition* current, uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return TableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return TableBeingCreated(name);
    before = *current;
    TRY_ASSIGN(TableDefinition next, TableChange(engine, request, *current, now_ms).Apply());
    return std::optional(std::move(next));
  };
  TRY_ASSIGN(const engine::TablePtr after, engine.catalog().Change(name, decide));
  engine.housekeeping().Wake();

  return DescribeDuring(engine, request, before, *after);
}

}  // namespace monotable::operations
