#pragma once

#include <utility>
#include <vector>

#include "encoding/item.h"
#include "entities/application.h"

namespace monotable::entities {

// Tells of which entity an entry is, among those that a read is about. Immutable and thread-safe.
class EntityMatcher {
 public:
  // `shared`: entries of others may be in the same range. If not, the keys have told already. All
  // entities are of one table.
  EntityMatcher(std::vector<const Entity*> wanted, bool shared)
      : wanted_(std::move(wanted)), shared_(shared || wanted_.size() > 1) {}

  // Null if it is of none of them.
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

}  // namespace monotable::entities
