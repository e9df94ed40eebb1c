#include "document/describe/markdown.h"

#include <algorithm>
#include <utility>

namespace monotable::document {
namespace {

std::string Row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += cell.empty() ? "" : " ";
    for (const char c : cell) {
      if (c == '|') row += '\\';
      row += c == '\n' ? ' ' : c;
    }
    row += " |";
  }
  return row + "\n";
}

}  // namespace

std::string Prose(std::string_view text) {
  std::string prose;
  for (const char c : text) {
    if (std::string_view("\\`*_<>#[]{}").find(c) != std::string_view::npos) prose += '\\';
    prose += c == '\n' ? ' ' : c;
  }
  return prose;
}

std::string Code(std::string_view text) {
  if (text.empty()) return "";
  // A fence must be longer than the longest run of backticks inside.
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fence + space + std::string(text) + space + fence;
}

std::string CodeList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    if (!list.empty()) list += ", ";
    list += Code(text);
  }
  return list;
}

MarkdownTable::MarkdownTable(std::vector<std::string> header) : header_(std::move(header)) {}

void MarkdownTable::Add(std::vector<std::string> cells) {
  cells.resize(header_.size());
  rows_.push_back(std::move(cells));
}

std::string MarkdownTable::Text() const {
  std::string text = Row(header_) + "|";
  for (size_t i = 0; i < header_.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows_) text += Row(row);
  return text + "\n";
}

}  // namespace monotable::document
