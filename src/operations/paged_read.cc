#include "operations/paged_read.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "operations/read_capacity.h"

namespace monotable::operations {
namespace {

Error DoesNotMatchSchema() {
  return Error::Validation("The provided key element does not match the schema");
}

std::optional<ConsumedCapacity> Charge(const std::string& table_name, const ReadTarget& target,
                                       const PagedRead& read, const engine::Page& page) {
  if (read.return_consumed_capacity == ReturnConsumedCapacity::kNone) return std::nullopt;
  // The sizes of the entries are added up before they are rounded; an item fetched from the table
  // is rounded for itself, as if GetItem had read it.
  const double units = engine::ReadUnits(page.bytes, read.consistent_read);
  if (target.index == nullptr) {
    return TableReadCapacity(table_name, units, read.return_consumed_capacity);
  }
  double fetch_units = 0;
  for (const size_t size : page.fetched_bytes) {
    fetch_units += engine::ReadUnits(size, read.consistent_read);
  }
  return IndexReadCapacity(table_name, *target.index, units, fetch_units,
                           read.return_consumed_capacity);
}

}  // namespace

uint16_t ReadTarget::index_id() const {
  return index == nullptr ? encoding::kTableItems : index->id;
}

Result<ReadTarget> FindReadTarget(engine::Engine& engine, const std::string& table_name,
                                  const std::optional<std::string>& index_name,
                                  bool consistent_read) {
  ReadTarget target;
  TRY_ASSIGN(target.table, engine.FindTable(table_name));
  if (!index_name) return target;
  target.index = target.table->FindIndex(*index_name);
  if (target.index == nullptr) {
    return Error::Validation(
        fmt::format("The table does not have the specified index: {}", *index_name));
  }
  if (target.index->kind == table::IndexKind::kLocal) return target;
  if (consistent_read) {
    return Error::Validation("Consistent reads are not supported on global secondary indexes");
  }
  if (target.index->status == table::IndexStatus::kCreating) {
    return Error::Validation(
        fmt::format("Cannot read from backfilling global secondary index: {}", *index_name));
  }
  return target;
}

Result<std::string> StoredStartKey(const ReadTarget& target, const item::Item& start_key) {
  const table::TableDefinition& table = *target.table;
  if (target.index == nullptr) {
    TRY(engine::CheckKey(table, start_key));
    return encoding::ItemKey(table, start_key);
  }
  for (const item::Attribute& attribute : start_key) {
    if (!table.key.Has(attribute.name) && !target.index->key.Has(attribute.name)) {
      return DoesNotMatchSchema();
    }
  }
  TRY(engine::CheckKey(table, engine::KeyOf(table, start_key)));
  auto key = encoding::IndexKey(table, *target.index, start_key);
  if (!key) return DoesNotMatchSchema();
  return *std::move(key);
}

Result<PageResponse> Answer(engine::Engine& engine, const std::string& table_name,
                            const ReadTarget& target, const Selection& selection, PagedRead read) {
  const engine::PageRequest request = {
      .table = *target.table,
      .index = target.index,
      .range = std::move(read.range),
      .direction = read.direction,
      .limit = read.limit,
      .filter = selection.filter ? &*selection.filter : nullptr,
      .projection = selection.projection ? &*selection.projection : nullptr,
      .keep_items = !selection.count_only,
      .fetch_from_table = read.needs_table_items,
      .keep_fetched = selection.all_attributes,
  };
  std::unique_ptr<storage::Reader> snapshot;
  if (read.needs_table_items) snapshot = engine.store().Snapshot();
  TRY_ASSIGN(engine::Page page,
             engine::ReadPage(snapshot ? *snapshot : engine.store().Latest(), request));

  PageResponse response;
  response.with_items = !selection.count_only;
  response.count = page.count;
  response.scanned_count = page.scanned_count;
  response.consumed_capacity = Charge(table_name, target, read, page);
  response.items = std::move(page.items);
  response.last_evaluated_key = std::move(page.last_evaluated_key);
  return response;
}

}  // namespace monotable::operations
