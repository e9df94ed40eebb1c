#include "document/openapi/openapi_operations.h"

#include <algorithm>

#include <fmt/format.h>

#include "document/openapi/openapi_components.h"
#include "text/characters.h"

namespace monotable::document {
namespace {

std::string MakeUnique(const std::string& id, std::set<std::string>* ids) {
  std::string made = Components::NameOf(id);
  for (int n = 2; !ids->insert(made).second; ++n) {
    made = fmt::format("{}{}", Components::NameOf(id), n);
  }
  return made;
}

// The type of a parameter of an operation: an input, or an attribute of an entity that the
// operation writes.
const model::TypeModel* OperationParameter(const model::Model& model,
                                           const model::OperationModel& operation,
                                           std::string_view name) {
  for (const model::OperationModel::Input& input : operation.inputs) {
    if (input.name == name && input.entity.empty()) return &input.type;
  }
  for (const model::OperationModel::Step& step : operation.steps) {
    const model::EntityModel* entity = model.FindEntity(step.entity);
    if (entity == nullptr) continue;
    if (const model::TypeModel* type = entity->FindPath(name); type != nullptr) return type;
  }
  return nullptr;
}

bool IsBare(const model::TypeModel* type) {
  return type != nullptr &&
         (type->kind == model::TypeKind::kInteger || type->kind == model::TypeKind::kDecimal ||
          type->kind == model::TypeKind::kBoolean);
}

}  // namespace

void WriteHead(const OperationHead& head, DocumentContext* context, json::Writer* out) {
  out->Key("operationId");
  out->String(head.declared ? Components::NameOf(head.id)
                            : MakeUnique(head.id, &context->operation_ids));
  out->Key("summary").String(head.summary);
  if (!head.description.empty()) out->Key("description").String(head.description);
  out->Key("tags").BeginArray().String(head.tag).EndArray();
}

const model::TypeModel* ParameterType(const model::Model& model, const model::Route& route,
                                      std::string_view name) {
  if (route.operation != nullptr) return OperationParameter(model, *route.operation, name);
  if (route.pattern != nullptr && route.pattern->range && (name == "from" || name == "to")) {
    name = route.pattern->range->field;
  }
  return route.entity == nullptr ? nullptr : route.entity->FindPath(name);
}

void WriteTyped(const model::TypeModel* type, const std::string& text, json::Writer* out) {
  const bool number =
      IsBare(type) && type->kind != model::TypeKind::kBoolean && item::Number::Parse(text);
  const bool boolean = IsBare(type) && (text == "true" || text == "false");
  if (number || boolean) {
    out->Raw(text);
  } else {
    out->String(text);
  }
}

void WriteParameter(const ParameterText& parameter, const model::TypeModel* type,
                    TypeSchemas* types, json::Writer* out) {
  out->BeginObject().Key("name").String(parameter.name).Key("in").String(parameter.in);
  if (parameter.required) out->Key("required").Bool(true);
  if (!parameter.description.empty()) out->Key("description").String(parameter.description);
  out->Key("schema");
  if (type == nullptr) {
    out->BeginObject().Key("type").String("string").EndObject();
  } else {
    types->Write(*type, SchemaForm::kWhole, out);
  }
  if (!parameter.examples.empty()) {
    out->Key("examples").BeginObject();
    for (const auto& [name, value] : parameter.examples) {
      out->Key(name).BeginObject().Key("value");
      WriteTyped(type, value, out);
      out->EndObject();
    }
    out->EndObject();
  }
  out->EndObject();
}

const model::CollectionModel* CollectionOf(const model::Model& model,
                                           const model::EntityModel& entity) {
  for (const model::CollectionModel& collection : model.collections) {
    if (collection.root == entity.name) return &collection;
  }
  return nullptr;
}

void WriteExpansion(const model::CollectionModel& collection, TypeSchemas* types,
                    json::Writer* out) {
  std::vector<std::string> names;
  for (const model::CollectionModel::Member& member : collection.members)
    names.push_back(member.name);
  ParameterText expand = {"expand", "query", false, "", {}};
  expand.description =
      fmt::format("Members of the collection {} to return with the item, separated by commas: {}.",
                  collection.name, fmt::join(names, ", "));
  WriteParameter(expand, nullptr, types, out);
  for (const std::string_view key : {"Limit", "After"}) WriteParameterReference(key, out);
}

void WriteAnswer(const AnswerText& answer, json::Writer* out) {
  out->Key(std::to_string(answer.status)).BeginObject();
  out->Key("description").String(answer.description);
  if (answer.tagged || answer.located) {
    out->Key("headers").BeginObject();
    if (answer.tagged) out->Key("ETag").Raw(R"({"$ref":"#/components/headers/ETag"})");
    if (answer.located) out->Key("Location").Raw(R"({"$ref":"#/components/headers/Location"})");
    out->EndObject();
  }
  if (!answer.schemas.empty()) {
    out->Key("content").BeginObject().Key("application/json").BeginObject().Key("schema");
    if (answer.schemas.size() == 1) {
      WriteReferenceSchema(answer.schemas.front(), out);
    } else {
      out->BeginObject().Key("anyOf").BeginArray();
      for (const std::string& schema : answer.schemas) WriteReferenceSchema(schema, out);
      out->EndArray().EndObject();
    }
    out->EndObject().EndObject();
  }
  out->EndObject();
}

namespace {

using Step = model::OperationModel::Step;

std::string_view ActionName(Step::Action action) {
  switch (action) {
    case Step::Action::kPut:
      return "put";
    case Step::Action::kUpdate:
      return "update";
    case Step::Action::kUpsert:
      return "upsert";
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
      if (input.required || input.least > 0) required.push_back(input.name);
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

  // A body does not have to repeat the part of the key that is in the path.
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
  WriteAnswer({200, "The result for each item, in order.", {"Api_Results"}, false, false}, out);
  WriteProblemResponses({400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503}, out);
  out->EndObject();
  WriteSteps(operation, out);
  out->EndObject();
}

namespace {

using Action = model::Route::Action;

// The id begins with the noun (saleCreate), so that it does not equal the name of a pattern or an
// operation by chance.
std::string IdOf(const model::EntityModel& entity, std::string_view verb) {
  std::string id = entity.name;
  id[0] = text::ToLower(id[0]);
  return id + std::string(verb);
}

OperationHead HeadOf(const model::Route& route) {
  const std::string& name = route.entity->name;
  switch (route.action) {
    case Action::kCreate:
      return {IdOf(*route.entity, "Create"), "Create " + name, "Refused if the item exists.", name};
    case Action::kGet:
      return {IdOf(*route.entity, "Get"), "Get " + name, "", name};
    case Action::kReplace:
      return {IdOf(*route.entity, "Replace"), "Create or replace " + name, "", name};
    case Action::kPatch:
      return {IdOf(*route.entity, "Patch"), "Change " + name,
              "A JSON merge patch (RFC 7396). `$add`, `$append` and `$remove` change without "
              "knowing the old value.",
              name};
    case Action::kDelete:
      return {IdOf(*route.entity, "Delete"), "Delete " + name, "", name};
    case Action::kBatchGet:
      return {IdOf(*route.entity, "BatchGet"), "Get several of " + name,
              "In the order of the keys; null for an item that does not exist.", name};
    case Action::kBatchWrite:
      return {IdOf(*route.entity, "BatchWrite"), "Write several of " + name,
              "Each write succeeds or fails by itself; the results are in the order of the writes.",
              name};
    default:
      return {};
  }
}

class EntityOperation {
 public:
  EntityOperation(const OperationRoutes& routes, DocumentContext* context, json::Writer* out)
      : routes_(routes), route_(routes.first()), context_(*context), out_(*out) {}

  void Write() {
    WriteHead(HeadOf(route_), &context_, &out_);
    out_.Key("parameters").BeginArray();
    for (const auto& [shown, own] : routes_.path_parameters) {
      WriteParameter({shown, "path", true, "", {}}, ParameterType(context_.model, route_, own),
                     &context_.schemas.types(), &out_);
    }
    for (const std::string_view key : SharedParameters()) WriteParameterReference(key, &out_);
    const model::CollectionModel* collection = CollectionOf(context_.model, entity());
    if (route_.action == Action::kGet && collection != nullptr) {
      WriteExpansion(*collection, &context_.schemas.types(), &out_);
    }
    if (context_.tenanted()) WriteParameterReference("Tenant", &out_);
    out_.EndArray();
    WriteBody();
    out_.Key("responses").BeginObject();
    WriteResponses();
    out_.EndObject();
  }

 private:
  const model::EntityModel& entity() const { return *route_.entity; }

  std::vector<std::string_view> SharedParameters() const {
    switch (route_.action) {
      case Action::kCreate:
      case Action::kBatchWrite:
        return {"IdempotencyKey", "Prefer"};
      case Action::kGet:
        return {"Fields", "Consistent", "IfChanged", "Prefer"};
      case Action::kReplace:
        return {"IfMatch", "IfNoneMatch", "IdempotencyKey", "Prefer"};
      case Action::kPatch:
        return {"IfMatch", "IdempotencyKey", "Prefer"};
      case Action::kDelete:
        if (entity().cascade_collection) return {"Cascade", "IfMatch", "IdempotencyKey"};
        return {"IfMatch", "IdempotencyKey"};
      default:
        return {"Prefer"};
    }
  }

  void WriteKeySchema() {
    out_.BeginObject().Key("type").String("object").Key("properties").BeginObject();
    std::vector<std::string> names = model::RouteKey(context_.model, entity());
    std::erase_if(names, [&](const std::string& name) {
      return std::any_of(routes_.path_parameters.begin(), routes_.path_parameters.end(),
                         [&](const auto& parameter) { return parameter.second == name; });
    });
    for (const std::string& name : names) {
      out_.Key(name);
      const model::TypeModel* type = entity().FindPath(name);
      context_.schemas.types().Write(type == nullptr ? model::TypeModel() : *type,
                                     SchemaForm::kWhole, &out_);
    }
    out_.EndObject().Key("required").BeginArray();
    for (const std::string& name : names) out_.String(name);
    out_.EndArray().EndObject();
  }

  template <typename Item>
  void WriteListBody(std::string_view name, const Item& item) {
    out_.BeginObject().Key("type").String("object").Key("properties").BeginObject();
    out_.Key(name).BeginObject().Key("type").String("array");
    out_.Key("minItems").Integer(1).Key("maxItems").Integer(100).Key("items");
    item();
    out_.EndObject().EndObject();
    out_.Key("required").BeginArray().String(name).EndArray().EndObject();
  }

  void WriteBatchWrite() {
    out_.BeginObject().Key("type").String("object").Key("properties").BeginObject();
    out_.Key("put");
    WriteReferenceSchema(CreateSchemaName(entity().name), &out_);
    // A patch in a batch names its item with its own members.
    out_.Key("patch").BeginObject().Key("allOf").BeginArray();
    WriteKeySchema();
    WriteReferenceSchema(PatchSchemaName(entity().name), &out_);
    out_.EndArray().EndObject().Key("delete");
    WriteKeySchema();
    out_.Key("ifMatch").Raw(R"({"type":"string","examples":["v7"]})");
    out_.EndObject().Key("description").String("One of put, patch and delete.").EndObject();
  }

  void WriteBody() {
    const auto body = [&](const auto& write) {
      WriteRequestBody({"application/json"}, true, write, &out_);
    };
    switch (route_.action) {
      case Action::kCreate:
        return body([&] { WriteReferenceSchema(CreateSchemaName(entity().name), &out_); });
      case Action::kReplace:
        return body([&] { context_.schemas.WriteReplaceReference(entity(), &out_); });
      case Action::kPatch:
        return WriteRequestBody(
            {"application/merge-patch+json", "application/json"}, true,
            [&] { WriteReferenceSchema(PatchSchemaName(entity().name), &out_); }, &out_);
      case Action::kBatchGet:
        return body([&] { WriteListBody("keys", [&] { WriteKeySchema(); }); });
      case Action::kBatchWrite:
        return body([&] { WriteListBody("writes", [&] { WriteBatchWrite(); }); });
      default:
        return;
    }
  }

  void WriteBatchItems() {
    out_.Key("200").BeginObject().Key("description").String("The items.");
    out_.Key("content").BeginObject().Key("application/json").BeginObject().Key("schema");
    out_.BeginObject().Key("type").String("object").Key("properties").BeginObject();
    out_.Key("items").BeginObject().Key("type").String("array").Key("items").BeginObject();
    out_.Key("anyOf").BeginArray();
    WriteReferenceSchema(entity().name, &out_);
    out_.BeginObject().Key("type").String("null").EndObject().EndArray();
    out_.EndObject().EndObject().EndObject();
    out_.Key("required").BeginArray().String("items").EndArray();
    out_.EndObject().EndObject().EndObject().EndObject();
  }

  void WriteResponses() {
    const std::vector<std::string> item = {entity().name};
    const AnswerText created = {201, "The item was created.", item, true, true};
    switch (route_.action) {
      case Action::kCreate:
        WriteAnswer(created, &out_);
        return WriteProblemResponses({400, 401, 403, 409, 413, 415, 422, 429, 503}, &out_);
      case Action::kGet: {
        AnswerText found = {200, "The item.", item, true, false};
        if (const auto* collection = CollectionOf(context_.model, entity());
            collection != nullptr) {
          found.schemas.push_back(CollectionSchemaName(collection->name));
        }
        WriteAnswer(found, &out_);
        WriteAnswer({304, "The item still has the ETag in If-None-Match.", {}, true, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 429, 503}, &out_);
      }
      // The 204 of `Prefer: return=minimal` is described with that header: as an answer of its own,
      // it would make clients in TypeScript expect every answer to have no item.
      case Action::kReplace:
        WriteAnswer({200, "The item was replaced.", item, true, false}, &out_);
        WriteAnswer(created, &out_);
        return WriteProblemResponses({400, 401, 403, 409, 412, 413, 415, 422, 429, 503}, &out_);
      case Action::kPatch:
        WriteAnswer({200, "The item as it is now.", item, true, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503},
                                     &out_);
      case Action::kDelete:
        WriteAnswer({204, "The item was deleted.", {}, false, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 409, 412, 429, 503}, &out_);
      case Action::kBatchGet:
        WriteBatchItems();
        return WriteProblemResponses({400, 401, 403, 415, 429, 503}, &out_);
      default:
        WriteAnswer({200, "The result of each write.", {"Api_Results"}, false, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 413, 415, 429, 503}, &out_);
    }
  }

  const OperationRoutes& routes_;
  const model::Route& route_;
  DocumentContext& context_;
  json::Writer& out_;
};

void WriteTransact(DocumentContext* context, json::Writer* out) {
  WriteHead({"transact", "Write several items together",
             "Either all writes happen or none. A check only requires that the item exists.",
             "Transactions"},
            context, out);
  out->Key("parameters").BeginArray();
  for (const std::string_view key : {"IdempotencyKey", "Prefer"}) {
    WriteParameterReference(key, out);
  }
  if (context->tenanted()) WriteParameterReference("Tenant", out);
  out->EndArray();
  WriteRequestBody(
      {"application/json"}, true, [&] { WriteReferenceSchema("Api_Transaction", out); }, out);
  out->Key("responses").BeginObject();
  WriteAnswer({200, "The result of each write.", {"Api_Results"}, false, false}, out);
  WriteProblemResponses({400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503}, out);
  out->EndObject();
}

}  // namespace

void WriteEntityOperation(const OperationRoutes& routes, DocumentContext* context,
                          json::Writer* out) {
  std::string method = routes.first().method;
  std::transform(method.begin(), method.end(), method.begin(), text::ToLower);
  out->Key(method).BeginObject();
  if (routes.first().action == Action::kTransact) {
    WriteTransact(context, out);
  } else {
    EntityOperation(routes, context, out).Write();
  }
  out->EndObject();
}

}  // namespace monotable::document
