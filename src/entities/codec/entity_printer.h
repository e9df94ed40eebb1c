#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "entities/application.h"
#include "entities/codec/codec.h"

namespace monotable::entities {

// What is to be done with a stored value to show it.
struct ValuePlan {
  enum class Form {
    kPlain,        // as it is stored
    kBrazilian,    // text to ISO 8601
    kEpoch,        // seconds to ISO 8601
    kEpochMillis,  // milliseconds to ISO 8601
    kObject,       // members by their own plans
    kElements,     // all members by one plan
    kSkip,         // not shown
    kEnvelope,     // members are shown as the item's own
  };
  struct Member;

  Form form = Form::kPlain;
  std::vector<Member> members;         // of kObject and kEnvelope; sorted by name, as items are
  bool shows_unknown = false;          // other members are shown as they are stored
  std::shared_ptr<ValuePlan> element;  // of kElements
};

struct ValuePlan::Member {
  std::string name;
  std::string opening;  // ,"name":
  ValuePlan value;
};

// How the items of an entity are shown, found out once. Immutable and thread-safe.
class EntityPrinter {
 public:
  // The entity is complete but for its printer, and outlives it.
  explicit EntityPrinter(const Entity& entity);

  void Append(encoding::ItemView item, const Presentation& presentation, bool open,
              std::string* out) const;

  // An attribute that is read out of a key.
  struct FromKey {
    const model::AttributeModel* attribute;
    std::string opening;
  };
  struct Key {
    std::string attribute;  // PK
    const model::Template* text;
    std::vector<FromKey> attributes;
  };

 private:
  ValuePlan item_;
  std::vector<Key> keys_;  // the keys that attributes are read out of
  model::Template::Rules rules_;
  std::string envelope_;
};

}  // namespace monotable::entities
