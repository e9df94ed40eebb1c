#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "encoding/item.h"
#include "entities/application.h"
#include "item/value.h"
#include "model/template/template.h"

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

}  // namespace monotable::entities
