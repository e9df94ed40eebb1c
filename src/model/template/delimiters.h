#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/template/template.h"

namespace monotable::model {

// Whether the parts can be told apart at a glance: every value has a fixed width, is the last part,
// or is followed by text that begins with a character which values must not contain. Most keys are
// so (SALE#{SaleId}#LINE#{Number:03}), and dividing them is what recognising stored items costs.
bool IsDelimited(const std::vector<TemplatePart>& parts, const Template::Rules& rules);

// What TemplateShape::Divide says of a template that is delimited, but in one pass.
std::optional<std::vector<size_t>> DivideAtDelimiters(const std::vector<TemplatePart>& parts,
                                                      std::string_view text,
                                                      const Template::Rules& rules);

}  // namespace monotable::model
