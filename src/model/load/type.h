#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/load/context.h"
#include "model/load/reader.h"
#include "model/type.h"

// Types and attributes: `string!`, `Certification[]!`, {type: decimal, scale: 2}.
namespace monotable::model {

// A type as it stands in an attribute or an input.
struct UsedType {
  TypeModel type;
  bool required = false;  // it was written with !
};

bool IsBuiltInType(std::string_view name);

// The type that a text names; string after a finding.
UsedType ReadTypeText(const Node& node, const std::string& subject, LoadContext* context);
// The type that the members of a map say: type, of, attributes and constraints.
UsedType ReadTypeMembers(MapReader* reader, LoadContext* context);
// The type that the rest of a text names, which stands at the node: decimal of map(decimal).
TypeModel ResolveTypeText(std::string_view text, const Node& node, const std::string& subject,
                          LoadContext* context);

// The attributes of an entity or a mixin; those of an object can say less.
std::vector<AttributeModel> ReadAttributes(const Node& node, const std::string& subject,
                                           bool in_object, LoadContext* context);

// Puts min, max, match and the like of a map into a type, and reports those that it cannot have.
void ReadConstraints(MapReader* reader, TypeModel* type, LoadContext* context);

// stored and precision of an instant.
void ReadInstantForm(MapReader* reader, InstantForm* stored, bool* milliseconds);

UnknownAttributes ReadUnknownAttributes(MapReader* reader, UnknownAttributes fallback);

// Why a value of the file cannot be of a type; empty if it can.
std::string WhyNot(const Node& value, const TypeModel& type, const Model& model);

}  // namespace monotable::model
