#include <utility>

#include <fmt/format.h>

#include "engine/read.h"
#include "entities/read/entity_matcher.h"
#include "entities/read/item_attributes.h"
#include "entities/read/parameters.h"
#include "entities/read/read.h"
#include "entities/read/source.h"
#include "model/plan/keys.h"

// What the rules of a write look for.
namespace monotable::entities {
namespace {

using encoding::ItemView;
using model::KeyModel;

// The items of an entity in one partition of a table or index, whole. The beginning of their sort
// keys keeps most others out, and their type or keys the rest.
Result<std::vector<Found>> FindInPartition(const storage::Reader& reader, const Source& source,
                                           const Entity& entity, std::string hash) {
  const std::string index_name = source.index == nullptr ? "" : source.index->name;
  const auto texts = model::KeyTextsOf(*entity.table, *entity.model, index_name);
  TRY_ASSIGN(Partition partition, Partition::Open(source, std::move(hash)));
  if (texts && texts->range) {
    TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, texts->range->Prefix()));
  }
  const bool is_whole =
      source.index == nullptr || source.index->projection.type == table::ProjectionType::kAll;
  const EntityMatcher matcher({&entity}, /*shared=*/true);
  std::vector<Found> found;
  const auto cursor = reader.Scan(partition.Take().range, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const ItemView entry(cursor->value());
    if (matcher.Of(entry) == nullptr) continue;
    if (is_whole) {
      found.push_back({&entity, {std::string(entry.record())}});
      continue;
    }
    TRY_ASSIGN(const std::string key, TableKeyOf(*source.table, entry));
    TRY_ASSIGN(auto item, engine::ReadItem(reader, key));
    if (item) found.push_back({&entity, *std::move(item)});
  }
  TRY(cursor->status());
  return found;
}

// The keys whose partition is made of one attribute alone, and which every item with that attribute
// has.
const KeyModel* KeysByAttribute(const Entity& entity, std::string_view attribute) {
  for (const KeyModel& key : entity.model->keys) {
    if (key.when) continue;
    const std::vector<std::string> names = key.parts.front().text.attributes();
    if (names.size() == 1 && names.front() == attribute) return &key;
  }
  return nullptr;
}

}  // namespace

Result<std::vector<Found>> FindMembers(engine::Engine& engine, const storage::Reader& reader,
                                       const Entity& child, const item::Map& parent_attributes) {
  TRY_ASSIGN(const Source source, FindSource(engine, child.table_name, ""));
  TRY_ASSIGN(const Parameters parameters,
             Parameters::Of(*child.application, parent_attributes, Caller()));
  TRY_ASSIGN(std::string hash, parameters.Render(child.model->primary().parts.front().text));
  return FindInPartition(reader, source, child, std::move(hash));
}

Result<std::vector<Found>> FindReferring(engine::Engine& engine, const storage::Reader& reader,
                                         const Entity& referring, std::string_view attribute,
                                         const item::Value& value) {
  const KeyModel* key = KeysByAttribute(referring, attribute);
  if (key == nullptr) {
    return Error::Internal(
        fmt::format("No key finds each {} by its {}.", referring.name(), attribute));
  }
  TRY_ASSIGN(const Source source, FindSource(engine, referring.table_name, key->index));
  std::string_view asked_last;
  TRY_ASSIGN(auto hash, RenderText(
                            key->parts.front().text, [&](std::string_view) { return &value; },
                            referring.application->key_rules(), &asked_last));
  if (!hash) return std::vector<Found>();
  TRY_ASSIGN(auto found, FindInPartition(reader, source, referring, *std::move(hash)));
  // A filter of the key's template may bring several values into one partition.
  std::erase_if(found, [&](const Found& one) {
    ItemAttributes attributes(referring, ItemView(one.item));
    const item::Value* other = attributes.Find(attribute);
    return other == nullptr || *other != value;
  });
  return found;
}

Result<bool> FindsAnything(engine::Engine& engine, const Application& application,
                           const model::PatternModel& pattern, const item::Map& attributes) {
  const PatternReader reader(engine, application, pattern);
  ListRequest request;
  request.limit = 1;
  // Only what the pattern asks for: an attribute that is named like its range means something else.
  for (const std::string& name : reader.plan().parameters) {
    if (const item::Value* value = attributes.Find(name)) request.parameters.Set(name, *value);
  }
  // A page may end before its first item that counts.
  do {
    TRY_ASSIGN(ListResult page, reader.List(request, Caller()));
    if (page.count > 0) return true;
    request.after = std::move(page.next);
  } while (request.after);
  return false;
}

}  // namespace monotable::entities
