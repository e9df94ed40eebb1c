#include "api/rest/body.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "error/suggestion.h"

namespace monotable::api::rest {
namespace {

using entities::Change;

Error Invalid(std::string path, std::string_view code, std::string message) {
  return entities::InvalidFields({{std::move(path), std::string(code), std::move(message)}});
}

// The attributes of the path. A body may repeat them, but not give other values.
Status Merge(const item::Map& from_path, const std::string& path, item::Map* attributes) {
  for (const item::Attribute& attribute : from_path) {
    const item::Value* given = attributes->Find(attribute.name);
    if (given != nullptr && !(*given == attribute.value)) {
      return Invalid(path + "/" + attribute.name, "key",
                     fmt::format("{} is not what the path says.", attribute.name));
    }
    attributes->Set(attribute.name, attribute.value);
  }
  return {};
}

// The attributes of an object that name an item. They are decoded apart from the others, because
// the server may set them, like the instant in the key of a message, and attributes that the server
// sets are not read from bodies.
Result<item::Map> NamesIn(const Call& call, const entities::Entity& entity, const json::Node& node,
                          const std::string& path) {
  item::Map key;
  for (const std::string& name : call.model->RouteKeyOf(*entity.model)) {
    const json::Node* value = node.Find(name);
    const model::TypeModel* type = entity.model->FindPath(name);
    if (value == nullptr || value->is_null() || type == nullptr) continue;
    const std::string at = fmt::format("{}/{}", path, name);
    if (!value->is_string() && !value->is_number()) {
      return Invalid(at, "type", fmt::format("{} is a text or a number.", name));
    }
    TRY_ASSIGN(item::Value decoded,
               entities::DecodeParameter(call.model->application(), *type, at, value->text));
    key.Set(name, std::move(decoded));
  }
  return key;
}

// An object that may only have the attributes that name an item. Operators may name the tenant as
// well.
Result<item::Map> KeyIn(const Call& call, const entities::Entity& entity, const json::Node& node,
                        const std::string& path) {
  if (!node.is_object()) return Invalid(path, "type", "A key is an object.");
  TRY_ASSIGN(item::Map key, NamesIn(call, entity, node, path));
  const auto& tenancy = call.model->model().tenancy;
  for (const json::Member& member : node.members) {
    if (key.Contains(member.name) || member.value.is_null()) continue;
    if (tenancy && member.name == tenancy->attribute && member.value.is_string()) {
      key.Set(member.name, item::Value(member.value.text));
      continue;
    }
    return Invalid(fmt::format("{}/{}", path, member.name), "unknown",
                   fmt::format("{} is no part of the key, which is: {}.", member.name,
                               fmt::join(call.model->RouteKeyOf(*entity.model), ", ")));
  }
  return key;
}

bool HasAll(const item::Map& attributes, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!attributes.Contains(name)) return false;
  }
  return true;
}

entities::DecodeOptions OptionsOf(const Call& call, std::string path) {
  return {call.preferences.strict, std::move(path)};
}

struct Verb {
  std::string_view name;
  Change::Kind kind;
};
constexpr std::array kVerbs = {
    Verb{"create", Change::Kind::kCreate}, Verb{"put", Change::Kind::kReplace},
    Verb{"patch", Change::Kind::kUpdate},  Verb{"delete", Change::Kind::kDelete},
    Verb{"check", Change::Kind::kCheck},
};

