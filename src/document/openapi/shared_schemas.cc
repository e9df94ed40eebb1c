#include <array>
#include <utility>

#include "document/openapi/shared.h"

namespace monotable::document {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSchemas = {{
    {"Api_Cursor",
     R"({
  "description": "Give it as `after` to the same question; null at the end.",
  "type": ["string", "null"]
})"},
    {"Api_ListMeta",
     R"({
  "type": "object",
  "description": "What the list took.",
  "required": ["count", "scanned", "consumed", "plan"],
  "properties": {
    "count": {"type": "integer", "description": "Items in this answer."},
    "total": {"type": "integer", "description": "All items, if `count=exact` asked for it."},
    "scanned": {"type": "integer", "description": "Items that were read for it."},
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
      "description": "How many there are of each value.",
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
      "description": "States that may follow, of `illegal_transition`.",
      "items": {"type": "string"}
    },
    "aws": {"type": "string", "description": "The DynamoDB error that it corresponds to."},
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
          "status": {"type": "integer", "description": "As if it had been a request of its own."},
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
        "description": "One of create, put, patch, delete and check, which names the entity.",
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
    "description": "Where the item is.",
    "schema": {"type": "string", "format": "uri-reference"}
  },
  "Capacity": {"description": "Request units that it took.", "schema": {"type": "number"}},
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
    "description": "AWS Signature Version 4, as DynamoDB has it."
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
