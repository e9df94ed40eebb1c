#pragma once

#include "entities/codec/codec.h"
#include "entities/codec/context.h"

namespace monotable::entities {

// What becomes of a member of a body, by its name alone.
enum class Fate {
  kKnown,     // an attribute of the model
  kUnknown,   // one that the model does not know and the entity keeps
  kIgnored,   // read-only, of the design, or one that the entity drops
  kReported,  // refused; the problem is reported
};
Fate FateOf(const CodecContext& context, const Entity& entity, std::string_view name, bool strict,
            const FieldPath& path);

// Reports a body that is no object.
bool IsObject(const CodecContext& context, const json::Node& body, const FieldPath& path);

}  // namespace monotable::entities
