#include "model/load/load.h"

#include <algorithm>
#include <utility>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

constexpr std::string_view kFormat = "stm/1";

// A model name is [a-z][a-z0-9-]*, because it becomes part of a URL and of file names.
bool IsModelName(std::string_view text) {
  if (text.empty() || !text::IsLower(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return text::IsLower(c) || text::IsDigit(c) || c == '-'; });
}

void LoadHeader(MapReader* reader, LoadContext* context) {
  // Editors find the JSON schema by this member. It says nothing about the model.
  reader->Text("$schema");
  const std::string format = reader->RequiredText("format");
  if (!format.empty() && format != kFormat) {
    context->Error("unknown_format", reader->Find("format")->place, "format",
                   Quoted(format) + " is not a format that this program reads.",
                   "Write format: " + std::string(kFormat) + ".");
  }
  Model& model = context->model;
  model.name = reader->RequiredText("model");
  if (!model.name.empty() && !IsModelName(model.name)) {
    context->Error("bad_model_name", reader->Find("model")->place, "model",
                   Quoted(model.name) + " cannot be the name of a model.",
                   "Use lowercase letters, digits and -, and begin with a letter.");
  }
  model.title = reader->Text("title");
  model.version = reader->Text("version");
  model.description = reader->Text("description");
  model.samples = reader->Text("samples");
  model.forbidden_in_keys = "#";
}

void LoadSections(MapReader* reader, LoadContext* context) {
  using Section = void (*)(const Node&, LoadContext*);
  const auto load = [&](std::string_view name, Section section) {
    const bool required = name == "tables" || name == "entities";
    const Node* node = required ? reader->Require(name) : reader->Find(name);
    if (node != nullptr) section(*node, context);
  };
  load("defaults", LoadDefaults);
  load("parameters", LoadParameters);
  load("environments", LoadEnvironments);
  load("tables", LoadTables);
  load("enums", LoadEnums);
  load("types", LoadTypes);
  load("entities", LoadEntities);
  load("collections", LoadCollections);
  LoadEntityRules(context);
  load("patterns", LoadPatterns);
  load("operations", LoadOperations);
  load("tenancy", LoadTenancy);
  load("workload", LoadWorkload);
  load("alarms", LoadAlarms);
  reader->Finish();
  CheckProjections(context);
  CheckRestrictedDeletes(context);
}

}  // namespace

std::optional<Model> LoadModel(std::string_view text, Findings* findings) {
  const std::optional<Node> document = ReadDocument(text, findings);
  if (!document) return std::nullopt;
  Findings found;
  LoadContext context(&found);
  MapReader reader(*document, "", &found);
  if (reader.is_map()) {
    LoadHeader(&reader, &context);
    LoadSections(&reader, &context);
  }
  // Sections are read in the order in which they need each other, and authors read from the top.
  std::vector<Finding> sorted = found.all();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  for (Finding& finding : sorted) findings->Add(std::move(finding));
  if (found.has_errors()) return std::nullopt;
  return std::move(context.model);
}

}  // namespace monotable::model
