#include "engine/index_entries.h"

#include <algorithm>

#include "encoding/keyspace.h"
#include "engine/capacity.h"

namespace monotable::engine {
namespace {

encoding::EncodedItem Project(const table::TableDefinition& table,
                              const table::IndexDefinition& index, encoding::ItemView item) {
  item::Item projected;
  encoding::MapView attributes = item.attributes();
  std::string_view name;
  encoding::ValueView value(item::Type::kNull, {});
  while (attributes.Next(&name, &value)) {
    if (!table::Projects(table, index, name)) continue;
    if (auto decoded = value.Decode()) projected.Set(name, std::move(*decoded));
  }
  return encoding::EncodeItem(projected);
}

int64_t Signed(size_t bytes) {
  return static_cast<int64_t>(bytes);
}

}  // namespace

std::optional<IndexEntry> IndexEntry::Of(const table::TableDefinition& table,
                                         const table::IndexDefinition& index,
                                         encoding::ItemView item) {
  auto key = encoding::IndexKey(table, index, item);
  if (!key) return std::nullopt;
  IndexEntry entry;
  entry.key_ = std::move(*key);
  if (index.projection.type == table::ProjectionType::kAll) {
    entry.whole_ = item.record();
  } else {
    entry.projected_ = Project(table, index, item);
  }
  return entry;
}

IndexChange UpdateIndex(const table::TableDefinition& table, const table::IndexDefinition& index,
                        std::optional<encoding::ItemView> old_item,
                        std::optional<encoding::ItemView> new_item, storage::Batch* batch) {
  std::optional<IndexEntry> before;
  std::optional<IndexEntry> after;
  if (old_item) before = IndexEntry::Of(table, index, *old_item);
  if (new_item) after = IndexEntry::Of(table, index, *new_item);

  IndexChange change;
  const bool in_place = before && after && before->key() == after->key();
  if (in_place && before->value() == after->value()) return change;
  if (before) {
    change.entries -= 1;
    change.bytes -= Signed(before->charged_size());
    if (!in_place) {
      batch->Delete(before->key());
      change.write_units += WriteUnits(before->charged_size());
    }
  }
  if (after) {
    change.entries += 1;
    change.bytes += Signed(after->charged_size());
    batch->Put(after->key(), after->value());
    const size_t charged =
        in_place ? std::max(before->charged_size(), after->charged_size()) : after->charged_size();
    change.write_units += WriteUnits(charged);
  }
  return change;
}

}  // namespace monotable::engine
