#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "model/instant.h"
#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "model/rule/rule_check.h"

namespace monotable::model {
namespace {

// Whether an item names the item of the other entity that it belongs to.
bool RefersTo(const EntityModel& entity, std::string_view other) {
  return entity.parent == other || entity.name == other ||
         std::any_of(entity.attributes.begin(), entity.attributes.end(),
                     [&](const AttributeModel& one) { return one.references == other; });
}

// What the words of a rule mean: attributes, of this entity or of others, and values of enums.
class RuleWords final : public RuleVocabulary {
 public:
  RuleWords(const RuleNames& names, const Model& model) : names_(names), model_(model) {}

  const TypeModel* FindAttribute(std::string_view path) const override {
    if (names_.entity != nullptr) {
      if (const TypeModel* own = names_.entity->FindPath(path)) return own;
    }
    const size_t dot = path.find('.');
    if (path == "each" && names_.each != nullptr) return names_.each->type.element.get();
    if (dot == std::string_view::npos) return nullptr;
    const std::string_view head = path.substr(0, dot);
    const std::string_view tail = path.substr(dot + 1);
    if (names_.operation != nullptr && head == "input") return FindInput(tail);
    if (names_.each != nullptr && head == "each") return FindIn(*names_.each, tail);
    const EntityModel* other = model_.FindEntity(head);
    const TypeModel* type = other == nullptr ? nullptr : other->FindPath(tail);
    if (names_.operation != nullptr) return type;
    const bool seen = names_.others && names_.entity != nullptr && RefersTo(*names_.entity, head);
    return seen ? type : nullptr;
  }

  std::unique_ptr<RuleVocabulary> FindMembers(std::string_view collection_member) const override {
    if (names_.entity == nullptr || !names_.others) return nullptr;
    for (const CollectionModel& collection : model_.collections) {
      if (collection.root != names_.entity->name) continue;
      for (const CollectionModel::Member& member : collection.members) {
        if (member.name != collection_member) continue;
        return std::make_unique<RuleWords>(RuleNames{model_.FindEntity(member.entity)}, model_);
      }
    }
    return nullptr;
  }

  const EnumModel* FindEnum(std::string_view name) const override { return model_.FindEnum(name); }
  bool IsEnumValue(std::string_view word) const override {
    return std::any_of(model_.enums.begin(), model_.enums.end(),
                       [&](const EnumModel& one) { return one.Find(word) != nullptr; });
  }

  std::vector<std::string> Known() const override {
    std::vector<std::string> known;
    if (names_.entity != nullptr) known = NamesOf(names_.entity->attributes);
    if (names_.operation != nullptr) {
      for (const auto& input : names_.operation->inputs) known.push_back("input." + input.name);
    }
    for (const EnumModel& one : model_.enums) {
      for (const EnumModel::Value& value : one.values) known.push_back(value.text);
    }
    return known;
  }

 private:
  // An attribute within an input: input.note, input.address.City, input.sale.SaleDate.
  const TypeModel* FindInput(std::string_view path) const {
    const std::string_view name = path.substr(0, path.find('.'));
    for (const OperationModel::Input& input : names_.operation->inputs) {
      if (input.name != name) continue;
      if (path == name) return &input.type;
      return FindIn(input, path.substr(name.size() + 1));
    }
    return nullptr;
  }

  // An attribute of an item, or of a member of a list, that an input holds.
  const TypeModel* FindIn(const OperationModel::Input& input, std::string_view path) const {
    if (!input.entity.empty()) {
      const EntityModel* entity = model_.FindEntity(input.entity);
      return entity == nullptr ? nullptr : entity->FindPath(path);
    }
    const TypeModel* type = input.type.element ? input.type.element.get() : &input.type;
    if (type->kind == TypeKind::kAny) return type;
    return type->FindPath(path);
  }

