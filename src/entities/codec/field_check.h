#pragma once

#include <cstddef>
#include <string_view>

#include "entities/codec/field_path.h"

// What a model says about values beyond their kind, checked on values in their stored form.
namespace monotable::entities {

// Length, pattern and format of a string.
void CheckText(const CodecContext& context, const model::TypeModel& type, std::string_view text,
               const FieldPath& path);
// Whole numbers, range, precision and scale.
void CheckNumber(const CodecContext& context, const model::TypeModel& type,
                 const item::Number& number, const FieldPath& path);
// That the text is a value of the enum, unless it is open.
void CheckEnum(const CodecContext& context, const model::TypeModel& type, std::string_view text,
               const FieldPath& path);
// How many members a list, set or map may have.
void CheckCount(const CodecContext& context, const model::TypeModel& type, size_t count,
                const FieldPath& path);
// The members of an object that must be there. Those that the server fills in may be missing from
// what a client gives.
enum class Given { kByClient, kStored };
void CheckRequired(const CodecContext& context,
                   const std::vector<model::AttributeModel>& attributes, const item::Map& members,
                   Given given, const FieldPath& path);

// Reports attributes that are part of a key and cannot be: text that is empty or contains what the
// model forbids in keys, numbers too large for their padding. Keys with a condition are left to
// when they are made, as the item may not have them.
void CheckKeyTexts(const CodecContext& context, const Entity& entity, const item::Map& attributes,
                   const FieldPath& path);

}  // namespace monotable::entities
