#include "entities/read/find_entities.h"

#include <algorithm>
#include <utility>

#include "engine/read.h"
#include "entities/problem.h"
#include "entities/read/item_filter.h"
#include "entities/read/pattern_reader.h"
#include "entities/read/read_source.h"
#include "entities/rules/expiry.h"

namespace monotable::entities {
namespace {

using encoding::ItemView;
using model::KeyModel;

// The text that the first parts of a template make; nothing if a value is missing.
Result<std::optional<std::string>> TextOfParts(const model::Template& text, size_t count,
                                               const item::Map& values,
                                               const model::Template::Rules& rules) {
  std::string made;
  for (size_t i = 0; i < count; ++i) {
    const model::TemplatePart& part = text.parts()[i];
    if (part.is_literal()) {
      made += part.literal;
      continue;
    }
    const item::Value* value = values.Find(part.attribute);
    if (value == nullptr || value->is(item::Type::kNull)) return std::optional<std::string>();
    auto spelled = model::Template::PartText(part, *value, rules);
    if (!spelled) {
      return InvalidFields({{"/" + part.attribute, "key_text", spelled.error().message() + "."}});
    }
    made += *spelled;
  }
  return std::optional(std::move(made));
}

// The part of the table or index that holds the items; nothing if a value is missing.
Result<std::optional<storage::Range>> RangeOf(const Source& source, const Relation& relation,
                                              const item::Map& values) {
  const model::Template::Rules rules = relation.to().application->key_rules();
  const std::vector<KeyModel::Part>& parts = relation.plan().key->parts;
  const model::Template& hash = parts.front().text;
  TRY_ASSIGN(auto partition_text, TextOfParts(hash, hash.parts().size(), values, rules));
  if (!partition_text) return std::optional<storage::Range>();
  TRY_ASSIGN(Partition partition, Partition::Open(source, *std::move(partition_text)));
  if (parts.size() > 1) {
    const model::Template& range = parts.back().text;
    const size_t known = relation.plan().range_parts;
    TRY_ASSIGN(auto text, TextOfParts(range, known, values, rules));
    if (!text) {
      TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, range.Prefix()));
    } else if (known == range.parts().size()) {
      TRY(partition.Equal(*std::move(text)));
    } else {
      TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, *std::move(text)));
    }
  }
  return std::optional(partition.Take().range);
}

}  // namespace

Result<FoundPage> FindRelated(engine::Engine& engine, const storage::Reader& reader,
                              const Relation& relation, const item::Map& values,
                              std::optional<size_t> limit, const Position& after) {
  const Entity& entity = relation.to();
  TRY_ASSIGN(const Source source,
             FindSource(engine, entity.table_name, relation.plan().key->index));
  TRY_ASSIGN(auto range, RangeOf(source, relation, values));
  if (!range) return FoundPage();
  // The next key after another one is that key with a zero byte.
  if (!after.after.empty()) range->begin = std::max(range->begin, after.after + '\0');
  const bool is_whole =
      source.index == nullptr || source.index->projection.type == table::ProjectionType::kAll;
  const EntityMatcher matcher({&entity}, /*shared=*/true);
  FoundPage page;
  size_t bytes = 0;
  std::string last = after.after;
  const auto cursor = reader.Scan(*range, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const ItemView entry(cursor->value());
    if (matcher.Of(entry) == nullptr) continue;
    std::optional<encoding::EncodedItem> item;
    if (is_whole) {
      item = encoding::EncodedItem{std::string(entry.record())};
    } else {
      TRY_ASSIGN(const std::string key, TableKeyOf(*source.table, entry));
      TRY_ASSIGN(item, engine::ReadItem(reader, key));
    }
    if (!item) continue;
    ItemAttributes attributes(entity, ItemView(*item));
    if (!relation.FitsBeyondKeys(values, attributes.Lookup())) continue;
    if (limit && (page.items.size() >= *limit || bytes >= kMaxReadBytes)) {
      page.next = Position{std::move(last)};
      break;
    }
    last = cursor->key();
    bytes += item->bytes.size();
    page.items.push_back({&entity, *std::move(item)});
  }
  TRY(cursor->status());
  return page;
}

