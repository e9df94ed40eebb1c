#include "model/model.h"

#include <algorithm>

namespace monotable::model {
namespace {

template <typename Named>
const Named* FindByName(const std::vector<Named>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const IndexModel* TableModel::FindIndex(std::string_view index_name) const {
  return FindByName(indexes, index_name);
}

const KeyModel::Part* KeyModel::Find(std::string_view attribute) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.attribute == attribute; });
  return found == parts.end() ? nullptr : &*found;
}

const KeyModel* EntityModel::FindKeys(std::string_view index) const {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const KeyModel& one) { return one.index == index; });
  return found == keys.end() ? nullptr : &*found;
}

const AttributeModel* EntityModel::Find(std::string_view attribute) const {
  return FindByName(attributes, attribute);
}

const TypeModel* EntityModel::FindPath(std::string_view attribute_path) const {
  const size_t dot = attribute_path.find('.');
  const AttributeModel* attribute = Find(attribute_path.substr(0, dot));
  if (attribute == nullptr || dot == std::string_view::npos) {
    return attribute == nullptr ? nullptr : &attribute->type;
  }
  return attribute->type.FindPath(attribute_path.substr(dot + 1));
}

const TableModel* Model::FindTable(std::string_view id) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const TableModel& one) { return one.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

const EntityModel* Model::FindEntity(std::string_view entity_name) const {
  return FindByName(entities, entity_name);
}

const EnumModel* Model::FindEnum(std::string_view enum_name) const {
  return FindByName(enums, enum_name);
}

const CollectionModel* Model::FindCollection(std::string_view collection_name) const {
  return FindByName(collections, collection_name);
}

const PatternModel* Model::FindPattern(std::string_view name_or_id) const {
  const auto found =
      std::find_if(patterns.begin(), patterns.end(), [&](const PatternModel& pattern) {
        return pattern.name == name_or_id || (!pattern.id.empty() && pattern.id == name_or_id);
      });
  return found == patterns.end() ? nullptr : &*found;
}

}  // namespace monotable::model
