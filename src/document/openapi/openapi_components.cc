#include "document/openapi/openapi_components.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::document {

bool Components::Add(std::string_view name, std::string_view schema) {
  const auto [at, added] = schemas_.emplace(NameOf(name), schema);
  return added || at->second == schema;
}

void Components::Write(json::Writer* out) const {
  out->BeginObject();
  for (const auto& [name, schema] : schemas_) out->Key(name).Raw(schema);
  out->EndObject();
}

std::string Components::NameOf(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = text::IsAlphanumeric(c) || c == '.' || c == '-' || c == '_';
    made += plain ? std::string(1, c) : fmt::format("_{:02X}", byte);
  }
  return made;
}

void WriteReference(std::string_view name, json::Writer* out) {
  out->Key("$ref").String("#/components/schemas/" + Components::NameOf(name));
}

void WriteReferenceSchema(std::string_view name, json::Writer* out) {
  out->BeginObject();
  WriteReference(name, out);
  out->EndObject();
}

std::string CreateSchemaName(std::string_view entity) {
  return std::string(entity) + "_Create";
}

std::string ReplaceSchemaName(std::string_view entity) {
  return std::string(entity) + "_Replace";
}

std::string PatchSchemaName(std::string_view entity) {
  return std::string(entity) + "_Patch";
}

std::string ListSchemaName(std::string_view entity) {
  return std::string(entity) + "_List";
}

std::string CollectionSchemaName(std::string_view collection) {
  return std::string(collection) + "_Collection";
}

namespace {

struct SharedParameter {
  std::string_view key;  // under components/parameters
  std::string_view name;
  std::string_view in;
  std::string_view schema;
  std::string_view description;
};

constexpr std::array kParameters = {
    SharedParameter{"Limit", "limit", "query", R"({"type":"integer","minimum":1,"maximum":1000})",
                    "The largest number of items to return, however many must be read for them."},
    SharedParameter{"Order", "order", "query", R"({"type":"string","enum":["asc","desc"]})",
                    "By the sort key: ascending or descending."},
    SharedParameter{
        "Fields", "fields", "query", R"({"type":"string","examples":["Name,Address.City"]})",
        "Only these attributes, separated by commas; paths with dots lead into objects."},
    SharedParameter{
        "After", "after", "query", R"({"type":"string"})",
        "The `next` of the previous answer, to continue after it. All other parameters must "
        "stay the same."},
    SharedParameter{
        "Consistent", "consistent", "query", R"({"type":"boolean"})",
        "A strongly consistent read, at twice the cost. Global indexes do not have it."},
    SharedParameter{"Count", "count", "query", R"({"type":"string","enum":["exact"]})",
                    "Counts all items that the request finds, which reads them all."},
    SharedParameter{
        "Filters", "filters", "query",
        R"({"type":"object","additionalProperties":{"type":"string"}})",
        "Conditions on attributes: `filters[Total]=gte.1000`, `filters[Name]=begins_with.A`, or "
        "shorter `Total=gte.1000`, `Status=in.(DRAFT,CONFIRMED)`. Operators: eq, ne, lt, le, gt, "
        "ge, "
        "between, begins_with, contains, in, exists; the default is eq. All conditions must hold; "
        "of `or=(Status.eq.DRAFT,Total.gt.5)` one must. They are applied to the items that the "
        "keys "
        "found."},
    SharedParameter{"Cascade", "cascade", "query", R"({"type":"string","enum":["collection"]})",
                    "Deletes everything in the item's collection with it."},
    SharedParameter{"IfMatch", "If-Match", "header", R"({"type":"string","examples":["\"v7\""]})",
                    "Only if the item has this ETag; `*`: only if the item exists."},
    SharedParameter{"IfNoneMatch", "If-None-Match", "header",
                    R"({"type":"string","examples":["*"]})", "`*`: only if there is no such item."},
    SharedParameter{"IfChanged", "If-None-Match", "header",
                    R"({"type":"string","examples":["\"v7\""]})",
                    "Answers 304 without a body if the item still has this ETag."},
    SharedParameter{"IdempotencyKey", "Idempotency-Key", "header",
                    R"({"type":"string","minLength":1,"maxLength":255})",
                    "Makes a retry of the same request within ten minutes harmless."},
    SharedParameter{"Prefer", "Prefer", "header",
                    R"({"type":"string","examples":["return=minimal","handling=strict"]})",
                    "`return=minimal` answers 204 (201 after a create) without the item, "
                    "`handling=strict` refuses attributes "
                    "that only the server sets, `numbers=string` writes numbers as strings."},
    SharedParameter{"Tenant", "Tenant", "header", R"({"type":"string"})",
                    "Narrows the request to one tenant. A bearer token names its tenant itself."},
};

