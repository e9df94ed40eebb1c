#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "transfer/line_reader.h"

namespace monotable::transfer {

// One row of a CSV file, or why it is none.
struct CsvRow {
  std::vector<std::string> fields;
  std::optional<std::string> problem;
};

// Reads CSV as the service does: fields are separated by one character and may be quoted, quotes
// are doubled wherever they stand, and within quotes line breaks belong to the field. Empty lines
// are no rows. Not thread-safe.
class CsvReader {
 public:
  CsvReader(LineReader& lines, char delimiter) : lines_(lines), delimiter_(delimiter) {}

  // Nullopt at the end; the error is one of the source.
  Result<std::optional<CsvRow>> Next();
  // The beginning of the last row, as it was written.
  const std::string& preview() const { return preview_; }

 private:
  enum class State { kFieldStart, kPlain, kQuoteInPlain, kQuoted, kQuoteInQuoted };

  // False if the line is no CSV.
  bool Parse(std::string_view line);
  bool ParseCharacter(char c);
  void EndField();

  LineReader& lines_;
  const char delimiter_;
  State state_ = State::kFieldStart;
  std::string field_;
  CsvRow row_;
  std::string preview_;
};

}  // namespace monotable::transfer
