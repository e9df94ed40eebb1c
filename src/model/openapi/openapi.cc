#include "model/openapi/openapi.h"

#include <set>

#include "json/json_writer.h"
#include "model/describe/json.h"
#include "model/openapi/components.h"
#include "model/openapi/entity_schema.h"
#include "model/openapi/operation_head.h"
#include "model/openapi/paths.h"
#include "model/openapi/shared.h"

namespace monotable::model {
namespace {

void WriteInfo(const Model& model, json::Writer* out) {
  out->Key("info").BeginObject();
  out->Key("title").String(model.title.empty() ? model.name : model.title);
  if (!model.description.empty()) out->Key("description").String(model.description);
  out->Key("version").String(model.version.empty() ? "0" : model.version);
  out->Key("x-stm-model").String(model.name).EndObject();
}

void WriteTag(std::string_view name, std::string_view description, json::Writer* out) {
  out->BeginObject().Key("name").String(name);
  if (!description.empty()) out->Key("description").String(description);
  out->EndObject();
}

void WriteTags(const Model& model, json::Writer* out) {
  out->Key("tags").BeginArray();
  for (const EntityModel& entity : model.entities) {
    std::string text = entity.title;
    if (!entity.description.empty()) text += (text.empty() ? "" : ". ") + entity.description;
    WriteTag(entity.name, text, out);
  }
  WriteTag("Patterns", "Every access pattern by its name, with all of its parameters in the query.",
           out);
  WriteTag("Transactions", "Several writes that happen together or not at all.", out);
  out->EndArray();
}

std::set<std::string> DeclaredIds(const Model& model) {
  std::set<std::string> ids;
  for (const PatternModel& pattern : model.patterns) ids.insert(Components::NameOf(pattern.name));
  for (const OperationModel& operation : model.operations) {
    ids.insert(Components::NameOf(operation.name));
  }
  return ids;
}

}  // namespace

std::string ToOpenApi(const Model& model, const OpenApiOptions& options) {
  Components components;
  AddSharedSchemas(&components);
  EntitySchemas schemas(model, &components);
  schemas.AddAll();

  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("openapi").String("3.1.0");
  out.Key("jsonSchemaDialect").String("https://json-schema.org/draft/2020-12/schema");
  WriteInfo(model, &out);
  out.Key("servers").BeginArray().BeginObject().Key("url");
  out.String(options.server_url.empty() ? "/api/v1/" + model.name : options.server_url);
  out.EndObject().EndArray();
  // One of the two, or neither on a server that only its own machine reaches.
  out.Key("security").Raw(R"([{},{"bearer":[]},{"sigv4":[]}])");
  WriteTags(model, &out);
  DocumentContext context{model, schemas, DeclaredIds(model)};
  out.Key("paths");
  WritePaths(&context, &out);
  out.Key("components").BeginObject().Key("schemas");
  components.Write(&out);
  out.Key("parameters");
  WriteSharedParameters(&out);
  out.Key("headers");
  WriteSharedHeaders(&out);
  out.Key("responses");
  WriteSharedResponses(&out);
  out.Key("securitySchemes");
  WriteSecuritySchemes(&out);
  out.EndObject().EndObject();
  return Indented(text) + "\n";
}

}  // namespace monotable::model
