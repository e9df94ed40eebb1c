#pragma once

#include "entities/codec/context.h"

namespace monotable::entities {

// Reports attributes that are part of a key and cannot be: text that is empty or contains what the
// model forbids in keys, numbers too large for their padding. Keys with a condition are left to
// when they are made, as the item may not have them.
void CheckKeyTexts(const CodecContext& context, const Entity& entity, const item::Map& attributes,
                   const FieldPath& path);

}  // namespace monotable::entities