Result<bool> FindsAnything(engine::Engine& engine, const storage::Reader& reader,
                           const Application& application, const model::PatternModel& pattern,
                           const item::Map& attributes) {
  const PatternReader list(engine, application, pattern);
  ListRequest request;
  request.limit = 1;
  request.reader = &reader;
  // Only the parameters of the pattern: an attribute that has the name of its range means something
  // else.
  for (const std::string& name : list.plan().parameters) {
    if (const item::Value* value = attributes.Find(name)) request.parameters.Set(name, *value);
  }
  // Items of other tenants neither hold a delete up nor show by that that they exist. An index that
  // does not hold whole items cannot tell whose they are, so there all of them count.
  Caller caller;
  const Entity* listed = application.Find(pattern.entity);
  const model::IndexModel* index =
      listed == nullptr
          ? nullptr
          : listed->table->FindIndex(pattern.fan_out ? pattern.fan_out->index : pattern.index);
  const bool is_whole = index == nullptr || index->projection.type == table::ProjectionType::kAll;
  if (const auto& tenancy = application.model().tenancy; tenancy && is_whole) {
    const item::Value* tenant = FindPath(attributes, tenancy->attribute);
    if (tenant != nullptr && tenant->is(item::Type::kString)) caller.tenant = tenant->string();
  }
  // A page may end before its first item that counts.
  do {
    TRY_ASSIGN(ListResult page, list.List(request, caller));
    if (page.count > 0) return true;
    request.after = std::move(page.next);
  } while (request.after);
  return false;
}

namespace {

std::string FirstMissing(const Entity& entity, const Parameters& parameters) {
  for (const KeyModel::Part& part : entity.model->primary().parts) {
    for (std::string& name : part.text.attributes()) {
      if (parameters.Find(name) == nullptr) return std::move(name);
    }
  }
  return "";
}

// The only item of an entity that a parent has.
Result<std::optional<encoding::EncodedItem>> FindOnly(engine::Engine& engine,
                                                      const storage::Reader& reader,
                                                      const Entity& entity,
                                                      const Parameters& parameters) {
  const Relation& relation = *entity.relations->parent;
  const item::Map values = relation.KnownIn(parameters.Lookup());
  for (const std::string& name : relation.plan().key->parts.front().text.attributes()) {
    if (!values.Contains(name)) return MissingParameter(name);
  }
  TRY_ASSIGN(FoundPage page, FindRelated(engine, reader, relation, values, 1));
  if (page.items.empty()) return std::optional<encoding::EncodedItem>();
  return std::optional(std::move(page.items.front().item));
}

}  // namespace

Result<std::optional<Found>> FindItem(engine::Engine& engine, const Entity& entity,
                                      const item::Map& key, const Caller& caller) {
  return FindItem(engine, engine.store().Latest(), entity, key, caller);
}

Result<std::optional<Found>> FindItem(engine::Engine& engine, const storage::Reader& reader,
                                      const Entity& entity, const item::Map& key,
                                      const Caller& caller) {
  TRY_ASSIGN(const Parameters parameters, Parameters::Of(*entity.application, key, caller));
  TRY_ASSIGN(const Source source, FindSource(engine, entity.table_name, ""));
  TRY_ASSIGN(const auto stored_key, StoredKeyOf(entity, *source.table, parameters.Lookup()));
  std::optional<encoding::EncodedItem> item;
  if (stored_key) {
    TRY_ASSIGN(item, engine::ReadItem(reader, *stored_key));
  } else if (entity.model->cardinality == model::Cardinality::kOne && entity.parent != nullptr) {
    TRY_ASSIGN(item, FindOnly(engine, reader, entity, parameters));
  } else {
    return MissingParameter(FirstMissing(entity, parameters));
  }
  if (!item) return std::optional<Found>();
  const ItemView view(*item);
  if (!HasTypeOf(entity, view) || !MaySee(entity, view, caller) ||
      IsHidden(entity, view, engine.clock().NowMs())) {
    return std::optional<Found>();
  }
  return std::optional(Found{&entity, *std::move(item)});
}

bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller) {
  const auto& tenancy = entity.application->model().tenancy;
  if (!tenancy || !caller.tenant || entity.model->Find(tenancy->attribute) == nullptr) return true;
  if (!entity.InEnvelope(tenancy->attribute)) {
    if (const auto stored = item.Find(tenancy->attribute))
      return stored->scalar() == *caller.tenant;
  }
  ItemAttributes attributes(entity, item);
  const item::Value* tenant = attributes.Find(tenancy->attribute);
  return tenant != nullptr && tenant->is(item::Type::kString) && tenant->string() == *caller.tenant;
}

}  // namespace monotable::entities
