#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/value.h"

// The tables of the simulation.
namespace monotable::simulation {

struct KeyPart {
  std::string name;
  Value::Kind kind = Value::Kind::kString;
};

enum class Keeps { kAll, kKeys, kSome };

struct IndexSchema {
  std::string name;
  bool local = false;
  KeyPart hash;
  std::optional<KeyPart> range;
  Keeps keeps = Keeps::kAll;
  std::set<std::string> extra = {};  // kept besides the keys, with kSome
};

struct TableSchema {
  std::string name;
  KeyPart hash;
  std::optional<KeyPart> range;
  std::vector<IndexSchema> indexes;
  std::vector<IndexSchema> spare_indexes;  // global ones that come and go

  const IndexSchema* FindIndex(const std::string& index_name) const;
};

// Several shapes of key; one of the tables, scratch, is dropped and made again now and then.
TableSchema Orders();
TableSchema Blobs();
TableSchema Accounts();
TableSchema Scratch();

// Only the key attributes, and a text that identifies a key.
Item KeyOf(const TableSchema& table, const Item& item);
std::string KeyText(const TableSchema& table, const Item& item);

// Whether the item has the attributes that it needs for an entry in the index.
bool IsIndexed(const IndexSchema& index, const Item& item);
// Whether an attribute of the index key is there with a value that no index key can have.
bool HasIllegalKey(const IndexSchema& index, const Item& item);
// The item as the index keeps it.
Item Kept(const TableSchema& table, const IndexSchema& index, const Item& item);

}  // namespace monotable::simulation
