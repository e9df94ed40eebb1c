#include "server/table_digest.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "encoding/keyspace.h"
#include "encoding/stored_definition.h"

namespace monotable::server {

TableDigest::TableDigest() : state_(XXH3_createState()) {
  XXH3_128bits_reset(state_);
}

TableDigest::~TableDigest() {
  XXH3_freeState(state_);
}

// With their lengths, so that no two lists of items are the same bytes. The table's id is left out
// of the keys.
void TableDigest::Add(std::string_view key, std::string_view value) {
  key.remove_prefix(encoding::kItemPrefixBytes);
  std::array<char, 8> lengths;
  for (size_t i = 0; i < 4; ++i) {
    lengths[i] = static_cast<char>(key.size() >> (8 * i));
    lengths[4 + i] = static_cast<char>(value.size() >> (8 * i));
  }
  XXH3_128bits_update(state_, lengths.data(), lengths.size());
  XXH3_128bits_update(state_, key.data(), key.size());
  XXH3_128bits_update(state_, value.data(), value.size());
}

std::string TableDigest::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::vector<table::TableDefinition>> TablesOf(const storage::Reader& reader) {
  const auto cursor = reader.Scan(encoding::CatalogRange(), storage::Direction::kForward);
  std::vector<table::TableDefinition> tables;
  for (; cursor->Valid(); cursor->Next()) {
    TRY_ASSIGN(table::TableDefinition table, encoding::DecodeDefinition(cursor->value()));
    if (table.status != table::TableStatus::kCreating) tables.push_back(std::move(table));
  }
  TRY(cursor->status());
  return tables;
}

Result<std::string> DigestOf(const storage::Reader& reader, const table::TableDefinition& table,
                             const std::stop_token& stop) {
  const auto cursor = reader.Scan(encoding::ItemsRange(table.id, encoding::kTableItems),
                                  storage::Direction::kForward);
  TableDigest digest;
  for (; cursor->Valid(); cursor->Next()) {
    if (stop.stop_requested()) return Error(ErrorCode::kUnavailable, "The server is stopping.");
    digest.Add(cursor->key(), cursor->value());
  }
  TRY(cursor->status());
  return digest.Hex();
}

}  // namespace monotable::server