struct SharedResponse {
  int status;
  std::string_view key;  // under components/responses
  std::string_view description;
};

constexpr std::array kResponses = {
    SharedResponse{400, "BadRequest",
                   "The request is not valid: `invalid` (see `errors`), `no_access_pattern` (no "
                   "pattern serves it), `bad_cursor` (the cursor is of another list)."},
    SharedResponse{401, "Unauthenticated", "`unauthenticated`: the caller is not known."},
    SharedResponse{403, "Forbidden", "`forbidden`: the item belongs to another tenant."},
    SharedResponse{404, "NotFound", "`not_found`: there is no such item."},
    SharedResponse{
        409, "Conflict",
        "The stored items do not allow it: `already_exists`, `key_change` (the key may not "
        "change), "
        "`illegal_transition` (see `allowed`), `not_unique`, `missing_reference`, "
        "`restricted` (other items refer to it), `conflict` (other writes came in between; "
        "try again)."},
    SharedResponse{412, "PreconditionFailed",
                   "`version_mismatch`: the item has changed since its ETag was read."},
    SharedResponse{413, "TooLarge", "`item_too_large`: an item may have at most 400 KB."},
    SharedResponse{415, "UnsupportedMediaType", "`unsupported_media_type`: the body is not JSON."},
    SharedResponse{422, "RuleFailed",
                   "`rule_failed`: a rule of the model does not hold; `idempotency_mismatch`: the "
                   "idempotency key is of another request."},
    SharedResponse{429, "Throttled", "`throttled`: try again after the time in Retry-After."},
    SharedResponse{503, "Unavailable",
                   "`unavailable`: try again after the time in Retry-After; `not_deployed`: the "
                   "tables do not exist yet."},
};

}  // namespace

void WriteSharedParameters(json::Writer* out) {
  out->BeginObject();
  for (const SharedParameter& parameter : kParameters) {
    out->Key(parameter.key).BeginObject().Key("name").String(parameter.name);
    out->Key("in").String(parameter.in).Key("description").String(parameter.description);
    // OpenAPI describes parameters without fixed names as a free-form object. Most generated
    // clients send every object in this style.
    if (parameter.key == "Filters") {
      out->Key("style").String("deepObject").Key("explode").Bool(true);
    }
    out->Key("schema").Raw(parameter.schema).EndObject();
  }
  out->EndObject();
}

