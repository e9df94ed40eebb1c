#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/plan/read_plan.h"

// Mermaid diagrams of a model, each as a fenced block of Markdown.
namespace monotable::document {

// The states of an enum and their transitions. Empty for enums without listed transitions.
std::string StateDiagram(const model::EnumModel& states);

// Entities with the attributes of their keys, parents with their children, and references.
std::string EntityDiagram(const model::Model& model);

// The table or index that each pattern reads. `plans` has the plan of each pattern, in order.
std::string AccessDiagram(const model::Model& model, const std::vector<model::ReadPlan>& plans);

}  // namespace monotable::document
