#pragma once

#include <cstdint>

#include "item/value.h"

// Short names for the values that tests write and expect.
namespace monotable::engine {

inline item::Value N(int64_t number) {
  return item::Value(item::Number::FromInt(number));
}

}  // namespace monotable::engine
