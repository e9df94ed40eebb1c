#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/template/template.h"

namespace monotable::model {

// The texts that a template can make, as far as its parts tell: a row of steps, each of which takes
// one byte, or one or more bytes, out of a set. The set of texts is never smaller than the true
// one.
class TemplateShape {
 public:
  TemplateShape(const std::vector<TemplatePart>& parts, const Template::Rules& rules);

  // The end of each part of the template in the text. Nothing if the text does not have this shape,
  // or if there are several ways to divide it.
  std::optional<std::vector<size_t>> Divide(std::string_view text) const;

 private:
  using Bytes = std::bitset<256>;
  struct Step {
    Bytes bytes;
    bool repeats = false;
    size_t part = 0;
    bool Takes(char c) const { return bytes[static_cast<unsigned char>(c)]; }
  };

  void AddLiteral(std::string_view text, size_t part);
  void AddValue(const TemplatePart& value, size_t part, const Template::Rules& rules);

  std::vector<Step> steps_;
  size_t parts_;
};

// Whether delimiters or widths separate the parts: every value has a fixed width, is the last part,
// or is followed by text that begins with a character which values must not contain. Most keys are
// of this kind (SALE#{SaleId}#LINE#{Number:03}), and dividing them is the main cost of recognising
// stored items.
bool IsDelimited(const std::vector<TemplatePart>& parts, const Template::Rules& rules);

// The same as TemplateShape::Divide for a delimited template, but in one pass.
std::optional<std::vector<size_t>> DivideAtDelimiters(const std::vector<TemplatePart>& parts,
                                                      std::string_view text,
                                                      const Template::Rules& rules);

}  // namespace monotable::model
