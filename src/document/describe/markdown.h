#pragma once

#include <string>
#include <string_view>
#include <vector>

// Pieces of Markdown in which the author's text is escaped.
namespace monotable::document {

// Text of one line as prose, with everything escaped that Markdown would read as mark-up.
std::string Prose(std::string_view text);

// Text as code: `SALE#{SaleId}`. Empty text stays empty.
std::string Code(std::string_view text);

// Several texts as code, separated by commas.
std::string CodeList(const std::vector<std::string>& texts);

// A table whose cells are already Markdown. A pipe in a cell does not end the cell.
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
