#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model.h"
#include "model/template/template.h"

// Where an entity is in a table or in one of its indexes.
namespace monotable::model {

inline bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The names of a key's attributes; range is empty if the key has none.
struct KeyNames {
  std::string hash;
  std::string range;
};
// Of the table, or of an index by its name; nothing if there is no such index.
std::optional<KeyNames> KeyNamesOf(const TableModel& table, std::string_view index);

// What an entity's key attributes are made of.
struct KeyTexts {
  Template hash;
  std::optional<Template> range;
  const KeyModel* declared = nullptr;  // null if the index is on attributes of the table's own key
};
// Of the table (index empty) or an index; nothing if the entity is not in that index.
std::optional<KeyTexts> KeyTextsOf(const TableModel& table, const EntityModel& entity,
                                   std::string_view index);

// An attribute by its path (address.city); null if the entity does not declare it.
const AttributeModel* FindAttribute(const EntityModel& entity, std::string_view path);

// Whether every item has it, because a client must give it or the server fills it in.
bool AlwaysPresent(const Model& model, const EntityModel& entity, std::string_view path);

// How an attribute is named in the stored item: in its envelope, if the entity has one.
std::string StoredPath(const EntityModel& entity, std::string_view path);

// The first attribute of the entity that the index does not hold; empty if it holds all, as the
// table itself does.
std::string FirstMissing(const TableModel& table, const EntityModel& entity,
                         std::string_view index);

// Comparing the text that a pattern asks for with the template that an entity's key is made of.

// How far into the key's template the pattern's text leads.
struct Reach {
  size_t part = 0;            // of the key's template; all of them: the text is a whole key
  size_t offset = 0;          // into that part, if it is literal text
  bool inside_value = false;  // the text ends with the beginning of that part's value
  // Attributes whose value the text writes out: item_status is SemEstoque in ITEMSTATUS#SemEstoque.
  std::vector<std::pair<std::string, std::string>> written_out;
  std::string mismatch;  // why it is no beginning of the key, in one clause; empty if it is one

  bool matches() const { return mismatch.empty(); }
  bool IsWhole(const Template& key) const { return matches() && part == key.parts().size(); }
};

// A value that is written out ends where the key's next literal text begins.
Reach Follow(const Template& text, const Template& key);

bool HasFilter(const TemplatePart& part, TemplatePart::Filter filter);
// The digits of a padded number, 3 of {LineNumber:03}; 0 if the part is something else.
size_t PaddedWidth(const TemplatePart& part);

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
