#pragma once

#include <string>

#include "item/value.h"

// Values in sentences for people.
namespace monotable::entities {

// A value in a sentence: "ACME", 12.50, a list. A long text is cut. `nothing` stands for null.
std::string Show(const item::Value* value);
// The attributes of a key: PK SALE#1, SK LINE#002.
std::string Show(const item::Item& key);

}  // namespace monotable::entities
