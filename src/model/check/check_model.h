#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "model/model.h"

namespace monotable::model {

// Reports everything that can be known about a design before it holds an item: whether the keys
// serve the patterns (PlanPattern), collisions, overlaps, hot partitions, sizes, projections,
// tenancy. docs/models/findings.md lists the ids. Findings that the model accepts are left out.
void CheckModel(const Model& model, Findings* findings);

// A model file with its model and all findings about it.
struct CheckedText {
  std::optional<Model> model;     // nothing if it has mistakes that keep it from being loaded
  std::vector<Finding> findings;  // in the order of the file

  long Count(Severity severity) const;
  bool has_errors() const { return Count(Severity::kError) > 0; }
};

// Loads the text and checks the model.
CheckedText CheckText(std::string_view text);

}  // namespace monotable::model
