#include "table/definition.h"

#include <algorithm>

namespace monotable::table {
namespace {

const KeyAttribute* FindIn(const std::vector<KeyAttribute>& attributes, std::string_view name) {
  for (const KeyAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

}  // namespace

const KeyAttribute* KeySchema::Find(std::string_view name) const {
  if (const KeyAttribute* found = FindIn(hash, name)) return found;
  return FindIn(range, name);
}

bool KeySchema::Has(std::string_view name) const {
  return Find(name) != nullptr;
}

const IndexDefinition* TableDefinition::FindIndex(std::string_view index_name) const {
  for (const IndexDefinition& index : indexes) {
    if (index.name == index_name) return &index;
  }
  return nullptr;
}

bool TableDefinition::HasLocalIndex() const {
  return std::any_of(indexes.begin(), indexes.end(),
                     [](const IndexDefinition& index) { return index.kind == IndexKind::kLocal; });
}

const KeyAttribute* TableDefinition::FindAttribute(std::string_view attribute_name) const {
  return FindIn(attributes, attribute_name);
}

bool Projects(const TableDefinition& table, const IndexDefinition& index, std::string_view name) {
  if (index.projection.type == ProjectionType::kAll) return true;
  if (table.key.Has(name) || index.key.Has(name)) return true;
  const auto& included = index.projection.non_key_attributes;
  return std::find(included.begin(), included.end(), name) != included.end();
}

}  // namespace monotable::table