  const RuleNames names_;
  const Model& model_;
};

void CheckFormat(const TemplatePart& part, const TypeModel& type, Place place,
                 const std::string& subject, LoadContext* context) {
  if (part.format.empty()) return;
  const bool spelling = IsSpelling(part.format);
  const bool moment = type.kind == TypeKind::kInstant || type.kind == TypeKind::kDate;
  const bool padded = !spelling && type.kind == TypeKind::kInteger;
  if ((spelling && moment) || padded || type.kind == TypeKind::kAny) return;
  context->Error("format_does_not_fit", place, subject,
                 "The format " + Quoted(part.format) + " does not fit the type of " +
                     Quoted(part.attribute) + ".",
                 spelling ? "Such formats are for instants and dates only."
                          : "Only integers can be padded with zeros.");
}

bool CanBeInKey(TypeKind kind) {
  switch (kind) {
    case TypeKind::kObject:
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool ExpectAttribute(const std::string& path, Place place, const std::string& subject,
                     const EntityModel& entity, LoadContext* context) {
  if (entity.FindPath(path) != nullptr) return true;
  context->Error("unknown_attribute", place, subject,
                 Quoted(path) + " is not an attribute of " + entity.name + ".",
                 Suggest(path, NamesOf(entity.attributes)));
  return false;
}

const EntityModel* ExpectEntity(const std::string& name, Place place, const std::string& subject,
                                LoadContext* context) {
  const EntityModel* entity = context->model.FindEntity(name);
  if (entity == nullptr) {
    context->Error("unknown_entity", place, subject, Quoted(name) + " is not an entity.",
                   Suggest(name, NamesOf(context->model.entities)));
  }
  return entity;
}

std::optional<Template> ReadTemplateText(const std::string& text, Place place,
                                         const std::string& subject, const EntityModel& entity,
                                         LoadContext* context) {
  Result<Template> parsed = Template::Parse(text);
  if (!parsed) {
    context->Error("bad_template", place, subject,
                   Quoted(text) + " is not a template: " + parsed.error().message(),
                   "Write literal text with attributes in braces, for example \"SALE#{SaleId}\".");
    return std::nullopt;
  }
  bool fine = true;
  for (const TemplatePart& part : parsed->parts()) {
    if (part.is_literal()) continue;
    if (!ExpectAttribute(part.attribute, place, subject, entity, context)) {
      fine = false;
      continue;
    }
    const TypeModel& type = *entity.FindPath(part.attribute);
    if (!CanBeInKey(type.kind)) {
      context->Error("not_a_key_value", place, subject,
                     Quoted(part.attribute) + " is a list, a set, a map or an object.",
                     "Only single values can be part of a template.");
    }
    CheckFormat(part, type, place, subject, context);
  }
  return fine ? std::optional<Template>(std::move(*parsed)) : std::nullopt;
}

std::optional<Template> ReadTemplate(const Node& node, const std::string& subject,
                                     const EntityModel& entity, LoadContext* context) {
  if (!ExpectText(node, subject, context->findings)) return std::nullopt;
  return ReadTemplateText(node.text, node.place, subject, entity, context);
}

std::optional<Rule> ReadRule(const Node& node, const std::string& subject, const RuleNames& names,
                             const RuleExpectation& expected, LoadContext* context) {
  // The scalars true, 0 and null are rules as well.
  const bool written = node.is_scalar() && !node.text.empty();
  if (!written && !ExpectText(node, subject, context->findings)) return std::nullopt;
  Result<Rule> parsed = Rule::Parse(node.text);
  if (!parsed) {
    context->Error("bad_rule", node.place, subject,
                   Quoted(node.text) + " is not a rule: " + parsed.error().message(),
                   "Write for example \"Status in [DRAFT, SENT] and Total > 0\".");
    return std::nullopt;
  }
  CheckedRule checked = CheckRule(*parsed, RuleWords(names, context->model), expected);
  for (RuleMistake& mistake : checked.mistakes) {
    context->Error(std::move(mistake.id), node.place, subject, std::move(mistake.message),
                   std::move(mistake.fix));
  }
  if (!checked.mistakes.empty()) return std::nullopt;
  return std::move(checked.rule);
}

}  // namespace monotable::model
