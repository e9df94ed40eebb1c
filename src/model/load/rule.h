#pragma once

#include <optional>
#include <string>

#include "model/load/context.h"

// Templates and rules of the file, with every name in them looked up.
namespace monotable::model {

// What the words of a rule may be.
struct RuleNames {
  const EntityModel* entity = nullptr;        // whose attributes they are
  bool others = false;                        // Buyer.Status, of the entities that it refers to
  const OperationModel* operation = nullptr;  // input.note, and the entities of the other steps
};

// A rule whose bare words are told apart: attributes, or values of some enum. Another word is
// reported, because it is more likely a slip than a text.
std::optional<Rule> ReadRule(const Node& node, const std::string& subject, const RuleNames& names,
                             LoadContext* context);

// A template whose attributes the entity has, with formats that fit them.
std::optional<Template> ReadTemplate(const Node& node, const std::string& subject,
                                     const EntityModel& entity, LoadContext* context);
// The same for a text that is a part of the node's text.
std::optional<Template> ReadTemplateText(const std::string& text, Place place,
                                         const std::string& subject, const EntityModel& entity,
                                         LoadContext* context);

// Reports an attribute that the entity does not have.
bool ExpectAttribute(const std::string& path, Place place, const std::string& subject,
                     const EntityModel& entity, LoadContext* context);
// The entity of that name, or null and a finding.
const EntityModel* ExpectEntity(const std::string& name, Place place, const std::string& subject,
                                LoadContext* context);

}  // namespace monotable::model
