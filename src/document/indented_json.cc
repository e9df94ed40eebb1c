#include "document/indented_json.h"

#include <cstddef>

namespace monotable::document {
namespace {

constexpr size_t kWidth = 96;
constexpr size_t kStep = 2;

// The position after the closing quote of the string that begins at `at`.
size_t EndOfString(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

// The position after the bracket that closes the container at `at`.
size_t EndOfContainer(std::string_view json, size_t at) {
  size_t depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (c == '"') {
      at = EndOfString(json, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0) break;
  }
  return at;
}

// A container in one line, with spaces where people put them.
std::string OneLine(std::string_view container) {
  std::string line;
  for (size_t at = 0; at < container.size();) {
    const char c = container[at];
    if (c == '"') {
      const size_t end = EndOfString(container, at);
      line += container.substr(at, end - at);
      at = end;
      continue;
    }
    ++at;
    if (c == ' ' || c == '\n') continue;
    line += c;
    if (c == ',' || c == ':') line += ' ';
  }
  return line;
}

void Break(size_t indent, std::string* out) {
  *out += '\n';
  out->append(indent, ' ');
}

// Lays out the text. `indent` is the column of its left edge.
void LayOut(std::string_view json, size_t indent, std::string* out) {
  for (size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      const size_t end = EndOfString(json, at);
      *out += json.substr(at, end - at);
      at = end;
    } else if (c == '{' || c == '[') {
      const size_t end = EndOfContainer(json, at);
      const std::string_view container = json.substr(at, end - at);
      std::string line = OneLine(container);
      const size_t line_begin = out->rfind('\n') == std::string::npos ? 0 : out->rfind('\n') + 1;
      if (container.size() == 2 || out->size() - line_begin + line.size() < kWidth) {
        *out += line;
      } else {
        *out += c;
        Break(indent + kStep, out);
        LayOut(container.substr(1, container.size() - 2), indent + kStep, out);
        Break(indent, out);
        *out += container.back();
      }
      at = end;
    } else {
      ++at;
      if (c == ' ' || c == '\n') continue;
      *out += c;
      if (c == ',') Break(indent, out);
      if (c == ':') *out += ' ';
    }
  }
}

}  // namespace

std::string Indented(std::string_view json) {
  std::string out;
  LayOut(json, 0, &out);
  return out;
}

}  // namespace monotable::document
