#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "entities/application.h"
#include "entities/read/pattern_reader.h"
#include "error/result.h"
#include "item/value.h"
#include "model/rule/rule.h"
#include "model/template/template.h"

// What a read looks at in an entry beyond its place: which entity it is of, and its attributes.
namespace monotable::entities {

// The attributes of a stored item by the names of the model, decoded when they are first asked for:
// a rule or a filter usually asks for one or two. Lives no longer than the item. Not thread-safe.
class ItemAttributes {
 public:
  ItemAttributes(const Entity& entity, encoding::ItemView item) : entity_(entity), item_(item) {}

  // An attribute by its path, wherever the item has it: at the top, in the envelope, or (also in an
  // entry of an index that does not hold it) as a part of the primary key. Null if it is nowhere.
  const item::Value* Find(std::string_view path);
  model::Template::Lookup Lookup() {
    return [this](std::string_view path) { return Find(path); };
  }

 private:
  std::optional<item::Value> Read(std::string_view path) const;

  const Entity& entity_;
  const encoding::ItemView item_;
  std::unordered_map<std::string, std::optional<item::Value>> read_;  // keeps its places
};

// Tells which of the entities that a read asks for an entry belongs to. Immutable and thread-safe.
class EntityMatcher {
 public:
  // `shared` says that the range may also hold entries of other entities; otherwise the keys alone
  // tell the entity. All entities are of one table.
  EntityMatcher(std::vector<const Entity*> wanted, bool shared)
      : wanted_(std::move(wanted)), shared_(shared || wanted_.size() > 1) {}

  // Null if the entry belongs to another entity.
  const Entity* Of(encoding::ItemView entry) const {
    return shared_ ? Recognise(entry) : wanted_.front();
  }

 private:
  const Entity* Recognise(encoding::ItemView entry) const;

  std::vector<const Entity*> wanted_;
  bool shared_;
};

// Whether an item that has an entity's key is of the entity: it does not say another type.
bool HasTypeOf(const Entity& entity, encoding::ItemView item);

// Whether the item is as a filter says. Moments are compared as moments, whatever their stored
// form. A missing attribute is not equal to anything and otherwise fits no comparison, as in
// DynamoDB.
bool Fits(const Entity& entity, ItemAttributes& attributes, const Filter& filter);

// Of each list at least one filter must fit.
bool FitsAll(const Entity& entity, ItemAttributes& attributes,
             const std::vector<std::vector<Filter>>& filters);

// Whether a pattern's own filter holds.
Result<bool> Holds(const model::Rule& rule, ItemAttributes& attributes, int64_t now_ms);

}  // namespace monotable::entities
