#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

// The changes between two versions of a model, and their consequences for operators and clients.
namespace monotable::deploy {

// From the least to the most trouble.
enum class ChangeKind {
  kHarmless,  // serving the new model is enough
  kDeploy,    // tables must be changed: monotable model deploy
  kRewrite,   // items that are stored already must be written anew
  kBreaking,  // clients that relied on the old model fail
};

std::string_view ChangeKindName(ChangeKind kind);  // harmless, needs deploy, …

struct Change {
  ChangeKind kind = ChangeKind::kHarmless;
  std::string subject;  // entities.Sale.attributes.Total
  std::string what;     // is required now
  std::string reason;   // why it is of its kind, in one sentence
};

// The changes, in the order of the sections of a model. Titles, descriptions and the like do not
// count.
std::vector<Change> DiffModels(const model::Model& before, const model::Model& after);

// The changes as Markdown: a line of counts, then a section for each kind, the worst kind first.
std::string ReportChanges(const std::vector<Change>& changes);

}  // namespace monotable::deploy
