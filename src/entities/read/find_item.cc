#include <utility>

#include "engine/read.h"
#include "entities/read/entity_matcher.h"
#include "entities/read/parameters.h"
#include "entities/read/read.h"
#include "entities/read/source.h"

namespace monotable::entities {
namespace {

using encoding::ItemView;
using model::KeyModel;

std::string FirstMissing(const Entity& entity, const Parameters& parameters) {
  for (const KeyModel::Part& part : entity.model->primary().parts) {
    for (std::string& name : part.text.attributes()) {
      if (parameters.Find(name) == nullptr) return std::move(name);
    }
  }
  return "";
}

// The only item that a parent has of an entity: the first one in its partition that begins as all
// of the entity do.
Result<std::optional<encoding::EncodedItem>> FindOnly(const Source& source,
                                                      const storage::Reader& reader,
                                                      const Entity& entity,
                                                      const Parameters& parameters) {
  const std::vector<KeyModel::Part>& parts = entity.model->primary().parts;
  TRY_ASSIGN(std::string hash, parameters.Render(parts.front().text));
  TRY_ASSIGN(Partition partition, Partition::Open(source, std::move(hash)));
  TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, parts.back().text.Prefix()));
  const EntityMatcher matcher({&entity}, /*shared=*/true);
  const auto cursor = reader.Scan(partition.Take().range, storage::Direction::kForward);
  std::optional<encoding::EncodedItem> found;
  while (cursor->Valid() && !found) {
    if (matcher.Of(ItemView(cursor->value())) != nullptr) {
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

}  // namespace monotable::entities
