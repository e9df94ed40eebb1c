#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

// The items that one write of a model names: those that it changes, and those that its rules look
// at, lock or bring along. A transaction is charged for all of them.
namespace monotable::document {

struct WriteItem {
  enum class Action { kCheck, kChange, kMove, kPut, kDelete };

  const model::EntityModel* entity = nullptr;  // of a marker: the entity of its value
  bool marker = false;                         // keeps a value unique
  Action action = Action::kCheck;
  std::set<std::string> changed;  // attributes, with those that follow from them
  double count = 1;
  std::string via;  // the attribute that refers to the item, if a reference led to it
};

// Collects the items of one write in the order in which the server's rules add them. Each rule
// assumes the case that costs more: references are set, and the values that may follow do.
class WriteItems {
 public:
  explicit WriteItems(const model::Model& model) : model_(model) {}

  // `followers` is the number of items that keep a live copy of one source. Zero: as the volumes
  // say.
  void set_followers(double followers) { followers_ = followers; }

  void Create(const model::EntityModel& entity, double count);
  void Update(const model::EntityModel& entity, std::set<std::string> changed, double count);
  // With its members if the model says that they may be deleted together and `cascade` is set.
  void Delete(const model::EntityModel& entity, double count, bool cascade);
  void Check(const model::EntityModel& entity);

  const std::vector<WriteItem>& items() const { return items_; }
  // Numbers that are taken from counters, each in a write of its own.
  double counted() const { return counted_; }

 private:
  // The item of a step, of a parent or of a reference, which the write may name more than once.
  WriteItem* Find(const model::EntityModel& entity, std::string_view via);
  // The item of a step or of a parent. A reference under the name of the item's id, which an
  // earlier item has had, is the same item.
  WriteItem* FindStep(const model::EntityModel& entity);
  WriteItem* Add(const model::EntityModel& entity, WriteItem::Action action, double count);
  void AddReferences(const model::EntityModel& entity, const std::set<std::string>* changed,
                     double count);
  void AddRelated(const model::EntityModel& entity, bool is_new, double count);
  void AddMarkers(const model::EntityModel& entity, WriteItem::Action action,
                  const std::set<std::string>& changed, double count);
  void AddFollowers(const model::EntityModel& source, const std::set<std::string>& changed,
                    double count);
  void AddParent(const model::EntityModel& entity);
  // Brings the sums of the parent along. `changed` is null for a member that comes or goes.
  void FollowInParent(const model::EntityModel& entity, const std::set<std::string>* changed);

  const model::Model& model_;
  double followers_ = 0;
  double counted_ = 0;
  std::vector<WriteItem> items_;
};

// Whether a key is made of one of the attributes.
bool UsesAny(const model::KeyModel& key, const std::set<std::string>& attributes);

// The attributes of an entity that sums in its parent are made of.
std::set<std::string> SummedUp(const model::Model& model, const model::EntityModel& entity);

}  // namespace monotable::document
