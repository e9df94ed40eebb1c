#include "json/parse.h"

#include <algorithm>
#include <array>
#include <limits>

#include <simdjson.h>

#include "json/json_writer.h"

namespace monotable::json {

static_assert(kPadding == simdjson::SIMDJSON_PADDING);

namespace {

constexpr size_t kKeptCapacity = 1024 * 1024;

void MinifyTo(const Element& element, std::string* out);

void MinifyNumber(double number, std::string* out) {
  std::array<char, 32> text;  // the shortest form of any double fits
  const char* const begin = text.data();
  const char* const end =
      simdjson::internal::to_chars(text.data(), text.data() + text.size(), number);
  out->append(begin, end);
}

void MinifyTo(const Object& object, std::string* out) {
  char before = '{';
  for (const auto& [key, value] : object) {
    out->push_back(before);
    AppendString(key, out);
    out->push_back(':');
    MinifyTo(value, out);
    before = ',';
  }
  out->append(before == '{' ? "{}" : "}");
}

void MinifyTo(const Array& array, std::string* out) {
  char before = '[';
  for (const Element element : array) {
    out->push_back(before);
    MinifyTo(element, out);
    before = ',';
  }
  out->append(before == '[' ? "[]" : "]");
}

// The depth of the recursion is at most kMaxDepth.
void MinifyTo(const Element& element, std::string* out) {
  int64_t integer = 0;
  uint64_t natural = 0;
  double number = 0;
  switch (element.type()) {
    case ElementType::kObject:
      return MinifyTo(ObjectOf(element), out);
    case ElementType::kArray:
      return MinifyTo(ArrayOf(element), out);
    case ElementType::kString:
      return AppendString(StringOf(element), out);
    case ElementType::kBool:
      out->append(BoolOf(element) ? "true" : "false");
      return;
    case ElementType::kInteger:
      if (element.Get(&integer)) out->append(std::to_string(integer));
      return;
    case ElementType::kUnsignedInteger:
      if (element.Get(&natural)) out->append(std::to_string(natural));
      return;
    case ElementType::kDouble:
      if (element.Get(&number)) MinifyNumber(number, out);
      return;
    case ElementType::kNull:
      out->append("null");
      return;
  }
}

}  // namespace

struct Parser::Buffers {
  simdjson::dom::parser parser;
  bool allocated = false;
};

Parser::Parser() : buffers_(std::make_unique<Buffers>()) {}
Parser::~Parser() = default;

Result<Element> Parser::Parse(std::string_view padded_text) {
  simdjson::dom::parser& parser = buffers_->parser;
  // A parser needs about ten times the size of its text. The memory for one large document must not
  // stay allocated for the life of the thread.
  if (parser.capacity() > kKeptCapacity && padded_text.size() <= kKeptCapacity) {
    parser = simdjson::dom::parser();
    buffers_->allocated = false;
  }
  // simdjson sizes its buffers, and with them the depth it allows, on the first use.
  if (!buffers_->allocated) {
    if (parser.allocate(std::max<size_t>(padded_text.size(), 4096), kMaxDepth) !=
        simdjson::SUCCESS) {
      return Error::Internal("no memory for the JSON parser");
    }
    buffers_->allocated = true;
  }
  const auto error = parser.parse(padded_text.data(), padded_text.size(), false).error();
  if (error == simdjson::MEMALLOC) return Error::Internal("no memory for the JSON parser");
  if (error != simdjson::SUCCESS) return Error(ErrorCode::kSerialization, "");
  constexpr uint32_t kRoot = 1;  // after the word that begins every tape
  return Element(parser.doc.tape.get(), reinterpret_cast<const char*>(parser.doc.string_buf.get()),
                 kRoot);
}

int64_t IntegerOf(const Element& element) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t integer = 0;
  double number = 0;
  switch (element.type()) {
    case ElementType::kInteger:
      return element.Get(&integer) ? integer : 0;
    case ElementType::kUnsignedInteger:
      return Limits::max();
    case ElementType::kDouble:
      if (!element.Get(&number)) return 0;
      if (number >= 9223372036854775807.0) return Limits::max();
      if (number <= -9223372036854775808.0) return Limits::min();
      return static_cast<int64_t>(number);
    default:
      return 0;
  }
}

std::optional<Element> Find(const Object& object, std::string_view name) {
  std::optional<Element> found;
  for (const auto& [key, value] : object) {
    if (key == name) found = value;
  }
  if (found && found->is_null()) found.reset();
  return found;
}

std::string Minify(const Element& element) {
  std::string text;
  MinifyTo(element, &text);
  return text;
}

std::string Minify(const Object& object) {
  std::string text;
  MinifyTo(object, &text);
  return text;
}

bool IsUtf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string AsUtf8(std::string_view text) {
  std::string result(text);
  if (!IsUtf8(text)) {
    std::replace_if(
        result.begin(), result.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  }
  return result;
}

}  // namespace monotable::json
