#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "error/result.h"

// Reading JSON: a thin adapter over simdjson's document model. Never throws.
namespace monotable::json {

using Array = simdjson::dom::array;
using Element = simdjson::dom::element;
using Object = simdjson::dom::object;

// This many readable bytes must follow a text to be parsed.
inline constexpr size_t kPadding = simdjson::SIMDJSON_PADDING;

// Containers may be nested this deep, which bounds every recursion over a document. A DynamoDB
// item of 32 levels takes about 70 in a request.
inline constexpr size_t kMaxDepth = 256;

// Keeps its buffers from one document to the next, so a thread should reuse one. Not thread-safe.
class Parser {
 public:
  // The root of the document. It and everything read from it hold until the next call. Text that
  // is not one complete JSON document in UTF-8 is a kSerialization error with no message, which is
  // how the service answers it.
  Result<Element> Parse(std::string_view padded_text);

 private:
  simdjson::dom::parser parser_;
  bool allocated_ = false;
};

// The typed contents of an element whose type the caller has checked; zero or empty otherwise.
inline std::string_view StringOf(const Element& element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? text : std::string_view();
}
inline bool BoolOf(const Element& element) {
  bool flag = false;
  return element.get(flag) == simdjson::SUCCESS && flag;
}
// Fractions are cut off and values out of range clamped, as Java's number conversions do.
int64_t IntegerOf(const Element& element);
Object ObjectOf(const Element& element);
Array ArrayOf(const Element& element);

// The member of that name; of several the last, as most parsers have it. A null member is absent.
std::optional<Element> Find(const Object& object, std::string_view name);

}  // namespace monotable::json
