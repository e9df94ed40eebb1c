#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/instant.h"
#include "model/load/load_context.h"
#include "model/load/node_reader.h"

namespace monotable::model {
namespace {

bool IsEnumValue(const Model& model, std::string_view word) {
  return std::any_of(model.enums.begin(), model.enums.end(),
                     [&](const EnumModel& one) { return one.Find(word) != nullptr; });
}

// Whether an item names the item of the other entity that it belongs to.
bool RefersTo(const EntityModel& entity, std::string_view other) {
  return entity.parent == other || entity.name == other ||
         std::any_of(entity.attributes.begin(), entity.attributes.end(),
                     [&](const AttributeModel& one) { return one.references == other; });
}

bool HasInput(const OperationModel& operation, std::string_view name) {
  return std::any_of(operation.inputs.begin(), operation.inputs.end(),
                     [&](const OperationModel::Input& input) { return input.name == name; });
}

// Looks up the words of one rule.
class WordFinder {
 public:
  WordFinder(const RuleNames& names, const Model& model) : names_(names), model_(model) {}

  bool IsAttribute(std::string_view path) const {
    if (names_.entity != nullptr && names_.entity->FindPath(path) != nullptr) return true;
    const size_t dot = path.find('.');
    if (dot == std::string_view::npos) return false;
    const std::string_view head = path.substr(0, dot);
    const std::string_view tail = path.substr(dot + 1);
    if (names_.operation != nullptr && head == "input") {
      return HasInput(*names_.operation, tail.substr(0, tail.find('.')));
    }
    const EntityModel* other = model_.FindEntity(head);
    if (other == nullptr || other->FindPath(tail) == nullptr) return false;
    if (names_.operation != nullptr) return true;
    return names_.others && names_.entity != nullptr && RefersTo(*names_.entity, head);
  }

  // The member of a collection, or the list attribute, that sum and count aggregate.
  bool IsAggregate(std::string_view path) const {
    if (names_.entity == nullptr) return false;
    const size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    const std::string_view tail = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    for (const CollectionModel& collection : model_.collections) {
      if (collection.root != names_.entity->name) continue;
      for (const CollectionModel::Member& member : collection.members) {
        if (member.name != head) continue;
        const EntityModel* entity = model_.FindEntity(member.entity);
        return tail.empty() || (entity != nullptr && entity->FindPath(tail) != nullptr);
      }
    }
    const AttributeModel* attribute = names_.entity->Find(head);
    return attribute != nullptr &&
           (attribute->type.kind == TypeKind::kList || attribute->type.kind == TypeKind::kSet ||
            attribute->type.kind == TypeKind::kMap || attribute->type.kind == TypeKind::kAny);
  }

  std::vector<std::string> Known() const {
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
  const RuleNames& names_;
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
                             LoadContext* context) {
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
  const WordFinder finder(names, context->model);
  bool fine = true;
  for (const std::string& path : parsed->paths()) {
    const bool word = path.find('.') == std::string::npos;
    if (finder.IsAttribute(path) || (word && IsEnumValue(context->model, path))) continue;
    context->Error("unknown_name", node.place, subject,
                   Quoted(path) +
                       " is neither an attribute that this rule can see nor a value of "
                       "an enum.",
                   ClosestName(path, finder.Known()).empty()
                       ? "Put text in single quotes; a rule sees other entities through ref or "
                         "parent."
                       : Suggest(path, finder.Known()));
    fine = false;
  }
  for (const std::string& path : parsed->aggregates()) {
    if (finder.IsAggregate(path)) continue;
    context->Error("unknown_aggregate", node.place, subject,
                   Quoted(path) + " is neither a member of a collection with this root nor a list.",
                   "Sum or count a member of a collection whose root is this entity.");
    fine = false;
  }
  if (!fine) return std::nullopt;
  return parsed->Resolve([&](std::string_view path) { return finder.IsAttribute(path); });
}

}  // namespace monotable::model
