#include "engine/damage.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encoding/keyspace.h"
#include "encoding/stored_definition.h"

namespace monotable::engine {
namespace {

constexpr size_t kShownKeyBytes = 24;

bool Overlap(const storage::Range& a, const storage::Range& b) {
  return (a.end.empty() || b.begin < a.end) && (b.end.empty() || a.begin < b.end);
}

std::string KeyInHexadecimal(std::string_view key) {
  std::string text;
  for (const char byte : key.substr(0, kShownKeyBytes)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return key.size() > kShownKeyBytes ? text + "..." : text;
}

void DescribeTable(const table::TableDefinition& table, const storage::Range& keys,
                   std::vector<std::string>* parts) {
  const auto add = [&](std::string_view what, const storage::Range& range) {
    if (Overlap(keys, range)) parts->push_back(fmt::format("{} of the table {}", what, table.name));
  };
  add("items", encoding::ItemsRange(table.id, encoding::kTableItems));
  for (const table::IndexDefinition& index : table.indexes) {
    if (Overlap(keys, encoding::ItemsRange(table.id, index.id))) {
      parts->push_back(
          fmt::format("entries of the index {} of the table {}", index.name, table.name));
    }
  }
  add("changes", encoding::ChangesRange(table.id));
  add("counters", encoding::CountersRange(table.id));
  add("expiries", encoding::ExpiriesRange(table.id));
}

}  // namespace

std::vector<std::string> WhatIsIn(const storage::Range& keys, const storage::Reader& reader) {
  std::vector<std::string> parts;
  if (Overlap(keys, encoding::CatalogRange())) parts.emplace_back("the catalog of tables");
  const auto cursor = reader.Scan(encoding::CatalogRange(), storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const auto table = encoding::DecodeDefinition(cursor->value());
    if (table) DescribeTable(*table, keys, &parts);
  }
  if (!cursor->status()) parts.emplace_back("tables that the damaged catalog does not name");
  if (parts.empty()) parts.emplace_back("records of the server");
  return parts;
}

std::string DescribeKeys(const storage::Range& keys) {
  return fmt::format("from {} to {}",
                     keys.begin.empty() ? "the first" : KeyInHexadecimal(keys.begin),
                     keys.end.empty() ? "the last" : KeyInHexadecimal(keys.end));
}

std::string DescribeDamage(const storage::Damage& damage, const storage::Reader& reader) {
  const std::string place =
      damage.bytes == 0 ? fmt::format("The file {} cannot be read", damage.file)
                        : fmt::format("{} bytes at position {} of the file {} cannot be read",
                                      damage.bytes, damage.offset, damage.file);
  return fmt::format("{}: {} (keys {})", place, fmt::join(WhatIsIn(damage.keys, reader), ", "),
                     DescribeKeys(damage.keys));
}

}  // namespace monotable::engine
