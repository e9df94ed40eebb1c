#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "model/template/template.h"

namespace monotable::model {

// Takes a template apart; Template::Parse is what others call.
Result<std::vector<TemplatePart>> ParseTemplateParts(std::string_view text);

// A part as it is written: {LineNumber:03}.
std::string TemplatePartText(const TemplatePart& part);

}  // namespace monotable::model
