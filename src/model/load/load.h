#pragma once

#include <optional>
#include <string_view>

#include "model/finding.h"
#include "model/model.h"
#include "model/node.h"

namespace monotable::model {

// Reads YAML or JSON of the subset that model files may use (docs/models/language.md). Nothing if
// it is not readable; the findings say why, with line and column.
std::optional<Node> ReadDocument(std::string_view text, Findings* findings);

// Makes a model of a file's text. Goes on after mistakes to find them all; nothing if there were
// errors. What it returns is whole: every name in it is of something that exists.
std::optional<Model> LoadModel(std::string_view text, Findings* findings);

}  // namespace monotable::model