// The member of a write that says what to do: {"put": …}.
const Verb* VerbOf(const json::Node& write, const json::Node** argument) {
  const Verb* found = nullptr;
  for (const Verb& verb : kVerbs) {
    const json::Node* member = write.Find(verb.name);
    if (member == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = &verb;
    *argument = member;
  }
  return found;
}

Status SetTag(const json::Node& write, const std::string& path, Change* change) {
  const json::Node* tag = write.Find("ifMatch");
  if (tag == nullptr || tag->is_null()) return {};
  if (!tag->is_string()) return Invalid(path + "/ifMatch", "type", "ifMatch is an ETag: \"v7\".");
  return SetExpectedTag(tag->text, change);
}

Status CheckMembers(const json::Node& write, std::initializer_list<std::string_view> known,
                    const std::string& path) {
  for (const json::Member& member : write.members) {
    bool is_known = false;
    for (const std::string_view name : known) is_known |= name == member.name;
    for (const Verb& verb : kVerbs) is_known |= verb.name == member.name;
    if (is_known) continue;
    return Invalid(fmt::format("{}/{}", path, member.name), "unknown",
                   fmt::format("A write has no member {}.", member.name));
  }
  return {};
}

Result<const entities::Entity*> EntityNamed(const Call& call, const json::Node& name,
                                            const std::string& path) {
  const entities::Application& application = call.model->application();
  const entities::Entity* entity = name.is_string() ? application.Find(name.text) : nullptr;
  if (entity != nullptr) return entity;
  std::vector<std::string_view> names;
  for (const auto& each : application.entities()) names.push_back(each->name());
  const auto near = Suggest(name.is_string() ? name.text : "", names);
  return Invalid(path, "entity",
                 fmt::format("The model has no such entity.{}",
                             near ? fmt::format(" Did you mean {}?", *near) : ""));
}

// Fills a change of /transact from its body. An update without one only touches the item.
Status ReadBody(const Call& call, const json::Node* body, const std::string& path, Change* change) {
  static const json::Node kEmpty = [] {
    json::Node node;
    node.kind = json::Node::Kind::kObject;
    return node;
  }();
  const json::Node& given = body == nullptr ? kEmpty : *body;
  switch (change->kind) {
    case Change::Kind::kCreate:
    case Change::Kind::kReplace: {
      TRY_ASSIGN(change->attributes,
                 entities::DecodeAttributes(*change->entity, given, OptionsOf(call, path)));
      return {};
    }
    case Change::Kind::kUpdate: {
      TRY_ASSIGN(change->patch,
                 entities::DecodePatch(*change->entity, given, OptionsOf(call, path)));
      return {};
    }
    case Change::Kind::kDelete:
    case Change::Kind::kCheck:
      if (body == nullptr) return {};
      return Invalid(path, "unknown", "A delete or check takes no body.");
  }
  return {};
}

}  // namespace

Result<json::Tree> ParseBody(const Call& call) {
  const std::string_view body = call.request.body();
  auto tree = json::Tree::Parse(body.empty() ? std::string_view("{}") : body);
  if (tree) return tree;
  return Invalid("", "json", fmt::format("The body is no JSON: {}", tree.error().message()));
}

Result<const std::vector<json::Node>*> ListIn(const json::Node& body, std::string_view member) {
  const json::Node* list = body.is_object() ? body.Find(member) : nullptr;
  if (list == nullptr || !list->is_array() || list->items.empty() ||
      list->items.size() > kMaxBatch) {
    return Invalid(
        fmt::format("/{}", member), "required",
        fmt::format("The body is {{\"{}\": […]}}, with 1 to {} objects.", member, kMaxBatch));
  }
  for (size_t i = 0; i < list->items.size(); ++i) {
    if (list->items[i].is_object()) continue;
    return Invalid(fmt::format("/{}/{}", member, i), "type", "This must be an object.");
  }
  return &list->items;
}

Result<Change> ChangeOfItem(const Call& call, const json::Node& body) {
  const model::Route& route = *call.match.route;
  Change change;
  change.entity = &call.model->EntityOf(*route.entity);
  TRY_ASSIGN(change.key, PathParameters(call, *change.entity));
  TRY(ReadPreconditions(call.request, &change));
  switch (route.action) {
    case model::Route::Action::kCreate:
    case model::Route::Action::kReplace: {
      const bool creates = route.action == model::Route::Action::kCreate;
      change.kind = creates ? Change::Kind::kCreate : Change::Kind::kReplace;
      TRY_ASSIGN(change.attributes,
                 entities::DecodeAttributes(*change.entity, body, OptionsOf(call, "")));
      TRY(Merge(change.key, "", &change.attributes));
      return change;
    }
    case model::Route::Action::kPatch: {
      change.kind = Change::Kind::kUpdate;
      TRY_ASSIGN(change.patch, entities::DecodePatch(*change.entity, body, OptionsOf(call, "")));
      return change;
    }
    default: {
      change.kind = Change::Kind::kDelete;
      const std::string* cascade = FindParameter(call.query, "cascade");
      change.cascade = cascade != nullptr;
      if (cascade != nullptr && *cascade != "collection") {
        return Invalid("cascade", "value", "cascade takes collection.");
      }
      return change;
    }
  }
}

