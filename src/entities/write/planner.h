#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "entities/read/find_entities.h"
#include "entities/write/copies.h"
#include "entities/write/draft.h"
#include "entities/write/entity_writer.h"
#include "entities/write/ids.h"

namespace monotable::entities {

// An item that is not as If-Match says.
Error Changed(const std::string& current_tag);
// Corrects the place of a problem with a key: it is in a parameter of the route, or in a body that
// is only one part of the body of the request.
Status Located(Status status, const item::Map& route, const std::string& body_path);

// Decides what changes of entities do to the items of a table, with every rule of the model. It
// works on a draft: the changes go in first, then Finish makes them whole (copies, sums, markers,
// other items that must follow) and checks them. Not thread-safe; one for each attempt.
class Planner {
 public:
  Planner(const Application& application, const Caller& caller, Ids* ids, Draft* draft)
      : application_(application), caller_(caller), ids_(*ids), draft_(*draft) {}

  Status AddChange(const Change& change);
  Status AddOperation(const OperationCall& call);
  // A change of the DynamoDB API: what the item is to become, or nothing if it is deleted. Stamps
  // and defaults stay as the client wrote them.
  Status AddRaw(const Entity& entity, const item::Item& key, std::optional<item::Item> item);
  // What is deleted from now on has expired: nothing holds it up, and its collection goes with it
  // if the model says so.
  void Expire() { expires_ = true; }
  // Gives the values of a source, which must exist, to the followers that do not have them yet. The
  // items that were found may be old: each is read again under its lock.
  Status AddFollowers(const Slot& source, const Followers& followers,
                      const std::vector<Found>& found);
  Status Finish();

  // The slots of the changes in order, or what an operation wrote.
  const std::vector<Slot*>& results() const { return results_; }

 private:
  // planner.cc: changes become slots.
  Status Create(const Change& change);
  Status Update(const Change& change);
  Status Delete(const Change& change);
  // A key that is taken may be avoided, unless the client has named the item.
  Result<Slot*> PlaceNew(const Entity& entity, item::Map attributes, const std::string& path,
                         bool may_bump = true);
  Result<Slot*> PlaceAt(const Entity& entity, const item::Map& attributes);
  Result<Slot*> FindExisting(const Entity& entity, const item::Map& key);
  // Puts new attributes into a slot; the result is another slot if the key changes.
  Result<Slot*> Rewrite(Slot* slot, item::Map attributes, const std::string& path);
  Status CheckPreconditions(const Change& change, const Slot& slot) const;
  bool IsGone(const Slot& slot) const;
  Status InjectTenant(const Entity& entity, item::Map* attributes) const;

  // planner_operation.cc: declared operations become changes.
  struct Call;
  Status RunStep(const Call& call, const model::OperationModel::Step& step);
  Status RunPut(const Call& call, const model::OperationModel::Step& step);
  Status RunUpdate(const Call& call, const model::OperationModel::Step& step);
  Status RunDelete(const Call& call, const model::OperationModel::Step& step);
  Status RunCheck(const Call& call, const model::OperationModel::Step& step);
  Result<Slot*> FindFor(const Call& call, const Entity& entity, const item::Map& given);
  Result<item::Map> KeyFor(const Call& call, const Entity& entity, item::Map given) const;
  Result<item::Map> Computed(const Call& call, const model::OperationModel::Step& step,
                             const Entity& entity, item::Map attributes);

  // fill.cc: values that the server gives to an item.
  Status FillNew(const Entity& entity, item::Map* attributes);
  Status FillDefaults(const Entity& entity, item::Map* attributes);
  Status FillDefaultsFromReferences(Slot* slot);
  void Stamp(const Entity& entity, const Record* old_record, item::Map* attributes) const;
  Status Derive(Slot* slot);

  // relations.cc: other items that a rule looks at.
  Result<Slot*> Referenced(const Slot& slot, const model::AttributeModel& attribute);
  Result<Slot*> ParentOf(const Slot& slot, KeyLocks::Mode mode);
  Result<Slot*> Related(const Slot& slot, std::string_view entity_name);
  Result<std::vector<const Record*>> Members(const Slot& slot, std::string_view member);
  Result<bool> Test(const Slot& slot, const model::Rule& rule);
  Result<std::optional<item::Value>> Evaluate(const Slot& slot, const model::Rule& rule,
                                              const item::Map* inputs);
  Status CheckReferences(Slot* slot);
  Status CheckParent(Slot* slot);
  Status LockOnlyOne(const Entity& entity, const item::Map& attributes);
  Status CheckOnlyOne(Slot* slot);
  Status CheckDelete(Slot* slot);
  Status FollowInParent(Slot* slot);

  // copies.cc: values that follow those of other items.
  Status Copy(Slot* slot);
  Status FanOutCopies(Slot* slot);

  // settle.cc: what may be written.
  Status CheckTransitions(const Slot& slot) const;
  Status CheckAsserts(const Slot& slot);
  Status CheckFields(const Slot& slot) const;

  // unique_values.cc: markers of unique values.
  Status KeepUnique(Slot* slot);
  Result<bool> IsStale(const Entity& entity, const Slot& marker, const std::string& name,
                       const item::Item& claimant);

  // settle.cc: what follows from the changes, in rounds.
  Status Settle(Slot* slot);
  Status Conclude(Slot* slot);

  const Application& application_;
  const Caller& caller_;
  Ids& ids_;
  Draft& draft_;
  bool raw_ = false;
  bool expires_ = false;
  size_t followers_ = 0;  // found for all changes so far, see ApplicationSettings
  bool matched_ = false;  // If-Match of an operation was compared
  std::vector<Slot*> results_;
  // Records of members that were read to be summed up; they live as long as the planner.
  std::vector<std::unique_ptr<Record>> read_members_;
};

}  // namespace monotable::entities
