#pragma once

#include <optional>

#include "entities/application.h"

namespace monotable::entities {

// A state that became one which its enum does not list as a successor.
struct IllegalTransition {
  const model::AttributeModel* attribute = nullptr;
  const model::EnumModel* states = nullptr;
  std::string from;
  std::string to;
};

// The first one between two records of an entity; nothing if all changes of states are allowed.
std::optional<IllegalTransition> FindIllegalTransition(const Entity& entity,
                                                       const item::Map& before,
                                                       const item::Map& after);

}  // namespace monotable::entities
