#include "document/openapi/entity_operation.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "document/openapi/shared.h"
#include "text/characters.h"

namespace monotable::document {
namespace {

using Action = model::Route::Action;

// saleCreate: noun first, so that it is not the name of a pattern or an operation by chance.
std::string IdOf(const model::EntityModel& entity, std::string_view verb) {
  std::string id = entity.name;
  id[0] = text::ToLower(id[0]);
  return id + std::string(verb);
}

OperationHead HeadOf(const model::Route& route) {
  const std::string& name = route.entity->name;
  switch (route.action) {
    case Action::kCreate:
      return {IdOf(*route.entity, "Create"), "Create " + name, "Refused if it exists.", name};
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
              "In the order of the keys; null for one that is not there.", name};
    case Action::kBatchWrite:
      return {IdOf(*route.entity, "BatchWrite"), "Write several of " + name,
              "Each by itself; the results are in the order of the writes.", name};
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
    const AnswerText created = {201, "It was created.", item, true, true};
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
        WriteAnswer({304, "It still has the ETag of If-None-Match.", {}, true, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 429, 503}, &out_);
      }
      case Action::kReplace:
        WriteAnswer({200, "It was replaced.", item, true, false}, &out_);
        WriteAnswer(created, &out_);
        WriteAnswer({204, "It was replaced; `Prefer: return=minimal`.", {}, true, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 409, 412, 413, 415, 422, 429, 503}, &out_);
      case Action::kPatch:
        WriteAnswer({200, "The item as it is now.", item, true, false}, &out_);
        WriteAnswer({204, "It was changed; `Prefer: return=minimal`.", {}, true, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503},
                                     &out_);
      case Action::kDelete:
        WriteAnswer({204, "It was deleted.", {}, false, false}, &out_);
        return WriteProblemResponses({400, 401, 403, 404, 409, 412, 429, 503}, &out_);
      case Action::kBatchGet:
        WriteBatchItems();
        return WriteProblemResponses({400, 401, 403, 415, 429, 503}, &out_);
      default:
        WriteAnswer({200, "What became of each.", {"Api_Results"}, false, false}, &out_);
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
             "All of the writes happen, or none. A check only asks that the item is there.",
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
  WriteAnswer({200, "What became of each.", {"Api_Results"}, false, false}, out);
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
