#include "entities/write/internal_item.h"

namespace monotable::entities {
namespace {

item::Value KeyText(item::Type type, std::string text) {
  if (type == item::Type::kBinary) return item::Value(item::Binary{std::move(text)});
  // A number cannot spell a name; a table of such keys can have no rules that need these items.
  if (type == item::Type::kNumber) return item::Value(item::Number());
  return item::Value(std::move(text));
}

}  // namespace

item::Item InternalKey(const Entity& of_table, const std::string& name) {
  item::Item key;
  const table::KeySchema& schema = of_table.table->key;
  const table::KeyAttribute& hash = schema.hash.front();
  key.Set(hash.name, KeyText(hash.type, std::string(kInternalPrefix) + name));
  for (const table::KeyAttribute& range : schema.range) {
    key.Set(range.name, KeyText(range.type, std::string(kInternalPrefix)));
  }
  return key;
}

std::optional<item::Item> JobKey(const model::TableModel& table, const std::string& name) {
  constexpr size_t kMaxRangeBytes = 1024;
  if (table.key.range.empty() || name.size() > kMaxRangeBytes) return std::nullopt;
  const table::KeyAttribute& hash = table.key.hash.front();
  const table::KeyAttribute& range = table.key.range.front();
  if (hash.type == item::Type::kNumber || range.type == item::Type::kNumber) return std::nullopt;
  item::Item key;
  key.Set(hash.name, KeyText(hash.type, std::string(kJobsPartition)));
  key.Set(range.name, KeyText(range.type, name));
  return key;
}

bool IsInternal(const model::TableModel& table, const item::Item& key) {
  const item::Value* hash = key.Find(table.key.hash.front().name);
  if (hash == nullptr) return false;
  if (hash->is(item::Type::kString)) return hash->string().starts_with(kInternalPrefix);
  return hash->is(item::Type::kBinary) && hash->binary().starts_with(kInternalPrefix);
}

}  // namespace monotable::entities
