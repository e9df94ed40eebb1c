#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "model/model.h"

namespace monotable::model {

// The text of a model file with everything that there is to say about it.
struct CheckedText {
  std::optional<Model> model;     // nothing if it has mistakes that keep it from being loaded
  std::vector<Finding> findings;  // in the order of the file

  long Count(Severity severity) const;
  bool has_errors() const { return Count(Severity::kError) > 0; }
};

// Loads and checks.
CheckedText CheckText(std::string_view text);

}  // namespace monotable::model
