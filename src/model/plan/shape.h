#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace monotable::model {

// The set of texts that a key template can make, as far as the types of its attributes tell: an
// instant begins with a digit, a number padded to three has three digits, and no value contains the
// characters that the model forbids in keys. Larger than the true set, never smaller, so that two
// shapes that do not meet prove that two entities are never mixed up. Immutable once built.
class TextShape {
 public:
  // The attributes are those of the entity.
  static TextShape Of(const Model& model, const EntityModel& entity, const Template& text);

  // The same texts with anything after them: what a begins_with finds.
  TextShape AndMore() const;

  // Whether some text has both shapes.
  bool Meets(const TextShape& other) const;

 private:
  using Bytes = std::bitset<256>;
  // One byte of a set, or any number of such bytes.
  struct Element {
    Bytes bytes;
    bool repeated = false;
  };

  void Literal(std::string_view text);
  void One(const Bytes& bytes) { elements_.push_back({bytes, false}); }
  void Any(const Bytes& bytes) { elements_.push_back({bytes, true}); }
  void Attribute(const Model& model, const EntityModel& entity, const TemplatePart& part);
  void Enumeration(const EnumModel& type);
  void Text(const TypeModel* type, const TemplatePart& part, std::string_view forbidden);

  std::vector<Element> elements_;
};

}  // namespace monotable::model
