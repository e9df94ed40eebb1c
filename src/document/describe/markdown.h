#pragma once

#include <string>
#include <string_view>
#include <vector>

// Pieces of Markdown, with the author's text made harmless in them.
namespace monotable::document {

// Text of one line as prose: what Markdown would read as mark-up is escaped.
std::string Prose(std::string_view text);

// Text as code: `SALE#{SaleId}`. Empty text is empty, not two backticks.
std::string Code(std::string_view text);

// Several of them with a comma between.
std::string CodeList(const std::vector<std::string>& texts);

// A table whose cells are Markdown already; a pipe in them does not end the cell.
class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> header);
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string Text() const;  // ends with an empty line

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace monotable::document
