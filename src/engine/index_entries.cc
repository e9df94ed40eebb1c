#include "engine/index_entries.h"

#include <algorithm>

#include "encoding/keyspace.h"
#include "engine/capacity.h"

namespace monotable::engine {
namespace {

using encoding::AttributeLookup;

int64_t Signed(size_t bytes) {
  return static_cast<int64_t>(bytes);
}

// Whether both images have the same values of the index key. The key of the table does not change.
bool HaveSameKey(const table::IndexDefinition& index, const AttributeLookup& a,
                 const AttributeLookup& b) {
  const auto is_same = [&](const table::KeyAttribute& attribute) {
    return a.Find(attribute.name) == b.Find(attribute.name);
  };
  return std::ranges::all_of(index.key.hash, is_same) &&
         std::ranges::all_of(index.key.range, is_same);
}

// Most changes leave the keys of most indexes alone, and then one key is made instead of two.
IndexChange UpdateInPlace(const table::TableDefinition& table, const table::IndexDefinition& index,
                          const AttributeLookup& old_item, const AttributeLookup& new_item,
                          storage::Batch* batch) {
  const ProjectedItem before(table, index, old_item.item());
  const std::optional<IndexEntry> after = IndexEntry::Of(table, index, new_item);
  IndexChange change;
  if (!after || before.bytes() == after->value()) return change;
  batch->Put(after->key(), after->value());
  change.bytes = Signed(after->charged_size()) - Signed(before.charged_size());
  change.write_units = WriteUnits(std::max(before.charged_size(), after->charged_size()));
  return change;
}

}  // namespace

ProjectedItem::ProjectedItem(const table::TableDefinition& table,
                             const table::IndexDefinition& index, encoding::ItemView item) {
  if (index.projection.type == table::ProjectionType::kAll) {
    whole_ = item.record();
  } else {
    projected_ =
        item.Select([&](std::string_view name) { return table::Projects(table, index, name); });
  }
}

std::optional<IndexEntry> IndexEntry::Of(const table::TableDefinition& table,
                                         const table::IndexDefinition& index,
                                         const AttributeLookup& item) {
  std::optional<std::string> key = encoding::IndexKey(table, index, item);
  if (!key) return std::nullopt;
  return IndexEntry(*std::move(key), ProjectedItem(table, index, item.item()));
}

IndexChange UpdateIndex(const table::TableDefinition& table, const table::IndexDefinition& index,
                        const AttributeLookup* old_item, const AttributeLookup* new_item,
                        storage::Batch* batch) {
  if (old_item != nullptr && new_item != nullptr && HaveSameKey(index, *old_item, *new_item)) {
    return UpdateInPlace(table, index, *old_item, *new_item, batch);
  }
  std::optional<IndexEntry> before;
  std::optional<IndexEntry> after;
  if (old_item != nullptr) before = IndexEntry::Of(table, index, *old_item);
  if (new_item != nullptr) after = IndexEntry::Of(table, index, *new_item);

  IndexChange change;
  if (before) {
    change.entries -= 1;
    change.bytes -= Signed(before->charged_size());
    change.write_units += WriteUnits(before->charged_size());
    batch->Delete(before->key());
  }
  if (after) {
    change.entries += 1;
    change.bytes += Signed(after->charged_size());
    change.write_units += WriteUnits(after->charged_size());
    batch->Put(after->key(), after->value());
  }
  return change;
}

}  // namespace monotable::engine