void WriteSharedResponses(json::Writer* out) {
  out->BeginObject();
  for (const SharedResponse& response : kResponses) {
    out->Key(response.key).BeginObject().Key("description").String(response.description);
    if (response.status == 429 || response.status == 503) {
      out->Key("headers").Raw(R"({"Retry-After":{"$ref":"#/components/headers/RetryAfter"}})");
    }
    out->Key("content").BeginObject().Key("application/problem+json").BeginObject();
    out->Key("schema");
    WriteReferenceSchema("Api_Problem", out);
    out->EndObject().EndObject().EndObject();
  }
  out->EndObject();
}

void WriteParameterReference(std::string_view name, json::Writer* out) {
  out->BeginObject().Key("$ref").String(fmt::format("#/components/parameters/{}", name));
  out->EndObject();
}

void WriteProblemResponses(std::initializer_list<int> statuses, json::Writer* out) {
  for (const int status : statuses) {
    for (const SharedResponse& response : kResponses) {
      if (response.status != status) continue;
      out->Key(std::to_string(status)).BeginObject();
      out->Key("$ref").String(fmt::format("#/components/responses/{}", response.key)).EndObject();
    }
  }
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSchemas = {{
    {"Api_Cursor",
     R"({
  "description": "Give it as `after` to the same request; null at the end.",
  "type": ["string", "null"]
})"},
    {"Api_ListMeta",
     R"({
  "type": "object",
  "description": "What the list cost.",
  "required": ["count", "scanned", "consumed", "plan"],
  "properties": {
    "count": {"type": "integer", "description": "Items in this answer."},
    "total": {"type": "integer", "description": "All items, if the request had `count=exact`."},
    "scanned": {"type": "integer", "description": "Items that were read for this answer."},
    "consumed": {
      "type": "object",
      "required": ["rcu"],
      "properties": {"rcu": {"type": "number", "description": "Read request units."}}
    },
    "plan": {"type": "string", "description": "What was read.", "examples": ["GSI3 ×6 merge"]}
  }
})"},
    {"Api_Count",
     R"({
  "type": "object",
  "required": ["total", "meta"],
  "properties": {
    "counts": {
      "type": "object",
      "description": "The number of items with each value.",
      "additionalProperties": {"type": "integer"}
    },
    "total": {"type": "integer"},
    "meta": {"$ref": "#/components/schemas/Api_ListMeta"}
  }
})"},
    {"Api_Problem",
     R"({
  "type": "object",
  "description": "What went wrong (RFC 9457).",
  "required": ["type", "title", "status", "code"],
  "properties": {
    "type": {"type": "string", "format": "uri-reference", "description": "Explains the code."},
    "title": {"type": "string"},
    "status": {"type": "integer"},
    "code": {"type": "string", "description": "For programs.", "examples": ["illegal_transition"]},
    "detail": {"type": "string", "description": "What to do, in a sentence."},
    "errors": {
      "type": "array",
      "description": "Every field that is wrong.",
      "items": {"$ref": "#/components/schemas/Api_FieldProblem"}
    },
    "allowed": {
      "type": "array",
      "description": "The states that may follow, for `illegal_transition`.",
      "items": {"type": "string"}
    },
    "aws": {"type": "string", "description": "The corresponding DynamoDB error."},
    "requestId": {"type": "string"}
  }
})"},
    {"Api_FieldProblem",
     R"({
  "type": "object",
  "required": ["path", "code", "message"],
  "properties": {
    "path": {"type": "string", "description": "A JSON pointer, or the name of a parameter."},
    "code": {"type": "string", "examples": ["required", "type", "enum", "range", "unknown"]},
    "message": {"type": "string"}
  }
})"},
    {"Api_Results",
     R"({
  "type": "object",
  "required": ["results"],
  "properties": {
    "results": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["status"],
        "properties": {
          "status": {"type": "integer", "description": "The status of a request of its own."},
          "entity": {"type": "string"},
          "etag": {"type": "string"},
          "location": {"type": "string", "format": "uri-reference"},
          "item": {"type": "object", "description": "The item as it is now."},
          "problem": {"$ref": "#/components/schemas/Api_Problem"}
        }
      }
    }
  }
})"},
    {"Api_Transaction",
     R"({
  "type": "object",
  "required": ["writes"],
  "properties": {
    "writes": {
      "type": "array",
      "minItems": 1,
      "maxItems": 100,
      "items": {
        "type": "object",
        "description": "One of create, put, patch, delete and check, whose value is the entity.",
        "properties": {
          "create": {"type": "string"},
          "put": {"type": "string"},
          "patch": {"type": "string"},
          "delete": {"type": "string"},
          "check": {"type": "string"},
          "key": {"type": "object", "description": "The attributes of the item's route."},
          "body": {"type": "object", "description": "The item, or the changes of a patch."},
          "ifMatch": {"type": "string", "description": "Only if the item has this ETag."}
        }
      }
    }
  }
})"},
}};

constexpr std::string_view kHeaders = R"({
  "ETag": {
    "description": "The item's version, for If-Match and If-None-Match.",
    "schema": {"type": "string", "examples": ["\"v7\""]}
  },
  "Location": {
    "description": "The URL of the item.",
    "schema": {"type": "string", "format": "uri-reference"}
  },
  "Capacity": {"description": "Request units that the request took.", "schema": {"type": "number"}},
  "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
})";

constexpr std::string_view kSecuritySchemes = R"({
  "bearer": {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "A token signed with the server's secret (HS256)."
  },
  "sigv4": {
    "type": "apiKey",
    "name": "Authorization",
    "in": "header",
    "x-amazon-apigateway-authtype": "awsSigv4",
    "description": "AWS Signature Version 4, as for DynamoDB."
  }
})";

}  // namespace

void AddSharedSchemas(Components* components) {
  for (const auto& [name, schema] : kSchemas) components->Add(name, schema);
}

void WriteSharedHeaders(json::Writer* out) {
  out->Raw(kHeaders);
}

void WriteSecuritySchemes(json::Writer* out) {
  out->Raw(kSecuritySchemes);
}

}  // namespace monotable::document
