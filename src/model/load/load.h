#pragma once

#include <optional>
#include <string_view>

#include "model/finding.h"
#include "model/model.h"
#include "model/node.h"

namespace monotable::model {

// Reads the subset of YAML or JSON that model files may use (docs/models/language.md). Returns
// nothing if the text is not readable; the findings say why, with line and column.
std::optional<Node> ReadDocument(std::string_view text, Findings* findings);

// Makes a model from the text of a file. Loading continues after mistakes to find all of them, and
// returns nothing if there were errors. In a returned model every name refers to something that
// exists.
std::optional<Model> LoadModel(std::string_view text, Findings* findings);

}  // namespace monotable::model
