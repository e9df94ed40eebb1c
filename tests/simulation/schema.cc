#include "simulation/schema.h"

namespace monotable::simulation {
namespace {

using Kind = Value::Kind;

constexpr size_t kMaxHashBytes = 2048;
constexpr size_t kMaxRangeBytes = 1024;

bool Fits(const KeyPart& part, size_t max_bytes, const Item& item) {
  const auto found = item.find(part.name);
  if (found == item.end() || found->second.kind != part.kind) return false;
  const size_t bytes = found->second.text.size();
  return part.kind == Kind::kNumber || (bytes > 0 && bytes <= max_bytes);
}

bool Clashes(const KeyPart& part, size_t max_bytes, const Item& item) {
  return item.contains(part.name) && !Fits(part, max_bytes, item);
}

}  // namespace

const IndexSchema* TableSchema::FindIndex(const std::string& index_name) const {
  for (const IndexSchema& index : indexes) {
    if (index.name == index_name) return &index;
  }
  return nullptr;
}

TableSchema Orders() {
  const KeyPart owner{"owner", Kind::kString};
  const KeyPart score{"score", Kind::kNumber};
  const KeyPart status{"status", Kind::kString};
  const KeyPart rank{"rank", Kind::kNumber};
  const KeyPart pk{"pk", Kind::kString};
  const KeyPart sk{"sk", Kind::kNumber};
  TableSchema table{"orders", pk, sk, {}, {}};
  table.indexes = {{"local-status", true, pk, status, Keeps::kAll},
                   {"local-rank", true, pk, rank, Keeps::kKeys},
                   {"by-owner", false, owner, score, Keeps::kAll}};
  table.spare_indexes = {{"by-status", false, status, {}, Keeps::kSome, {"w", "n"}},
                         {"by-score", false, score, {}, Keeps::kKeys},
                         {"inverse", false, sk, pk, Keeps::kAll}};
  return table;
}

TableSchema Blobs() {
  TableSchema table{"blobs", {"k", Kind::kBinary}, KeyPart{"r", Kind::kString}, {}, {}};
  table.spare_indexes = {
      {"by-text", false, {"text", Kind::kString}, {}, Keeps::kKeys},
      {"by-n", false, {"n", Kind::kNumber}, KeyPart{"w", Kind::kString}, Keeps::kAll}};
  return table;
}

TableSchema Accounts() {
  const KeyPart id{"id", Kind::kString};
  TableSchema table{"accounts", id, {}, {}, {}};
  table.indexes = {{"by-kind", false, {"kind", Kind::kString}, id, Keeps::kAll}};
  table.spare_indexes = {{"by-email", false, {"email", Kind::kString}, {}, Keeps::kAll}};
  return table;
}

TableSchema Scratch() {
  TableSchema table{"scratch", {"pk", Kind::kString}, {}, {}, {}};
  table.indexes = {
      {"by-owner", false, {"owner", Kind::kString}, KeyPart{"pk", Kind::kString}, Keeps::kAll}};
  table.spare_indexes = {{"by-n", false, {"n", Kind::kNumber}, {}, Keeps::kKeys}};
  return table;
}

Item KeyOf(const TableSchema& table, const Item& item) {
  Item key;
  key[table.hash.name] = item.at(table.hash.name);
  if (table.range) key[table.range->name] = item.at(table.range->name);
  return key;
}

std::string KeyText(const TableSchema& table, const Item& item) {
  return Describe(KeyOf(table, item));
}

bool IsIndexed(const IndexSchema& index, const Item& item) {
  return Fits(index.hash, kMaxHashBytes, item) &&
         (!index.range || Fits(*index.range, kMaxRangeBytes, item));
}

bool HasIllegalKey(const IndexSchema& index, const Item& item) {
  return Clashes(index.hash, kMaxHashBytes, item) ||
         (index.range && Clashes(*index.range, kMaxRangeBytes, item));
}

Item Kept(const TableSchema& table, const IndexSchema& index, const Item& item) {
  if (index.keeps == Keeps::kAll) return item;
  std::set<std::string> names = {table.hash.name, index.hash.name};
  if (table.range) names.insert(table.range->name);
  if (index.range) names.insert(index.range->name);
  if (index.keeps == Keeps::kSome) names.insert(index.extra.begin(), index.extra.end());
  Item kept;
  for (const auto& [name, value] : item) {
    if (names.contains(name)) kept[name] = value;
  }
  return kept;
}

}  // namespace monotable::simulation
