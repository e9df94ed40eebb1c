#include "api/dynamodb/type_check.h"

#include <string>
#include <utility>

namespace monotable::api::dynamodb {
namespace {

using json::ElementType;

constexpr std::string_view kPackage = "com.amazonaws.dynamodb.v20120810.";

Error Mismatch(std::string message) {
  return Error(ErrorCode::kSerialization, std::move(message));
}

// What the service's parser calls a scalar.
std::string TokenName(const json::Element& value) {
  switch (value.type()) {
    case ElementType::kString:
      return "STRING_VALUE";
    case ElementType::kBool:
      return json::BoolOf(value) ? "TRUE_VALUE" : "FALSE_VALUE";
    case ElementType::kDouble:
      return "DECIMAL_VALUE";
    default:
      return "NUMBER_VALUE";
  }
}

// The short name of a Java class, as conversions print it.
std::string_view ScalarName(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return "Integer";
    case Kind::kLong:
      return "Long";
    case Kind::kTimestamp:
      return "Date";
    case Kind::kBoolean:
      return "Boolean";
    default:
      return "String";
  }
}

std::string JavaName(const Shape& shape) {
  switch (shape.kind) {
    case Kind::kStructure:
      return std::string(kPackage).append(shape.name);
    case Kind::kList:
      return "java.util.List<" + JavaName(*shape.element) + ">";
    case Kind::kMap:
      return "java.util.Map<java.lang.String, " + JavaName(*shape.element) + ">";
    case Kind::kBlob:
      return "java.nio.ByteBuffer";
    case Kind::kTimestamp:
      return "java.util.Date";
    default:
      return std::string("java.lang.").append(ScalarName(shape.kind));
  }
}

Error UnrecognizedCollection(const Shape& shape) {
  // Java prints "class" before a plain class and nothing before a parameterized type.
  const bool parameterized = shape.kind == Kind::kMap || shape.kind == Kind::kList;
  return Mismatch(std::string("Unrecognized collection type ") + (parameterized ? "" : "class ") +
                  JavaName(shape));
}

Error ScalarMismatch(const Shape& shape, const json::Element& value) {
  switch (shape.kind) {
    case Kind::kStructure:
      return Mismatch("Unexpected value type in payload");
    case Kind::kList:
    case Kind::kMap:
      return Mismatch("Unexpected field type");
    case Kind::kBlob:
      return Mismatch("only base64-encoded strings are convertible to bytes");
    case Kind::kBoolean:
      if (value.type() == ElementType::kString) {
        return Mismatch("Unexpected token received from parser");
      }
      break;
    default:
      break;
  }
  return Mismatch(
      TokenName(value).append(" cannot be converted to ").append(ScalarName(shape.kind)));
}

bool Fits(Kind kind, ElementType type) {
  switch (kind) {
    case Kind::kString:
    case Kind::kBlob:
      return type == ElementType::kString;
    case Kind::kInteger:
    case Kind::kLong:
    case Kind::kTimestamp:
      return type == ElementType::kInteger || type == ElementType::kUnsignedInteger ||
             type == ElementType::kDouble;
    case Kind::kBoolean:
      return type == ElementType::kBool;
    case Kind::kStructure:
    case Kind::kMap:
      return type == ElementType::kObject;
    case Kind::kList:
      return type == ElementType::kArray;
  }
  return false;
}

Status CheckMembers(const Shape& shape, const json::Object& object) {
  for (const auto& [name, value] : object) {
    for (const Member& member : shape.members) {
      if (member.name != name) continue;
      TRY(CheckTypes(*member.shape, value));
      break;
    }
  }
  return {};
}

}  // namespace

Status CheckTypes(const Shape& shape, const json::Element& value) {
  const ElementType type = value.type();
  if (type == ElementType::kNull) return {};
  if (!Fits(shape.kind, type)) {
    if (type == ElementType::kObject) {
      return Mismatch("Start of structure or map found where not expected.");
    }
    if (type == ElementType::kArray) return UnrecognizedCollection(shape);
    return ScalarMismatch(shape, value);
  }
  if (shape.kind == Kind::kStructure) return CheckMembers(shape, json::ObjectOf(value));
  if (shape.kind == Kind::kMap) {
    for (const auto& [name, element] : json::ObjectOf(value)) {
      TRY(CheckTypes(*shape.element, element));
    }
  } else if (shape.kind == Kind::kList) {
    for (const auto& element : json::ArrayOf(value)) TRY(CheckTypes(*shape.element, element));
  }
  return {};
}

}  // namespace monotable::api::dynamodb
