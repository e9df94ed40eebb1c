#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/template/template.h"

// Comparing the text that a pattern asks for with the template that an entity's key is made of.
namespace monotable::model {

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

// The part as a template spells it: {LineNumber:03}, or its literal text.
std::string PartText(const TemplatePart& part);
bool HasFilter(const TemplatePart& part, TemplatePart::Filter filter);
// The digits of a padded number, 3 of {LineNumber:03}; 0 if the part is something else.
size_t PaddedWidth(const TemplatePart& part);

}  // namespace monotable::model
