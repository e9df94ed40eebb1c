#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entities/application.h"
#include "entities/write/draft.h"
#include "entities/write/plan.h"
#include "error/result.h"

namespace monotable::entities {

// When a rule acts on an item, in the order of a write. Rules that change values come before rules
// that check them.
enum class Phase : uint8_t {
  kFill,    // a new or replaced item gets values, before its key is made of them
  kRelate,  // the item stays or comes: what it refers to must be there, and it takes values from it
  kRemove,  // the item goes: others may still need it, or go with it
  kDerive,  // values that follow from other values; runs again when other items have changed
  kSpread,  // other items follow a change of this one
  kRetake,  // several items change: what one took from another may be old, or gone
  kStamp,   // the item does change, so it says when and by whom
  kCheck,   // the item is as it will be written
  kMark,    // internal items follow
};
inline constexpr size_t kPhases = 9;

// The attributes of an item that is about to get its place.
struct Filling {
  const Entity& entity;
  item::Map* attributes;
  bool is_new;  // false: it replaces an item
};

// One rule of one entity: something that the model declares and that holds after every write. Its
// file says what the rule reads and locks, what it changes and what it refuses.
//
// A rule never writes. It works on the draft of a plan: it loads the items that it looks at, so
// that they are locked and compared when the write is decided, changes slots, and refuses with a
// problem. The items of a range are read through Draft::reader for the same reason.
//
// A rule is compiled once, when the application is made, and an entity that does not need it does
// not have it. Immutable and thread-safe.
class WriteRule {
 public:
  virtual ~WriteRule() = default;

  // The phases in which the rule has something to do. It is called in no other.
  virtual std::vector<Phase> phases() const = 0;

  virtual Status Fill(Plan* /*plan*/, const Filling& /*filling*/) const { return {}; }
  // What happens to one item in a phase other than kFill.
  virtual Status Apply(Phase /*phase*/, Plan* /*plan*/, Slot* /*slot*/) const { return {}; }
};

}  // namespace monotable::entities
