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

// The keys of entities in tables and indexes, and the texts that those keys can be.
namespace monotable::model {

inline bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The names of a key's attributes; range is empty if the key has none.
struct KeyNames {
  std::string hash;
  std::string range;
};
// The names for the table, or for an index by its name; nothing if there is no such index.
std::optional<KeyNames> KeyNamesOf(const TableModel& table, std::string_view index);

// The templates of an entity's key attributes.
struct KeyTexts {
  Template hash;
  std::optional<Template> range;
  const KeyModel* declared = nullptr;  // null if the index is on attributes of the table's own key
};
// The templates for the table (index empty) or an index; nothing if the entity is not in that
// index.
std::optional<KeyTexts> KeyTextsOf(const TableModel& table, const EntityModel& entity,
                                   std::string_view index);

// An attribute by its path (address.city); null if the entity does not declare it.
const AttributeModel* FindAttribute(const EntityModel& entity, std::string_view path);

// Whether every item has the attribute, because a client must give it or the server fills it in.
bool AlwaysPresent(const Model& model, const EntityModel& entity, std::string_view path);

// The path of an attribute in the stored item: inside the envelope, if the entity has one.
std::string StoredPath(const EntityModel& entity, std::string_view path);

// The first attribute of the entity that the index does not hold. Empty if the index holds all
// attributes, as the table itself does.
std::string FirstMissing(const TableModel& table, const EntityModel& entity,
                         std::string_view index);

// Compares the text that a pattern asks for with the template of an entity's key.

// How far the pattern's text leads into the template of the key.
struct Reach {
  size_t part = 0;            // of the key's template; all of them: the text is a whole key
  size_t offset = 0;          // into that part, if it is literal text
  bool inside_value = false;  // the text ends with the beginning of that part's value
  // Attributes whose value the text writes out: in ITEMSTATUS#SemEstoque, item_status is
  // SemEstoque.
  std::vector<std::pair<std::string, std::string>> written_out;
  std::string mismatch;  // why the text does not begin the key; empty if it does

  bool matches() const { return mismatch.empty(); }
  bool IsWhole(const Template& key) const { return matches() && part == key.parts().size(); }
};

// Follows the text through the key. A value that is written out ends where the next literal text of
// the key begins.
Reach Follow(const Template& text, const Template& key);

bool HasFilter(const TemplatePart& part, TemplatePart::Filter filter);
// The number of digits of a padded number, 3 for {LineNumber:03}; 0 for any other part.
size_t PaddedWidth(const TemplatePart& part);

// The set of texts that a key template can make, as far as the types of its attributes tell: an
// instant begins with a digit, a number padded to three has three digits, and no value contains the
// characters that the model forbids in keys. The set may be larger than the true one but never
// smaller. Two shapes that do not meet therefore prove that two entities are never confused.
// Immutable once built.
class TextShape {
 public:
  // The shape of a template whose attributes belong to the entity.
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
