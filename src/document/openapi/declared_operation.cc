#include "document/openapi/declared_operation.h"

#include <algorithm>

#include "document/openapi/shared.h"
#include "text/characters.h"

namespace monotable::document {
namespace {

using Step = model::OperationModel::Step;

std::string_view ActionName(Step::Action action) {
  switch (action) {
    case Step::Action::kPut:
      return "put";
    case Step::Action::kUpdate:
      return "update";
    case Step::Action::kDelete:
      return "delete";
    case Step::Action::kMove:
      return "move";
    case Step::Action::kCheck:
      return "check";
  }
  return "";
}

void WriteSteps(const model::OperationModel& operation, json::Writer* out) {
  out->Key("x-stm-steps").BeginArray();
  for (const Step& step : operation.steps) {
    out->BeginObject().Key(ActionName(step.action)).String(step.entity);
    if (!step.from.empty()) out->Key("from").String(step.from);
    if (!step.each.empty()) out->Key("each").String(step.each);
    if (!step.set.empty()) {
      out->Key("set").BeginObject();
      for (const auto& [attribute, rule] : step.set) out->Key(attribute).String(rule.text());
      out->EndObject();
    }
    if (step.when) out->Key("that").String(step.when->text());
    out->EndObject();
  }
  out->EndArray().Key("x-stm-requirements").BeginArray();
  for (const std::string& requirement : operation.requirements) out->String(requirement);
  out->EndArray();
}

class InputWriter {
 public:
  InputWriter(const OperationRoutes& routes, DocumentContext* context, json::Writer* out)
      : routes_(routes), context_(*context), out_(*out) {}

  void Write(const model::OperationModel& operation) {
    out_.BeginObject().Key("type").String("object").Key("properties").BeginObject();
    std::vector<std::string> required;
    for (const model::OperationModel::Input& input : operation.inputs) {
      if (InPath(input.name)) continue;
      out_.Key(input.name);
      WriteInput(input);
      if (input.required) required.push_back(input.name);
    }
    out_.EndObject();
    if (!required.empty()) {
      out_.Key("required").BeginArray();
      for (const std::string& name : required) out_.String(name);
      out_.EndArray();
    }
    out_.EndObject();
  }

 private:
  bool InPath(std::string_view name) const {
    return std::any_of(routes_.path_parameters.begin(), routes_.path_parameters.end(),
                       [&](const auto& parameter) { return parameter.second == name; });
  }

  void WriteInput(const model::OperationModel::Input& input) {
    if (!input.many) return WriteOne(input);
    out_.BeginObject().Key("type").String("array");
    if (input.least > 0) out_.Key("minItems").Integer(input.least);
    if (input.most > 0) out_.Key("maxItems").Integer(input.most);
    out_.Key("items");
    WriteOne(input);
    out_.EndObject();
  }

  // An item whose key the path gives a part of need not say that part again.
  void WriteOne(const model::OperationModel::Input& input) {
    EntitySchemas& schemas = context_.schemas;
    const model::EntityModel* entity =
        input.entity.empty() ? nullptr : context_.model.FindEntity(input.entity);
    if (entity == nullptr) return schemas.types().Write(input.type, SchemaForm::kWhole, &out_);
    const bool given = std::any_of(
        routes_.path_parameters.begin(), routes_.path_parameters.end(),
        [&](const auto& parameter) { return schemas.Requires(*entity, parameter.second); });
    if (!given) return WriteReferenceSchema(CreateSchemaName(entity->name), &out_);
    schemas.WriteBody(
        *entity, [&](std::string_view name) { return InPath(name); }, &out_);
  }

  const OperationRoutes& routes_;
  DocumentContext& context_;
  json::Writer& out_;
};

}  // namespace

void WriteDeclaredOperation(const OperationRoutes& routes, DocumentContext* context,
                            json::Writer* out) {
  const model::Route& route = routes.first();
  const model::OperationModel& operation = *route.operation;
  std::string method = route.method;
  std::transform(method.begin(), method.end(), method.begin(), text::ToLower);
  out->Key(method).BeginObject();
  OperationHead head;
  head.id = operation.name;
  head.declared = true;
  head.summary = "Run " + operation.name;
  head.description = operation.description;
  head.tag = operation.steps.empty() ? "Transactions" : operation.steps.front().entity;
  WriteHead(head, context, out);
  out->Key("parameters").BeginArray();
  for (const auto& [shown, own] : routes.path_parameters) {
    WriteParameter({shown, "path", true, "", {}}, ParameterType(context->model, route, own),
                   &context->schemas.types(), out);
  }
  for (const std::string_view key : {"IdempotencyKey", "Prefer"}) {
    WriteParameterReference(key, out);
  }
  if (context->tenanted()) WriteParameterReference("Tenant", out);
  out->EndArray();
  if (!operation.inputs.empty()) {
    WriteRequestBody(
        {"application/json"}, true, [&] { InputWriter(routes, context, out).Write(operation); },
        out);
  }
  out->Key("responses").BeginObject();
  WriteAnswer({200, "What became of each item, in order.", {"Api_Results"}, false, false}, out);
  WriteProblemResponses({400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503}, out);
  out->EndObject();
  WriteSteps(operation, out);
  out->EndObject();
}

}  // namespace monotable::document
