#include "entities/read/find_entities.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "engine/read.h"
#include "entities/read/item_filter.h"
#include "entities/read/pattern_reader.h"
#include "entities/read/read_source.h"
#include "entities/rules/expiry.h"
#include "model/plan/keys.h"

namespace monotable::entities {
namespace {

using encoding::ItemView;
using model::KeyModel;

// Which items of a partition are wanted.
struct Wanted {
  std::function<bool(const Found&)> keep;  // null: everything of the entity
  std::optional<size_t> limit;
  std::string after;
};

// The items of an entity in one partition of a table or index, with all attributes. The beginning
// of the sort key leaves out most other items, and the type or the keys leave out the rest.
Result<FoundPage> FindInPartition(const storage::Reader& reader, const Source& source,
                                  const Entity& entity, std::string hash, const Wanted& wanted) {
  const std::string index_name = source.index == nullptr ? "" : source.index->name;
  const auto texts = model::KeyTextsOf(*entity.table, *entity.model, index_name);
  TRY_ASSIGN(Partition partition, Partition::Open(source, std::move(hash)));
  if (texts && texts->range) {
    TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, texts->range->Prefix()));
  }
  storage::Range range = partition.Take().range;
  // The next key after another one is that key with a zero byte.
  if (!wanted.after.empty()) range.begin = std::max(range.begin, wanted.after + '\0');
  const bool is_whole =
      source.index == nullptr || source.index->projection.type == table::ProjectionType::kAll;
  const EntityMatcher matcher({&entity}, /*shared=*/true);
  FoundPage page;
  size_t bytes = 0;
  std::string last = wanted.after;
  const auto cursor = reader.Scan(range, storage::Direction::kForward);
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
    Found found{&entity, *std::move(item)};
    if (wanted.keep && !wanted.keep(found)) continue;
    if (wanted.limit && (page.items.size() >= *wanted.limit || bytes >= kMaxReadBytes)) {
      page.next = Position{std::move(last)};
      break;
    }
    last = cursor->key();
    bytes += found.item.bytes.size();
    page.items.push_back(std::move(found));
  }
  TRY(cursor->status());
  return page;
}

// Tells the children of one parent from those of other parents in the same partition.
class Kinship {
 public:
  // The lookup finds attributes of the parent's key, and must outlive this.
  Kinship(const Entity& parent, const Entity& child, model::Template::Lookup lookup)
      : child_(child), lookup_(std::move(lookup)) {
    const std::vector<std::string> known = child.model->primary().parts.front().text.attributes();
    for (const KeyModel::Part& part : parent.model->primary().parts) {
      for (std::string& name : part.text.attributes()) {
        // Children of one partition have these in common.
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        names_.push_back(std::move(name));
      }
    }
  }

  // A child that does not say to which parent it belongs belongs to all of them.
  bool Includes(ItemView child) const {
    if (names_.empty()) return true;
    ItemAttributes attributes(child_, child);
    return std::all_of(names_.begin(), names_.end(), [&](const std::string& name) {
      const item::Value* own = lookup_(name);
      const item::Value* other = attributes.Find(name);
      return own == nullptr || other == nullptr || *own == *other;
    });
  }

 private:
  const Entity& child_;
  const model::Template::Lookup lookup_;
  std::vector<std::string> names_;  // attributes that tell parents of one partition apart
};

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
                                       const Entity& parent, const Entity& child,
                                       const item::Map& parent_attributes) {
  TRY_ASSIGN(const Source source, FindSource(engine, child.table_name, ""));
  TRY_ASSIGN(const Parameters parameters,
             Parameters::Of(*child.application, parent_attributes, Caller()));
  TRY_ASSIGN(std::string hash, parameters.Render(child.model->primary().parts.front().text));
  const Kinship kinship(parent, child, parameters.Lookup());
  Wanted wanted;
  wanted.keep = [&kinship](const Found& one) { return kinship.Includes(ItemView(one.item)); };
  TRY_ASSIGN(FoundPage all, FindInPartition(reader, source, child, std::move(hash), wanted));
  return std::move(all.items);
}

Result<FoundPage> FindReferringPage(engine::Engine& engine, const storage::Reader& reader,
                                    const Reference& reference, std::optional<size_t> limit,
                                    const Position& after) {
  const Entity& referring = *reference.referring;
  const KeyModel* key = KeysByAttribute(referring, reference.attribute);
  if (key == nullptr) {
    return Error::Internal(
        fmt::format("No key finds each {} by its {}.", referring.name(), reference.attribute));
  }
  TRY_ASSIGN(const Source source, FindSource(engine, referring.table_name, key->index));
  std::string_view asked_last;
  TRY_ASSIGN(auto hash,
             RenderText(
                 key->parts.front().text, [&](std::string_view) { return &reference.value; },
                 referring.application->key_rules(), &asked_last));
  if (!hash) return FoundPage();
  // A filter of the key's template may bring several values into one partition.
  const auto refers = [&](const Found& one) {
    ItemAttributes attributes(referring, ItemView(one.item));
    const item::Value* other = attributes.Find(reference.attribute);
    return other != nullptr && *other == reference.value;
  };
  return FindInPartition(reader, source, referring, *std::move(hash), {refers, limit, after.after});
}

Result<std::vector<Found>> FindReferring(engine::Engine& engine, const storage::Reader& reader,
                                         const Entity& referring, std::string_view attribute,
                                         const item::Value& value) {
  TRY_ASSIGN(FoundPage all,
             FindReferringPage(engine, reader, {&referring, attribute, value}, std::nullopt, {}));
  return std::move(all.items);
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
  // A page may end before its first item that counts.
  do {
    TRY_ASSIGN(ListResult page, list.List(request, Caller()));
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

// The only item of an entity that a parent has: the first child of this parent in the partition
// whose sort key begins like those of the entity.
Result<std::optional<encoding::EncodedItem>> FindOnly(const Source& source,
                                                      const storage::Reader& reader,
                                                      const Entity& entity,
                                                      const Parameters& parameters) {
  const std::vector<KeyModel::Part>& parts = entity.model->primary().parts;
  TRY_ASSIGN(std::string hash, parameters.Render(parts.front().text));
  TRY_ASSIGN(Partition partition, Partition::Open(source, std::move(hash)));
  TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, parts.back().text.Prefix()));
  const EntityMatcher matcher({&entity}, /*shared=*/true);
  const Kinship kinship(*entity.parent, entity, parameters.Lookup());
  const auto cursor = reader.Scan(partition.Take().range, storage::Direction::kForward);
  std::optional<encoding::EncodedItem> found;
  while (cursor->Valid() && !found) {
    const ItemView item(cursor->value());
    if (matcher.Of(item) != nullptr && kinship.Includes(item)) {
      found = encoding::EncodedItem{std::string(cursor->value())};
    }
    cursor->Next();
  }
  TRY(cursor->status());
  return found;
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
  } else if (entity.model->cardinality == model::Cardinality::kOne) {
    TRY_ASSIGN(item, FindOnly(source, reader, entity, parameters));
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
