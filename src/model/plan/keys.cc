#include "model/plan/keys.h"

#include <algorithm>

namespace monotable::model {
namespace {

KeyNames NamesOf(const table::KeySchema& schema) {
  KeyNames names;
  if (!schema.hash.empty()) names.hash = schema.hash.front().name;
  if (!schema.range.empty()) names.range = schema.range.front().name;
  return names;
}

// The template of one key attribute: declared for the index, or part of the table's own key, or
// an attribute of the entity as it is.
std::optional<Template> TextOf(const EntityModel& entity, const KeyModel* declared,
                               std::string_view attribute) {
  if (declared != nullptr) {
    if (const KeyModel::Part* part = declared->Find(attribute)) return part->text;
  }
  if (const KeyModel::Part* part = entity.primary().Find(attribute)) return part->text;
  if (FindAttribute(entity, attribute) == nullptr) return std::nullopt;
  Result<Template> whole = Template::Parse("{" + std::string(attribute) + "}");
  if (!whole) return std::nullopt;
  return *std::move(whole);
}

std::string_view FirstStep(std::string_view path) {
  return path.substr(0, path.find('.'));
}

}  // namespace

std::optional<KeyNames> KeyNamesOf(const TableModel& table, std::string_view index) {
  if (index.empty()) return NamesOf(table.key);
  const IndexModel* found = table.FindIndex(index);
  if (found == nullptr) return std::nullopt;
  KeyNames names = NamesOf(found->key);
  // A local index has the table's hash attribute, whether or not its key repeats it.
  if (found->kind == table::IndexKind::kLocal) names.hash = NamesOf(table.key).hash;
  return names;
}

std::optional<KeyTexts> KeyTextsOf(const TableModel& table, const EntityModel& entity,
                                   std::string_view index) {
  const std::optional<KeyNames> names = KeyNamesOf(table, index);
  if (!names || entity.keys.empty()) return std::nullopt;
  KeyTexts texts;
  if (!index.empty()) texts.declared = entity.FindKeys(index);
  std::optional<Template> hash = TextOf(entity, texts.declared, names->hash);
  if (!hash) return std::nullopt;
  texts.hash = *std::move(hash);
  if (names->range.empty()) return texts;
  texts.range = TextOf(entity, texts.declared, names->range);
  if (!texts.range) return std::nullopt;
  return texts;
}

const AttributeModel* FindAttribute(const EntityModel& entity, std::string_view path) {
  const std::vector<AttributeModel>* level = &entity.attributes;
  while (true) {
    const std::string_view step = FirstStep(path);
    const auto found = std::ranges::find(*level, step, &AttributeModel::name);
    if (found == level->end()) return nullptr;
    if (step.size() == path.size()) return &*found;
    path.remove_prefix(step.size() + 1);
    level = &found->type.attributes;
  }
}

bool AlwaysPresent(const Model& model, const EntityModel& entity, std::string_view path) {
  if (Contains(entity.from_key, path)) return true;
  if (model.tenancy && model.tenancy->attribute == path) return true;  // from the caller's claim
  if (entity.id && entity.id->attribute == path &&
      entity.id->generate != IdModel::Generate::kNone) {
    return true;
  }
  const AttributeModel* attribute = FindAttribute(entity, path);
  if (attribute == nullptr) return false;
  if (attribute->type.kind == TypeKind::kEnum) {
    const EnumModel* type = model.FindEnum(attribute->type.enum_name);
    if (type != nullptr && !type->initial.empty()) return true;
  }
  return attribute->required || attribute->set != SetBy::kClient || attribute->default_value ||
         attribute->derive;
}

std::string StoredPath(const EntityModel& entity, std::string_view path) {
  if (entity.envelope.empty() || Contains(entity.outside_envelope, FirstStep(path))) {
    return std::string(path);
  }
  return entity.envelope + "." + std::string(path);
}

std::string FirstMissing(const TableModel& table, const EntityModel& entity,
                         std::string_view index) {
  const IndexModel* found = index.empty() ? nullptr : table.FindIndex(index);
  if (found == nullptr || found->projection.type == table::ProjectionType::kAll) return "";
  for (const AttributeModel& attribute : entity.attributes) {
    if (Contains(entity.from_key, attribute.name)) continue;
    const std::string stored(FirstStep(StoredPath(entity, attribute.name)));
    const bool held = table.key.Has(stored) || found->key.Has(stored) ||
                      Contains(found->projection.non_key_attributes, stored);
    if (!held) return attribute.name;
  }
  return "";
}

}  // namespace monotable::model
