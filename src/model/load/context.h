#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "model/model.h"
#include "model/node.h"

// What the parts of the loader share, and the parts themselves: one function for each section of
// the file, in the order in which LoadModel calls them.
namespace monotable::model {

// Where an entity was written, for what can only be read once all entities are known.
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

  // Declared under types. A type is read when something names it for the first time.
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
// Types and mixins, whether or not something uses them.
void LoadTypes(const Node& node, LoadContext* context);
// Names, tables, attributes and keys.
void LoadEntities(const Node& node, LoadContext* context);
void LoadCollections(const Node& node, LoadContext* context);
// What entities say about each other: references, copies, rules.
void LoadEntityRules(LoadContext* context);
void LoadPatterns(const Node& node, LoadContext* context);
void LoadOperations(const Node& node, LoadContext* context);
void LoadTenancy(const Node& node, LoadContext* context);
void LoadWorkload(const Node& node, LoadContext* context);
void LoadAlarms(const Node& node, LoadContext* context);
// What needs everything to be read: the attributes that indexes project, and the patterns that
// forbid deletes.
void CheckProjections(LoadContext* context);
void CheckRestrictedDeletes(LoadContext* context);

// The names of things, for "did you mean".
template <typename Named>
std::vector<std::string> NamesOf(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

}  // namespace monotable::model