Result<Change> ChangeOfBatch(const Call& call, const entities::Entity& entity,
                             const json::Node& write, const std::string& path) {
  const json::Node* argument = nullptr;
  const Verb* verb = VerbOf(write, &argument);
  const bool fits =
      verb != nullptr && (verb->name == "put" || verb->name == "patch" || verb->name == "delete");
  if (!fits) {
    return Invalid(path, "required",
                   "A write of a batch is {\"put\": {…}}, {\"patch\": {…}} or {\"delete\": {…}}.");
  }
  TRY(CheckMembers(write, {"ifMatch"}, path));
  const std::string at = fmt::format("{}/{}", path, verb->name);
  const std::vector<std::string>& key = call.model->RouteKeyOf(*entity.model);
  TRY_ASSIGN(const item::Map from_path, PathParameters(call, entity));
  Change change;
  change.entity = &entity;
  change.kind = verb->kind;
  TRY(SetTag(write, path, &change));
  if (verb->kind == Change::Kind::kDelete) {
    TRY_ASSIGN(change.key, KeyOf(call, entity, *argument, at));
    return change;
  }
  if (verb->kind == Change::Kind::kUpdate) {
    TRY_ASSIGN(change.patch, entities::DecodePatch(entity, *argument, OptionsOf(call, at)));
    TRY_ASSIGN(change.key, NamesIn(call, entity, *argument, at));
    TRY(Merge(from_path, at, &change.key));
    for (const std::string& name : key) change.patch.set.Remove(name);
    return change;
  }
  TRY_ASSIGN(change.attributes, entities::DecodeAttributes(entity, *argument, OptionsOf(call, at)));
  TRY_ASSIGN(const item::Map names, NamesIn(call, entity, *argument, at));
  TRY(Merge(names, at, &change.attributes));
  TRY(Merge(from_path, at, &change.attributes));
  // Without its name the item is a new one, which the server names.
  if (!HasAll(change.attributes, key)) {
    change.kind = Change::Kind::kCreate;
    change.key = from_path;
    return change;
  }
  for (const std::string& name : key) change.key.Set(name, *change.attributes.Find(name));
  return change;
}

Result<Change> ChangeOfTransaction(const Call& call, const json::Node& write,
                                   const std::string& path) {
  const json::Node* name = nullptr;
  const Verb* verb = VerbOf(write, &name);
  if (verb == nullptr) {
    return Invalid(path, "required",
                   "A write says what to do with which entity, with one of create, put, patch, "
                   "delete and check: {\"patch\": \"Sale\", \"key\": {…}, \"body\": {…}}.");
  }
  TRY(CheckMembers(write, {"key", "body", "ifMatch"}, path));
  Change change;
  change.kind = verb->kind;
  change.path = path + "/body";
  TRY_ASSIGN(change.entity, EntityNamed(call, *name, fmt::format("{}/{}", path, verb->name)));
  TRY(SetTag(write, path, &change));
  if (const json::Node* key = write.Find("key")) {
    TRY_ASSIGN(change.key, KeyIn(call, *change.entity, *key, path + "/key"));
  } else if (change.kind != Change::Kind::kCreate && change.kind != Change::Kind::kReplace) {
    return Invalid(path + "/key", "required", "key must be given: the attributes of the route.");
  }
  TRY(ReadBody(call, write.Find("body"), path + "/body", &change));
  if (change.kind == Change::Kind::kCreate || change.kind == Change::Kind::kReplace) {
    TRY(Merge(change.key, path + "/body", &change.attributes));
    const auto& names = call.model->RouteKeyOf(*change.entity->model);
    for (const std::string& part : names) {
      const item::Value* value = change.attributes.Find(part);
      if (value != nullptr) change.key.Set(part, *value);
    }
    // Without its name the item is a new one, which the server names.
    if (!HasAll(change.key, names)) change.kind = Change::Kind::kCreate;
  }
  return change;
}

Result<item::Map> KeyOf(const Call& call, const entities::Entity& entity, const json::Node& node,
                        const std::string& path) {
  TRY_ASSIGN(item::Map key, KeyIn(call, entity, node, path));
  TRY_ASSIGN(const item::Map from_path, PathParameters(call, entity));
  TRY(Merge(from_path, path, &key));
  for (const std::string& name : call.model->RouteKeyOf(*entity.model)) {
    if (key.Contains(name)) continue;
    return Invalid(fmt::format("{}/{}", path, name), "required",
                   fmt::format("{} must be given.", name));
  }
  return key;
}

Result<entities::OperationCall> OperationCallOf(const Call& call, const json::Node& body) {
  entities::OperationCall result;
  result.operation = call.match.route->operation;
  const model::Model& model = call.model->model();
  for (const PathValue& value : call.match.values) {
    // The type is that of the first entity of the operation that has the attribute.
    const model::TypeModel* type = nullptr;
    for (const auto& step : result.operation->steps) {
      const model::EntityModel* entity = model.FindEntity(step.entity);
      if (type == nullptr && entity != nullptr) type = entity->FindPath(value.name);
    }
    if (type == nullptr) {
      result.parameters.Set(value.name, item::Value(value.text));
      continue;
    }
    TRY_ASSIGN(item::Value decoded,
               entities::DecodeParameter(call.model->application(), *type, value.name, value.text));
    result.parameters.Set(value.name, std::move(decoded));
  }
  if (const std::string_view match = call.request.header("If-Match"); match.data() != nullptr) {
    result.if_match = match;
  }
  TRY_ASSIGN(result.inputs, entities::DecodeInputs(call.model->application(), *result.operation,
                                                   body, {call.preferences.strict, ""}));
  return result;
}

}  // namespace monotable::api::rest
