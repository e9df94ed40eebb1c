#include "entities/application.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "entities/codec/entity_printer.h"
#include "entities/relation.h"
#include "entities/rules/rulebook.h"
#include "model/environment.h"

namespace monotable::entities {
namespace {

using model::EntityModel;
using model::TableModel;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void AddKey(const table::KeySchema& key, std::vector<std::string>* names) {
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const table::KeyAttribute& attribute : *attributes) names->push_back(attribute.name);
  }
}

// What a table's items hold beside their entity's attributes.
std::vector<std::string> PlumbingOf(const TableModel& table, const EntityModel& entity) {
  std::vector<std::string> names;
  AddKey(table.key, &names);
  for (const model::IndexModel& index : table.indexes) AddKey(index.key, &names);
  for (const std::string* name :
       {&table.type_attribute, &table.version_attribute, &table.ttl_attribute}) {
    if (!name->empty()) names.push_back(*name);
  }
  std::erase_if(names, [&](const std::string& name) { return entity.Find(name) != nullptr; });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> ReadOnlyOf(const EntityModel& entity) {
  std::vector<std::string> names;
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (attribute.derive || attribute.set != model::SetBy::kClient) {
      names.push_back(attribute.name);
    }
  }
  for (const model::CopyModel& copy : entity.copies) names.push_back(copy.attribute);
  return names;
}

void CollectPatterns(const model::TypeModel& type, std::vector<std::string>* patterns) {
  if (!type.pattern.empty()) patterns->push_back(type.pattern);
  if (type.element) CollectPatterns(*type.element, patterns);
  for (const model::AttributeModel& attribute : type.attributes) {
    CollectPatterns(attribute.type, patterns);
  }
}

std::vector<std::string> PatternsOf(const model::Model& design) {
  std::vector<std::string> patterns;
  for (const EntityModel& entity : design.entities) {
    for (const auto& attribute : entity.attributes) CollectPatterns(attribute.type, &patterns);
  }
  for (const model::OperationModel& operation : design.operations) {
    for (const auto& input : operation.inputs) CollectPatterns(input.type, &patterns);
  }
  return patterns;
}

std::optional<std::string_view> TextOf(encoding::ItemView item, std::string_view name) {
  const auto value = item.Find(name);
  if (!value || value->type() != item::Type::kString) return std::nullopt;
  return value->scalar();
}

std::optional<std::string_view> TextOf(const item::Item& item, std::string_view name) {
  const item::Value* value = item.Find(name);
  if (value == nullptr || !value->is(item::Type::kString)) return std::nullopt;
  return value->string();
}

template <typename ItemType>
const Entity* RecogniseItem(const Application& application, const TableModel& table,
                            const ItemType& item) {
  const auto type =
      table.type_attribute.empty() ? std::nullopt : TextOf(item, table.type_attribute);
  for (const auto& entity : application.entities()) {
    if (entity->table != &table) continue;
    if (type) {
      if (*type == entity->model->type_value) return entity.get();
      continue;
    }
    const auto& parts = entity->model->primary().parts;
    const bool fits = std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
      const auto text = TextOf(item, part.attribute);
      return text && part.text.Match(*text, application.key_rules()).has_value();
    });
    if (fits) return entity.get();
  }
  return nullptr;
}

}  // namespace

bool Entity::IsPlumbing(std::string_view stored_name) const {
  return std::binary_search(plumbing.begin(), plumbing.end(), stored_name);
}

bool Entity::InEnvelope(std::string_view attribute) const {
  return !model->envelope.empty() && !Contains(model->outside_envelope, attribute);
}

bool Entity::IsFromKey(std::string_view attribute) const {
  return Contains(model->from_key, attribute);
}

bool Entity::IsReadOnly(std::string_view attribute) const {
  return Contains(read_only, attribute);
}

Application::~Application() = default;

Result<std::unique_ptr<Application>> Application::Create(model::Model model,
                                                         const ApplicationSettings& settings) {
  std::unique_ptr<Application> made(new Application());
  made->model_ = std::move(model);
  const model::Model& design = made->model_;
  made->followers_at_once_ = settings.followers_at_once;
  made->environment_ = settings.environment;
  if (made->environment_.empty() && !design.environments.empty()) {
    made->environment_ = design.environments.front().name;
  }
  for (const TableModel& table : design.tables) {
    TRY_ASSIGN(std::string name,
               model::TableNameIn(design, table, settings.environment, settings.parameters));
    if (!made->tables_.emplace(name, &table).second) {
      return Error::Validation(
          fmt::format("Two tables of the model {} have the name {}.", design.name, name));
    }
    made->table_names_.emplace(table.id, std::move(name));
  }
  for (const EntityModel& described : design.entities) {
    auto entity = std::make_unique<Entity>();
    entity->application = made.get();
    entity->model = &described;
    entity->table = design.FindTable(described.table);
    entity->table_name = made->TableName(described.table);
    entity->plumbing = PlumbingOf(*entity->table, described);
    entity->read_only = ReadOnlyOf(described);
    entity->printer = std::make_shared<const EntityPrinter>(*entity);
    made->entities_.push_back(std::move(entity));
  }
  for (const std::string& pattern : PatternsOf(design)) {
    auto& compiled = made->patterns_[pattern];
    if (!compiled) compiled = std::make_unique<re2::RE2>(pattern);
  }
  for (const auto& entity : made->entities_) entity->parent = made->Find(entity->model->parent);
  for (const auto& entity : made->entities_) {
    TRY_ASSIGN(entity->relations, RelationsOf(*made, *entity));
  }
  for (const auto& entity : made->entities_) {
    entity->rules = std::make_shared<const Rulebook>(*entity);
  }
  return made;
}

const std::string& Application::TableName(std::string_view table_id) const {
  return table_names_.find(table_id)->second;
}

const TableModel* Application::FindTable(std::string_view table_name) const {
  const auto found = tables_.find(table_name);
  return found == tables_.end() ? nullptr : found->second;
}

const Entity* Application::Find(std::string_view entity_name) const {
  for (const auto& entity : entities_) {
    if (entity->name() == entity_name) return entity.get();
  }
  return nullptr;
}

const Entity* Application::Recognise(const TableModel& table, encoding::ItemView item) const {
  return RecogniseItem(*this, table, item);
}

const Entity* Application::Recognise(const TableModel& table, const item::Item& item) const {
  return RecogniseItem(*this, table, item);
}

const re2::RE2* Application::Pattern(std::string_view pattern) const {
  const auto found = patterns_.find(pattern);
  return found == patterns_.end() ? nullptr : found->second.get();
}

}  // namespace monotable::entities
