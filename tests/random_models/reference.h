#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "random_models/call.h"
#include "random_models/design.h"
#include "random_models/values.h"

// What the documentation of models says, written down once more: plain maps, one rule a function,
// every question answered by looking at all items. Slow and obvious; it shares no code with the
// product.
namespace monotable::random_models {

// Why a write is refused: all rules that it breaks, by the codes of problems. A server may name any
// of them. An accepted write has none.
using Refusals = std::set<std::string>;

using State = std::map<Key, Item>;

class Reference {
 public:
  explicit Reference(const Design& design) : design_(design) {}

  // Does a call if no rule refuses it. `made` has the keys of the items that the server says to
  // have written, in the order of the changes, for ids that the server makes. Empty if the server
  // has refused the call.
  Refusals Apply(const Call& call, const std::vector<Attributes>& made, int64_t now_seconds);

  const State& state() const { return state_; }
  const Design& design() const { return design_; }
  // Begins again with these items.
  void Reset(State state) { state_ = std::move(state); }

  // Everything that the table holds, the markers of unique values too.
  std::map<Key, Stored> Table() const;
  // The rules that the items of the table break, in sentences.
  std::vector<std::string> Audit(bool with_copies) const;

  // An item of the table taken apart; nothing if it belongs to no entity. Attributes that the
  // entity does not know are among the unknown.
  struct Parsed {
    Item item;
    std::set<std::string> unknown;
  };
  std::optional<Parsed> Parse(const Stored& stored) const;
  Stored StoredOf(const Item& item) const;
  static std::pair<Rendered, Key> KeyOf(const EntityDesign& entity, const Attributes& attributes);

 private:
  const Design& design_;
  State state_;
};

// The rules of one write, from the changes to the refusals; see reference_rules.cc.
class Draft {
 public:
  Draft(const Design& design, const State& before, int64_t now, std::string caller,
        std::optional<std::string> tenant)
      : design_(design),
        before_(before),
        after_(before),
        now_(now),
        caller_(std::move(caller)),
        tenant_(std::move(tenant)) {}

  // The changes, one after the other; see reference.cc.
  void Add(const Change& change, const Attributes* made);
  void AddOperation(const OperationDesign& operation, const Call& call,
                    const std::vector<Attributes>& made);
  void AddRaw(const RawWrite& write, const Reference& reference);
  // What follows from them, and whether the result may be.
  void Settle();

  const Refusals& refusals() const { return refusals_; }
  // The rules that the items break by themselves, in sentences.
  std::vector<std::string> Audit(bool with_copies) const;
  State TakeResult() { return std::move(after_); }

 private:
  void Refuse(const std::string& code) { refusals_.insert(code); }
  const Item* Before(const Key& key) const;
  const Item* Old(const Key& key) const;  // also if its key has changed
  const Item* Now(const Key& key) const;

  // Changes.
  std::optional<Attributes> Decode(const EntityDesign& entity, const Attributes& body);
  bool Inject(Attributes* attributes);
  bool AddRoute(const Attributes& key, Attributes* attributes);
  void FillDefaults(const EntityDesign& entity, Attributes* attributes) const;
  void StampItem(const EntityDesign& entity, const Item* old, bool raw,
                 Attributes* attributes) const;
  std::optional<Key> Place(const EntityDesign& entity, const Attributes& attributes);
  // Refuses with not_found if there is none and the caller wants it said.
  std::optional<Key> FindExisting(const EntityDesign& entity, const Attributes& key, bool say);
  bool Expected(Expectation expectation, const Key& key, bool is_new);
  std::optional<Key> PutNew(const EntityDesign& entity, Attributes attributes,
                            const Attributes* made);
  std::optional<Key> Rewrite(const Key& key, Attributes attributes);
  void Create(const Change& change, const Attributes* made);
  void Update(const Change& change);
  void Remove(const Key& key, bool cascade);

  // Rules.
  bool IsExpired(const Item& item) const;
  bool IsFrozen(const Item& item, const CopyDesign& copy) const;
  const Item* Referenced(const Item& item, const AttributeDesign& attribute) const;
  bool RefersTo(const Item& item, const AttributeDesign& attribute, const Item& target) const;
  // Whether the attribute refers to something else than it did in the old item.
  bool RefersAnew(const Item* old, const Item& item, const AttributeDesign& attribute) const;
  bool IsSummedUp(const EntityDesign& parent, const EntityDesign& child) const;
  static const Value* UniqueValue(const Item& item, const UniqueDesign& unique,
                                  std::vector<Value>* scope);
  bool IsChildOf(const Item& child, const Item& parent) const;
  std::optional<Key> ParentOf(const State& state, const Item& child) const;
  void CascadeDeletes();
  void RestrictDeletes();
  void MoveChildren();
  void CheckParents();
  void CheckOnlyOnes();
  void CheckReferences();
  void TakeCopies();
  bool FanOutCopies();
  void TouchParents();
  std::optional<Value> Evaluate(const Item& item, const Formula& formula) const;
  bool DeriveAll();
  void Conclude();
  void CheckFields(const EntityDesign& entity, const Item& item);
  void CheckTransitions(const Item& old, const Item& item);
  void CheckAsserts(const EntityDesign& entity, const Item& item);
  void CheckUnique();

  const Design& design_;
  const State& before_;
  State after_;
  const int64_t now_;
  const std::string caller_;
  const std::optional<std::string> tenant_;
  Refusals refusals_;
  std::set<Key> touched_;          // items that are written, also those that are deleted
  std::map<Key, Key> moved_from_;  // by the new key
  std::set<Key> cascading_;        // deleted with their members
  std::set<Key> raw_;              // written by a client of the DynamoDB API itself
  std::set<Key> fresh_;            // took the place of an expired item
  std::vector<Key> results_;       // of the steps of an operation
};

}  // namespace monotable::random_models
