#pragma once

#include <string>
#include <vector>

#include "entities/application.h"

// Unique values: each has a marker, an internal item whose key is the value. Two writers of one
// value meet at the marker.
namespace monotable::entities {

// The names of the markers that an entity's attributes need, one for each of its unique rules;
// empty where a value is missing (which is then not unique with anything) or there is no item.
Result<std::vector<std::string>> UniqueNames(const Entity& entity, const item::Map* attributes);

item::Item MarkerItem(const Entity& entity, const std::string& name, const item::Item& owner);

}  // namespace monotable::entities
