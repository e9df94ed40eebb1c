#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/finding.h"
#include "model/model.h"

namespace monotable::model {

// Collects the findings of the checks. A finding that its entity or pattern accepts is left out. At
// the end, Report tells which acceptances were not needed.
class Report final : public FindingSink {
 public:
  Report(const Model& model, Findings* findings) : model_(model), findings_(*findings) {}

  void Add(Finding finding) override;

  // Whether the owner of the subject accepts the finding. Remembers that the acceptance was needed.
  bool Accepts(std::string_view subject, std::string_view id);

  void TellNeedlessAcceptances();

 private:
  const Model& model_;
  Findings& findings_;
  std::set<std::pair<std::string, std::string>> needed_;  // owner and id
};

// The subjects of findings: entities.Sale, entities.Sale.keys.GSI1 (keys.primary for the table's
// own key), patterns.AP6.
std::string SubjectOf(const EntityModel& entity);
std::string SubjectOf(const EntityModel& entity, const AttributeModel& attribute);
std::string SubjectOfKey(const EntityModel& entity, std::string_view index);
std::string SubjectOf(const PatternModel& pattern);

// The checks of CheckModel, by topic. docs/models/findings.md explains every id.

// Whether and how the keys serve the patterns.
void CheckPatterns(const Model& model, Report* report);
// One entity's keys: what identifies its items, and what may be missing or change.
void CheckIdentity(const Model& model, Report* report);
// One entity's keys as text: padding, order, delimiters, length.
void CheckKeyTexts(const Model& model, Report* report);
// Entities that share a table or an index.
void CheckNamespaces(const Model& model, Report* report);
// Partitions whose workload is more than one partition can take.
void CheckPartitions(const Model& model, Report* report);
// Tables, their indexes and expiry.
void CheckTables(const Model& model, Report* report);
// Enums as state machines.
void CheckStates(const Model& model, Report* report);
// What the server guarantees: unique values, copies, transactions, sizes.
void CheckWrites(const Model& model, Report* report);
// Whether the server can tell whose children, references and copies are.
void CheckRelations(const Model& model, Report* report);
// What can never work: names that the server has taken, values derived from themselves, operations
// that set copies, examples with values that do not exist.
void CheckRules(const Model& model, Report* report);
// Operations whose steps can never find their items.
void CheckOperations(const Model& model, Report* report);
// Whether the tenant is in every partition that can be reached.
void CheckTenancy(const Model& model, Report* report);
// Names that expressions can use only by an alias.
void CheckNames(const Model& model, Report* report);

}  // namespace monotable::model
