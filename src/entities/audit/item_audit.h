#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "entities/audit/audit.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"
#include "entities/write/plan.h"

namespace monotable::entities {

// The table whose items are looked at.
struct AuditedTable {
  const Application& application;
  const model::TableModel& model;
  engine::TablePtr table;
  const Entity& first_entity;               // any entity of the table
  std::vector<const Application*> sharing;  // other models that have this table
};

// The largest number in an id that a counter has given or may give, and the item that has it.
struct UsedNumber {
  int64_t number = 0;
  item::Item key;
};

// Looks at one item of a table, in a draft. Every item and range that it reads is in the draft, so
// the breaches are true if the draft can be decided. In a repair, the draft holds the corrections;
// otherwise it changes nothing. The same code finds a breach and makes its correction: a breach is
// a difference between what is stored and what the rules make of it.
//
// Not thread-safe; one for each attempt.
class ItemAudit {
 public:
  ItemAudit(const AuditedTable& audited, bool repair, Draft* draft);

  // Looks at the item that is stored under a key. An item that is gone breaks nothing.
  Status LookAt(std::string_view stored_key);
  // Compares the counter of an entity's ids with the largest number that is in use.
  Status LookAtCounter(const Entity& entity, const UsedNumber& used);

  std::vector<Breach>& breaches() { return breaches_; }
  // Says of everything that a repair would have corrected why it cannot.
  void GiveUpRepairs(const std::string& why);
  // Whether the draft changes anything.
  bool has_corrections() const;
  // The number in the id of the item, if its ids are counted.
  const std::map<const Entity*, UsedNumber>& numbers() const { return numbers_; }

 private:
  // item_audit.cc: items of entities.
  Status LookAtEntity(Slot* slot);
  void LookForUnknown(const Slot& slot);
  Status DeriveAgain(Slot* slot);
  Status CompareCopies(Slot* slot);
  Status CompareCopy(Slot* slot, const model::CopyModel& copy);
  Result<bool> IsOnItsWay(const Slot& source);
  Status CheckReferences(const Slot& slot);
  Status CheckParent(const Slot& slot);
  Status CheckOnlyChild(const Slot& slot);
  void CheckTenant(const Slot& slot, const Slot& parent);
  Status CheckAssertions(const Slot& slot);
  void CheckValues(const Slot& slot);
  Status CompareItem(Slot* slot, const item::Item& stored);
  Status CompareKey(Slot* slot, const item::Item& expected);
  void NoteNumber(const Slot& slot);

  // internal_audit.cc: markers, counters, jobs.
  Status CompareMarkers(const Slot& slot, const Record& record, const item::Item& owner);
  Result<bool> IsOwner(const item::Item& owner, const std::string& name);
  Status LookAtInternal(Slot* slot, const item::Item& item);
  Status LookAtMarker(Slot* slot, const item::Item& item, const std::string& name);
  Status LookAtJob(Slot* slot, const item::Item& item);
  Status LookAtStoredCounter(Slot* slot, const item::Item& item, const std::string& name);
  void Remove(Slot* slot);

  Breach& Add(Breach::Kind kind, Breach::State state, std::string attribute, std::string message,
              std::string remedy);
  const AuditedTable& audited_;
  const bool repair_;
  Draft& draft_;
  Ids ids_;
  Caller nobody_;
  Plan plan_;
  std::vector<Breach> breaches_;
  const Entity* entity_ = nullptr;  // of the item
  item::Item key_;                  // of the item
  std::map<const Entity*, UsedNumber> numbers_;
};

}  // namespace monotable::entities
