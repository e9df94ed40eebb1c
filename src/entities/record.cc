#include "entities/record.h"

#include <utility>

#include "entities/problem.h"
#include "entities/rules/expiry.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using item::Value;
using model::KeyModel;

model::Template::Lookup LookupIn(const item::Map& attributes) {
  return [&attributes](std::string_view path) { return FindPath(attributes, path); };
}

// Reads the attributes that are not stored out of the keys in which they are.
void AddFromKey(const Entity& entity, const item::Item& item, item::Map* attributes) {
  for (const KeyModel::Part& part : entity.model->primary().parts) {
    const Value* text = item.Find(part.attribute);
    if (text == nullptr || !text->is(item::Type::kString)) continue;
    const auto bindings = part.text.Match(text->string(), entity.application->key_rules());
    if (!bindings) continue;
    for (const model::Template::Binding& binding : *bindings) {
      if (!entity.IsFromKey(binding.attribute) || attributes->Contains(binding.attribute)) continue;
      auto value = ValueOfKeyText(entity.model->Find(binding.attribute)->type, binding.text);
      if (value) attributes->Set(binding.attribute, std::move(*value));
    }
  }
}

// The text of a key attribute as a value of the type that the table says.
Result<Value> KeyValue(const table::KeySchema& key, const std::string& attribute,
                       std::string text) {
  const table::KeyAttribute* declared = key.Find(attribute);
  if (declared == nullptr || declared->type == item::Type::kString) return Value(std::move(text));
  if (declared->type == item::Type::kBinary) return Value(item::Binary{std::move(text)});
  auto number = item::Number::Parse(text);
  if (!number) {
    return Problem(ProblemCode::kInvalid,
                   "The key " + attribute + " is a number, and \"" + text + "\" is none.");
  }
  return Value(*number);
}

Result<std::optional<item::Item>> RenderKey(const Entity& entity, const KeyModel& key,
                                            const table::KeySchema& schema,
                                            const item::Map& attributes) {
  item::Item rendered;
  for (const KeyModel::Part& part : key.parts) {
    std::string asked_last;
    const auto find = [&](std::string_view path) {
      asked_last = path;
      return FindPath(attributes, path);
    };
    auto text = part.text.Render(find, entity.application->key_rules());
    // Rendering stops at the first value that cannot be in a key.
    if (!text) {
      return InvalidFields({{"/" + asked_last, "key_text", text.error().message() + "."}});
    }
    if (!*text) return std::optional<item::Item>();
    TRY_ASSIGN(Value value, KeyValue(schema, part.attribute, std::move(**text)));
    rendered.Set(part.attribute, std::move(value));
  }
  return std::optional(std::move(rendered));
}

Result<bool> Holds(const std::optional<model::Rule>& when, const item::Map& attributes) {
  if (!when) return true;
  model::Rule::Scope scope;
  scope.find = LookupIn(attributes);
  return when->Test(scope);
}

Status AddIndexKeys(const Entity& entity, const item::Map& attributes, item::Item* item) {
  for (size_t i = 1; i < entity.model->keys.size(); ++i) {
    const KeyModel& key = entity.model->keys[i];
    const model::IndexModel* index = entity.table->FindIndex(key.index);
    if (index == nullptr || index->inverted) continue;
    TRY_ASSIGN(const bool present, Holds(key.when, attributes));
    if (!present) continue;
    TRY_ASSIGN(auto rendered, RenderKey(entity, key, index->key, attributes));
    if (!rendered) continue;
    for (item::Attribute& attribute : *rendered) {
      item->Set(attribute.name, std::move(attribute.value));
    }
  }
  return {};
}

}  // namespace

const Value* FindPath(const item::Map& attributes, std::string_view path) {
  const size_t dot = path.find('.');
  const Value* value = attributes.Find(path.substr(0, dot));
  if (value == nullptr || dot == std::string_view::npos) return value;
  return value->is(item::Type::kMap) ? FindPath(value->map(), path.substr(dot + 1)) : nullptr;
}

