#include <set>
#include <string>

#include "expression/reserved_words.h"
#include "model/check/passes.h"
#include "model/plan/expression.h"

namespace monotable::model {
namespace {

// Tells of each name once, where it is first.
class NameCheck {
 public:
  explicit NameCheck(Report* report) : report_(*report) {}

  void Look(const std::string& name, Place place, const std::string& subject) {
    if (name.empty() || !NeedsAlias(name)) return;
    const std::string id = expression::IsReservedWord(name) ? "reserved_word" : "needs_alias";
    if (report_.Accepts(subject, id) || !told_.insert(name).second) return;
    if (id == "reserved_word") {
      report_.Info(id, place, subject,
                   name +
                       " is a reserved word of DynamoDB; expressions that clients write must "
                       "name it by an alias.");
    } else {
      report_.Info(id, place, subject,
                   "Expressions that clients write cannot name " + name + " but by an alias.");
    }
  }

  // The attribute and those inside it, which paths name in the same way.
  void Look(const AttributeModel& attribute, const std::string& subject) {
    Look(attribute.name, attribute.place, subject);
    const TypeModel* type = &attribute.type;
    while (type->element) type = type->element.get();
    for (const AttributeModel& inner : type->attributes) Look(inner, subject);
  }

 private:
  Report& report_;
  std::set<std::string> told_;
};

}  // namespace

void CheckNames(const Model& model, Report* report) {
  NameCheck check(report);
  for (const TableModel& table : model.tables) {
    const std::string subject = "tables." + table.id;
    const auto look = [&](const table::KeySchema& key, Place place) {
      for (const auto& attribute : key.hash) check.Look(attribute.name, place, subject);
      for (const auto& attribute : key.range) check.Look(attribute.name, place, subject);
    };
    look(table.key, table.place);
    for (const IndexModel& index : table.indexes) look(index.key, index.place);
    check.Look(table.type_attribute, table.place, subject);
    check.Look(table.ttl_attribute, table.place, subject);
  }
  for (const EntityModel& entity : model.entities) {
    check.Look(entity.envelope, entity.place, SubjectOf(entity));
    for (const AttributeModel& attribute : entity.attributes) {
      check.Look(attribute, SubjectOf(entity, attribute));
    }
  }
}

}  // namespace monotable::model
