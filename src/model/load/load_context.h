#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "model/load/node_reader.h"
#include "model/model.h"
#include "model/node.h"
#include "model/rule/rule_check.h"
#include "model/type.h"

// The state that the parts of the loader share, and the parts themselves: one function for each
// section of the file, in the order in which LoadModel calls them.
namespace monotable::model {

// The nodes of an entity, for the parts that can only be read once all entities are known.
struct EntitySource {
  const Node* node = nullptr;
  std::vector<const Node*> attributes;  // one for each of the entity's attributes
};

struct LoadContext {
  explicit LoadContext(Findings* all) : findings(all) {}

  Findings* findings;
  Model model;

  // The section defaults.
  InstantForm instant_form = InstantForm::kIso;
  bool instant_milliseconds = false;
  bool open_enums = false;
  UnknownAttributes unknown_attributes = UnknownAttributes::kReject;
  std::string envelope;
  std::vector<std::string> outside_envelope;

  // Types that the file declares. A type is read when it is first named.
  struct DeclaredType {
    const Node* node = nullptr;
    bool being_read = false;
    std::optional<TypeModel> type;
  };
  struct Mixin {
    const Node* node = nullptr;  // the map of attributes
    std::vector<AttributeModel> attributes;
  };
  std::map<std::string, DeclaredType, std::less<>> types;
  std::map<std::string, Mixin, std::less<>> mixins;

  struct ProjectedAttribute {
    std::string table;  // id
    const Node* node;   // the name in the list
    std::string subject;
  };
  std::vector<ProjectedAttribute> projected;
  std::vector<EntitySource> sources;  // one for each of the model's entities
  std::set<std::string> routes;       // without the names of their parameters

