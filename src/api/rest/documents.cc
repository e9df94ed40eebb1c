#include "api/rest/documents.h"

#include <utility>

#include "json/json_writer.h"
#include "model/describe/json.h"
#include "model/load/load.h"
#include "model/openapi/openapi.h"

namespace monotable::api::rest {
namespace {

constexpr std::string_view kJson = "application/json";

void AppendNode(const model::Node& node, json::Writer* writer) {
  using Kind = model::Node::Kind;
  switch (node.kind) {
    case Kind::kNull:
      writer->Raw("null");
      break;
    case Kind::kBoolean:
    case Kind::kNumber:
      writer->Raw(node.text);
      break;
    case Kind::kText:
      writer->String(node.text);
      break;
    case Kind::kList:
      writer->BeginArray();
      for (const model::Node& item : node.items) AppendNode(item, writer);
      writer->EndArray();
      break;
    case Kind::kMap:
      writer->BeginObject();
      for (const model::Node::Member& member : node.members) {
        writer->Key(member.name);
        AppendNode(member.value, writer);
      }
      writer->EndObject();
      break;
  }
}

std::string SummaryOf(const model::Model& model) {
  std::string text;
  json::Writer writer(&text);
  writer.BeginObject().Key("name").String(model.name);
  if (!model.title.empty()) writer.Key("title").String(model.title);
  if (!model.version.empty()) writer.Key("version").String(model.version);
  if (!model.description.empty()) writer.Key("description").String(model.description);
  const std::string prefix = "/api/v1/" + model.name;
  writer.Key("links").BeginObject();
  writer.Key("api").String(prefix).Key("openapi").String(prefix + "/openapi.json");
  writer.Key("docs").String(prefix + "/docs").Key("model").String(prefix + "/model.yaml");
  writer.EndObject().EndObject();
  return text;
}

}  // namespace

std::string ToJson(const model::Node& node) {
  std::string text;
  json::Writer writer(&text);
  AppendNode(node, &writer);
  return text;
}

http::Response MakeDocument(std::string_view content_type, std::string body) {
  http::Response response;
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

Documents::Documents(const ServedModel& model)
    : summary_(SummaryOf(model.model())),
      openapi_(model::ToOpenApi(model.model(), {})),
      yaml_(model.text()) {
  model::Findings findings;
  const auto root = model::ReadDocument(model.text(), &findings);
  json_ = root ? model::Indented(ToJson(*root)) : "null";
}

std::optional<http::Response> Documents::Find(std::string_view path) const {
  if (path.empty() || path == "/") return MakeDocument(kJson, summary_);
  if (path == "/openapi.json") return MakeDocument(kJson, openapi_);
  if (path == "/model.json") return MakeDocument(kJson, json_);
  if (path == "/model.yaml") return MakeDocument("application/yaml", yaml_);
  return std::nullopt;
}

}  // namespace monotable::api::rest
