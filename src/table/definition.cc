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

std::string_view ProjectionName(ProjectionType type) {
  switch (type) {
    case ProjectionType::kKeysOnly:
      return "KEYS_ONLY";
    case ProjectionType::kInclude:
      return "INCLUDE";
    case ProjectionType::kAll:
      break;
  }
  return "ALL";
}

std::string_view StreamViewName(StreamViewType type) {
  switch (type) {
    case StreamViewType::kKeysOnly:
      return "KEYS_ONLY";
    case StreamViewType::kNewImage:
      return "NEW_IMAGE";
    case StreamViewType::kOldImage:
      return "OLD_IMAGE";
    case StreamViewType::kNewAndOldImages:
      break;
  }
  return "NEW_AND_OLD_IMAGES";
}

std::string_view BillingModeName(BillingMode mode) {
  return mode == BillingMode::kPayPerRequest ? "PAY_PER_REQUEST" : "PROVISIONED";
}

}  // namespace monotable::table
