#include "api/rest/served_model.h"

#include <algorithm>
#include <utility>

#include "api/rest/browser_headers.h"
#include "document/indented_json.h"
#include "document/openapi/openapi.h"
#include "json/json_writer.h"
#include "model/instant.h"
#include "model/load/load.h"
#include "model/route/route.h"
#include "text/characters.h"

namespace monotable::api::rest {
namespace {

using model::PatternModel;

bool IsUnreserved(char c) {
  return text::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

const model::CollectionModel* CollectionNamed(const model::Model& model, std::string_view name) {
  return name.empty() ? nullptr : model.FindCollection(name);
}

constexpr std::string_view kJson = "application/json";

void AppendNode(const model::Node& node, json::Writer* writer) {
  using Kind = model::Node::Kind;
  switch (node.kind) {
    case Kind::kNull:
      writer->Raw("null");
      break;
    case Kind::kBoolean:
    case Kind::kNumber:
      writer->Raw(node.text);
      break;
    case Kind::kText:
      writer->String(node.text);
      break;
    case Kind::kList:
      writer->BeginArray();
      for (const model::Node& item : node.items) AppendNode(item, writer);
      writer->EndArray();
      break;
    case Kind::kMap:
      writer->BeginObject();
      for (const model::Node::Member& member : node.members) {
        writer->Key(member.name);
        AppendNode(member.value, writer);
      }
      writer->EndObject();
      break;
  }
}

std::string SummaryOf(const model::Model& model) {
  std::string text;
  json::Writer writer(&text);
  writer.BeginObject().Key("name").String(model.name);
  if (!model.title.empty()) writer.Key("title").String(model.title);
  if (!model.version.empty()) writer.Key("version").String(model.version);
  if (!model.description.empty()) writer.Key("description").String(model.description);
  const std::string prefix = "/api/v1/" + model.name;
  writer.Key("links").BeginObject();
  writer.Key("api").String(prefix).Key("openapi").String(prefix + "/openapi.json");
  writer.Key("docs").String(prefix + "/docs").Key("model").String(prefix + "/model.yaml");
  writer.EndObject().EndObject();
  return text;
}

// A model file in JSON: what YAML reads as a number or truth is one, and the order is the file's.
std::string ToJson(const model::Node& node) {
  std::string text;
  json::Writer writer(&text);
  AppendNode(node, &writer);
  return text;
}

}  // namespace

ServedModel::ServedModel(engine::Engine& engine, ModelSource source)
    : running_(source.model),
      router_(model::RoutesOf(model())),
      documents_(model(), std::move(source.text)) {
  for (const model::EntityModel& entity : model().entities) {
    entities_.push_back(application().Find(entity.name));
    route_keys_.push_back(model::RouteKey(model(), entity));
    item_paths_.push_back(model::ItemPath(model(), entity));
  }
  patterns_.resize(model().patterns.size());
  for (const model::Route& route : router_.routes()) {
    if (route.pattern == nullptr) continue;
    ServedPattern& served = patterns_[static_cast<size_t>(route.pattern - &model().patterns[0])];
    if (served.reader == nullptr) served = Serve(engine, *route.pattern);
  }
  ServeCollections(engine);
}

ServedPattern ServedModel::Serve(engine::Engine& engine, const PatternModel& pattern) {
  ServedPattern served;
  readers_.push_back(
      std::make_unique<const entities::PatternReader>(engine, application(), pattern));
  served.reader = readers_.back().get();
  served.collection = CollectionNamed(model(), pattern.collection);
  const model::EntityModel* entity =
      model().FindEntity(served.collection ? served.collection->root : pattern.entity);
  served.entity = application().Find(entity->name);
  if (pattern.parents && served.entity->parent != nullptr) served.entity = served.entity->parent;
  const auto add = [&](const std::string& name, bool required) {
    served.parameters.push_back({name, TypeOfParameter(pattern, name), required});
  };
  for (const std::string& name : served.reader->plan().parameters) add(name, true);
  for (const std::string& name : served.reader->plan().optional_parameters) add(name, false);
  return served;
}

// Any entity can be read with the members of its collection, whether or not a pattern says so.
void ServedModel::ServeCollections(engine::Engine& engine) {
  for (const model::CollectionModel& collection : model().collections) {
    const auto read = std::find_if(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
      return pattern.reader != nullptr && pattern.collection == &collection &&
             !pattern.model().filter;
    });
    if (read != patterns_.end()) {
      collections_.push_back(*read);
      continue;
    }
    PatternModel& pattern = implied_.emplace_back();
    pattern.name = collection.name;
    pattern.kind = PatternModel::Kind::kCollection;
    pattern.entity = collection.root;
    pattern.collection = collection.name;
    pattern.by = collection.partition.attributes();
    collections_.push_back(Serve(engine, pattern));
  }
}

// The bounds of a range and the zone of its days are read by the pattern itself. Other parameters
// are attributes of what is listed or, where its keys hold them alone, of any entity.
const model::TypeModel* ServedModel::TypeOfParameter(const PatternModel& pattern,
                                                     std::string_view name) const {
  if (pattern.range && (name == "from" || name == "to")) return nullptr;
  const model::EntityModel* entity = model().FindEntity(pattern.entity);
  if (const model::TypeModel* type = entity ? entity->FindPath(name) : nullptr) return type;
  for (const model::EntityModel& other : model().entities) {
    if (const model::TypeModel* type = other.FindPath(name)) return type;
  }
  return nullptr;
}

size_t ServedModel::IndexOf(const model::EntityModel& entity) const {
  return static_cast<size_t>(&entity - model().entities.data());
}

const entities::Entity& ServedModel::EntityOf(const model::EntityModel& entity) const {
  return *entities_[IndexOf(entity)];
}

const ServedPattern& ServedModel::PatternOf(const PatternModel& pattern) const {
  return patterns_[static_cast<size_t>(&pattern - model().patterns.data())];
}

const ServedPattern* ServedModel::CollectionOf(const entities::Entity& root) const {
  for (const ServedPattern& pattern : collections_) {
    if (pattern.collection->root == root.name()) return &pattern;
  }
  return nullptr;
}

const std::vector<std::string>& ServedModel::RouteKeyOf(const model::EntityModel& entity) const {
  return route_keys_[IndexOf(entity)];
}

std::string ServedModel::PathOfItem(const entities::Entity& entity, const item::Map& key) const {
  std::string_view rest = item_paths_[IndexOf(*entity.model)];
  std::string path;
  while (!rest.empty()) {
    const size_t open = std::min(rest.find('{'), rest.size());
    path.append(rest.substr(0, open));
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const size_t close = rest.find('}');
    const std::string_view name = rest.substr(1, close - 1);
    const item::Value* value = key.Find(name);
    const model::TypeModel* type = entity.model->FindPath(name);
    if (value == nullptr || type == nullptr) return {};
    path.append(EscapeSegment(PathText(*type, *value)));
    rest.remove_prefix(close + 1);
  }
  return path;
}

std::string PathText(const model::TypeModel& type, const item::Value& value) {
  if (type.kind == model::TypeKind::kInstant) {
    const auto instant = model::ReadInstant(value, type.stored);
    if (instant) return model::Spell(*instant, instant->millis % 1000 == 0 ? "iso" : "isoms");
  }
  if (value.is(item::Type::kString)) return value.string();
  if (value.is(item::Type::kNumber)) return value.number().ToString();
  if (value.is(item::Type::kBool)) return value.boolean() ? "true" : "false";
  return {};
}

std::string EscapeSegment(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      escaped.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return escaped;
}

http::Response MakeDocument(std::string_view content_type, std::string body) {
  http::Response response;
  response.content_type = content_type;
  response.body = std::move(body);
  AddDocumentHeaders(PolicyOfDocument(), &response);
  return response;
}

http::Response MakePage(std::string_view html) {
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = html;
  AddDocumentHeaders(PolicyOfPage(html), &response);
  return response;
}

Documents::Documents(const model::Model& model, std::string text)
    : summary_(SummaryOf(model)), openapi_(document::ToOpenApi(model, {})), yaml_(std::move(text)) {
  model::Findings findings;
  const auto root = model::ReadDocument(yaml_, &findings);
  json_ = root ? document::Indented(ToJson(*root)) : "null";
}

std::optional<http::Response> Documents::Find(std::string_view path) const {
  if (path.empty() || path == "/") return MakeDocument(kJson, summary_);
  if (path == "/openapi.json") return MakeDocument(kJson, openapi_);
  if (path == "/model.json") return MakeDocument(kJson, json_);
  if (path == "/model.yaml") return MakeDocument("application/yaml", yaml_);
  return std::nullopt;
}

}  // namespace monotable::api::rest