std::optional<Value> ValueOfKeyText(const model::TypeModel& type, std::string_view text) {
  switch (type.kind) {
    case model::TypeKind::kInteger:
    case model::TypeKind::kDecimal: {
      auto number = item::Number::Parse(text);
      if (!number) return std::nullopt;
      return Value(*number);
    }
    case model::TypeKind::kBoolean:
      if (text != "true" && text != "false") return std::nullopt;
      return Value(text == "true");
    case model::TypeKind::kInstant: {
      auto instant = model::ParseIso(text);
      if (!instant) instant = model::ParseBrazilian(text);
      if (!instant) {
        const auto number = item::Number::Parse(text);
        if (number) instant = model::ReadInstant(Value(*number), type.stored);
      }
      if (!instant) return std::nullopt;
      return model::StoreInstant(*instant, type.stored, type.milliseconds);
    }
    case model::TypeKind::kDate:
      // A key may spell the day's first moment.
      if (const auto instant = model::ParseIso(text)) {
        return Value(model::Spell(*instant, "yyyy-MM-dd"));
      }
      if (!model::ParseDate(text)) return std::nullopt;
      return Value(text);
    default:
      return Value(text);
  }
}

Result<Record> RecordOf(const Entity& entity, const item::Item& item) {
  Record record;
  const bool keep = entity.model->unknown_attributes == model::UnknownAttributes::kKeep;
  for (const item::Attribute& attribute : item) {
    if (entity.IsPlumbing(attribute.name)) {
      if (attribute.name == entity.table->version_attribute &&
          attribute.value.is(item::Type::kNumber)) {
        attribute.value.number().ToInt64(&record.version);
      }
    } else if (!entity.model->envelope.empty() && attribute.name == entity.model->envelope &&
               attribute.value.is(item::Type::kMap)) {
      for (const item::Attribute& member : attribute.value.map()) {
        record.attributes.Set(member.name, member.value);
      }
    } else if (entity.model->Find(attribute.name) != nullptr
                   ? !entity.InEnvelope(attribute.name)
                   : keep && entity.model->envelope.empty()) {
      record.attributes.Set(attribute.name, attribute.value);
    } else {
      record.extra.Set(attribute.name, attribute.value);
    }
  }
  if (!entity.model->from_key.empty()) AddFromKey(entity, item, &record.attributes);
  return record;
}

bool AreSame(const item::Value* one, const item::Value* other) {
  if (one == nullptr || other == nullptr) return one == other;
  return *one == *other;
}

void SetOrRemove(std::string_view name, const item::Value* value, item::Map* attributes) {
  if (value == nullptr) {
    attributes->Remove(name);
  } else {
    attributes->Set(name, *value);
  }
}

Result<std::optional<item::Item>> PrimaryKey(const Entity& entity, const item::Map& attributes) {
  return RenderKey(entity, entity.model->primary(), entity.table->key, attributes);
}

Result<item::Item> ItemOf(const Entity& entity, const Record& record) {
  item::Item item = record.extra;
  item::Map enveloped;
  for (const item::Attribute& attribute : record.attributes) {
    if (entity.IsFromKey(attribute.name)) continue;
    item::Map& place = entity.InEnvelope(attribute.name) ? enveloped : item;
    place.Set(attribute.name, attribute.value);
  }
  if (!entity.model->envelope.empty()) {
    item.Set(entity.model->envelope, Value(std::move(enveloped)));
  }
  TRY_ASSIGN(auto key, PrimaryKey(entity, record.attributes));
  if (!key) {
    return Problem(ProblemCode::kInvalid, "A part of the key of " + entity.name() + " is missing.");
  }
  for (item::Attribute& attribute : *key) item.Set(attribute.name, std::move(attribute.value));
  TRY(AddIndexKeys(entity, record.attributes, &item));
  const model::TableModel& table = *entity.table;
  if (!table.type_attribute.empty()) {
    item.Set(table.type_attribute, Value(entity.model->type_value));
  }
  if (!table.version_attribute.empty() && record.version > 0) {
    item.Set(table.version_attribute, Value(item::Number::FromInt(record.version)));
  }
  TRY_ASSIGN(const auto expiry, ExpiryOf(entity, record.attributes));
  if (expiry && !table.ttl_attribute.empty()) {
    item.Set(table.ttl_attribute, Value(item::Number::FromInt(*expiry)));
  }
  return item;
}

}  // namespace monotable::entities
