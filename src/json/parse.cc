#include "json/parse.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace monotable::json {
namespace {

constexpr size_t kKeptCapacity = 1024 * 1024;

// An empty object and an empty array: simdjson's own default-constructed ones belong to no document
// and must not be iterated.
struct Empty {
  Empty() {
    Element root;
    if (parser.parse(simdjson::padded_string(std::string_view("[{},[]]"))).get(root) !=
            simdjson::SUCCESS ||
        root.at(0).get(object) != simdjson::SUCCESS || root.at(1).get(array) != simdjson::SUCCESS) {
      std::abort();
    }
  }

  simdjson::dom::parser parser;
  Object object;
  Array array;
};

const Empty& EmptyContainers() {
  static const Empty empty;
  return empty;
}

}  // namespace

Result<Element> Parser::Parse(std::string_view padded_text) {
  const Error malformed(ErrorCode::kSerialization, "");
  // One large document should not occupy its thread's memory for ever: a parser needs about ten
  // times the size of the text.
  if (parser_.capacity() > kKeptCapacity && padded_text.size() <= kKeptCapacity) {
    parser_ = simdjson::dom::parser();
    allocated_ = false;
  }
  // simdjson sizes its buffers, and with them the depth it allows, on the first use.
  if (!allocated_) {
    if (parser_.allocate(std::max<size_t>(padded_text.size(), 4096), kMaxDepth) !=
        simdjson::SUCCESS) {
      return Error::Internal("no memory for the JSON parser");
    }
    allocated_ = true;
  }
  Element root;
  const auto error = parser_.parse(padded_text.data(), padded_text.size(), false).get(root);
  if (error == simdjson::MEMALLOC) return Error::Internal("no memory for the JSON parser");
  if (error != simdjson::SUCCESS) return malformed;
  return root;
}

int64_t IntegerOf(const Element& element) {
  using Limits = std::numeric_limits<int64_t>;
  switch (element.type()) {
    case simdjson::dom::element_type::INT64: {
      int64_t value = 0;
      return element.get(value) == simdjson::SUCCESS ? value : 0;
    }
    case simdjson::dom::element_type::UINT64:
      return Limits::max();  // simdjson uses this type only for what int64_t cannot hold
    case simdjson::dom::element_type::DOUBLE: {
      double value = 0;
      if (element.get(value) != simdjson::SUCCESS) return 0;
      if (value >= 9223372036854775807.0) return Limits::max();
      if (value <= -9223372036854775808.0) return Limits::min();
      return static_cast<int64_t>(value);
    }
    default:
      return 0;
  }
}

Object ObjectOf(const Element& element) {
  Object object;
  return element.get(object) == simdjson::SUCCESS ? object : EmptyContainers().object;
}

Array ArrayOf(const Element& element) {
  Array array;
  return element.get(array) == simdjson::SUCCESS ? array : EmptyContainers().array;
}

std::optional<Element> Find(const Object& object, std::string_view name) {
  std::optional<Element> found;
  for (const auto& [key, value] : object) {
    if (key == name) found = value;
  }
  if (found && found->is_null()) found.reset();
  return found;
}

}  // namespace monotable::json