  void Error(std::string id, Place place, std::string subject, std::string message,
             std::string fix) {
    findings->Error(std::move(id), place, std::move(subject), std::move(message), std::move(fix));
  }
};

void LoadDefaults(const Node& node, LoadContext* context);
void LoadParameters(const Node& node, LoadContext* context);
void LoadEnvironments(const Node& node, LoadContext* context);
void LoadTables(const Node& node, LoadContext* context);
void LoadEnums(const Node& node, LoadContext* context);
// Types and mixins, including unused ones.
void LoadTypes(const Node& node, LoadContext* context);
// Names, tables, attributes and keys.
void LoadEntities(const Node& node, LoadContext* context);
void LoadCollections(const Node& node, LoadContext* context);
// What entities say about each other: references, copies, rules.
void LoadEntityRules(LoadContext* context);
// What keeps an entity's attributes as they are or apart: frozen, exactly_one, at_most_one.
void LoadRestrictions(MapReader* reader, EntityModel* entity, LoadContext* context);
// What the server makes for new items: counter, ulid or uuid, with its format and scope.
IdModel::Generate ReadGenerate(MapReader* reader, std::string_view member);
void ReadGeneratedForm(MapReader* reader, const EntityModel& entity, IdModel* id,
                       LoadContext* context);
void LoadGenerated(const AttributeModel& attribute, const Node& node, EntityModel* entity,
                   LoadContext* context);
void LoadPatterns(const Node& node, LoadContext* context);
void LoadOperations(const Node& node, LoadContext* context);
void LoadTenancy(const Node& node, LoadContext* context);
void LoadWorkload(const Node& node, LoadContext* context);
void LoadAlarms(const Node& node, LoadContext* context);
// Checks that need the whole model: the attributes that indexes project, and the patterns that
// forbid deletes.
void CheckProjections(LoadContext* context);
void CheckRestrictedDeletes(LoadContext* context);

// The names of things, for "did you mean".
template <typename Named>
std::vector<std::string> NamesOf(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

// Types and attributes: `string!`, `Certification[]!`, {type: decimal, scale: 2}.

// A type as it stands in an attribute or an input.
struct UsedType {
  TypeModel type;
  bool required = false;  // it was written with !
};

bool IsBuiltInType(std::string_view name);

// The type that a text names. After a finding it is string.
UsedType ReadTypeText(const Node& node, const std::string& subject, LoadContext* context);
// The type that the members of a map describe: type, of, attributes and constraints.
UsedType ReadTypeMembers(MapReader* reader, LoadContext* context);
// The type that a part of the node's text names: decimal in map(decimal).
TypeModel ResolveTypeText(std::string_view text, const Node& node, const std::string& subject,
                          LoadContext* context);

// The attributes of an entity, a mixin or an object. Attributes of an object have fewer members.
std::vector<AttributeModel> ReadAttributes(const Node& node, const std::string& subject,
                                           bool in_object, LoadContext* context);

// Puts min, max, match and the like into a type, and reports the constraints that the type cannot
// have.
void ReadConstraints(MapReader* reader, TypeModel* type, LoadContext* context);

// Reads stored and precision of an instant.
void ReadInstantForm(MapReader* reader, InstantForm* stored, bool* milliseconds);

UnknownAttributes ReadUnknownAttributes(MapReader* reader, UnknownAttributes fallback);

// Says why a value of the file cannot have a type; empty if it can.
std::string WhyNot(const Node& value, const TypeModel& type, const Model& model);

// Templates and rules of the file, with every name in them looked up.

// What the words of a rule may refer to.
struct RuleNames {
  const EntityModel* entity = nullptr;          // whose attributes they are
  bool others = false;                          // Buyer.Status, of the entities that it refers to
  const OperationModel* operation = nullptr;    // input.note, and the entities of the other steps
  const OperationModel::Input* each = nullptr;  // each.Quantity, of the list that a step repeats
};

// Reads a rule and finds out what its words mean and whether its types fit. A word that is neither
// an attribute nor a value of an enum is reported, because it is more likely a typing error than a
// text.
std::optional<Rule> ReadRule(const Node& node, const std::string& subject, const RuleNames& names,
                             const RuleExpectation& expected, LoadContext* context);

// Reads a template. The entity must have its attributes, and their types must fit its formats.
std::optional<Template> ReadTemplate(const Node& node, const std::string& subject,
                                     const EntityModel& entity, LoadContext* context);
// The same for a part of the node's text.
std::optional<Template> ReadTemplateText(const std::string& text, Place place,
                                         const std::string& subject, const EntityModel& entity,
                                         LoadContext* context);

// Reports an attribute that the entity does not have.
bool ExpectAttribute(const std::string& path, Place place, const std::string& subject,
                     const EntityModel& entity, LoadContext* context);
// The entity of that name. If there is none, returns null and reports a finding.
const EntityModel* ExpectEntity(const std::string& name, Place place, const std::string& subject,
                                LoadContext* context);

// Reads the route of a pattern or an operation: GET /buyers/{BuyerId}/sales?from=&to=. The
// parameters in braces must be known, and two routes must differ in more than the names of their
// parameters. Without a route nothing is changed.
struct RouteTarget {
  std::string* method;
  std::string* route;
  bool reads = true;  // patterns are read with GET, operations are never
  std::function<bool(std::string_view name)> is_parameter;
};
void ReadRoute(MapReader* reader, const RouteTarget& target, LoadContext* context);

// Numbers with a unit: 90d, 4KB, 1000/day.

// Milliseconds of 5ms, 30s, 15m, 12h or 90d. Any other text is a finding, and the result is
// nothing.
std::optional<int64_t> ReadDuration(const Node& node, const std::string& subject,
                                    LoadContext* context);
// Bytes of 300, 4KB or 1MB, in units of 1024.
std::optional<int64_t> ReadBytes(const Node& node, const std::string& subject,
                                 LoadContext* context);
// The rate per day of 1000/day, 5/second and the like.
std::optional<double> ReadRate(const Node& node, const std::string& subject, LoadContext* context);
// A count that is not negative.
std::optional<double> ReadCount(const Node& node, const std::string& subject, LoadContext* context);

}  // namespace monotable::model
