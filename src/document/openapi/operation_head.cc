#include "document/openapi/operation_head.h"

#include <algorithm>

#include <fmt/format.h>

#include "document/openapi/shared.h"

namespace monotable::document {
namespace {

std::string MakeUnique(const std::string& id, std::set<std::string>* ids) {
  std::string made = Components::NameOf(id);
  for (int n = 2; !ids->insert(made).second; ++n) {
    made = fmt::format("{}{}", Components::NameOf(id), n);
  }
  return made;
}

// Of an operation: an input, or an attribute of what it writes.
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
  const bool number = IsBare(type) && type->kind != model::TypeKind::kBoolean;
  if (number && item::Number::Parse(text)) {
    out->Raw(text);
  } else if (IsBare(type) && (text == "true" || text == "false")) {
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
      fmt::format("Members of the collection {} to answer with the item, with commas between: {}.",
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

}  // namespace monotable::document
