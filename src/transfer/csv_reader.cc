#include "transfer/csv_reader.h"

#include <utility>

#include "transfer/item_reader.h"

namespace monotable::transfer {

void CsvReader::EndField() {
  row_.fields.push_back(std::exchange(field_, std::string()));
  state_ = State::kFieldStart;
}

bool CsvReader::ParseCharacter(char c) {
  const bool quote = c == '"';
  switch (state_) {
    case State::kQuoted:
      if (quote) {
        state_ = State::kQuoteInQuoted;
      } else {
        field_.push_back(c);
      }
      return true;
    case State::kQuoteInPlain:
    case State::kQuoteInQuoted:
      if (quote) {
        field_.push_back('"');
        state_ = state_ == State::kQuoteInPlain ? State::kPlain : State::kQuoted;
        return true;
      }
      if (state_ == State::kQuoteInPlain || c != delimiter_) return false;
      EndField();
      return true;
    case State::kFieldStart:
    case State::kPlain:
      break;
  }
  if (c == delimiter_) {
    EndField();
  } else if (quote) {
    state_ = state_ == State::kFieldStart ? State::kQuoted : State::kQuoteInPlain;
  } else {
    field_.push_back(c);
    state_ = State::kPlain;
  }
  return true;
}

bool CsvReader::Parse(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const bool line_end = line[i] == '\r' && i + 1 == line.size() && state_ != State::kQuoted;
    if (!line_end && !ParseCharacter(line[i])) return false;
  }
  return true;
}

Result<std::optional<CsvRow>> CsvReader::Next() {
  row_ = {};
  field_.clear();
  preview_.clear();
  state_ = State::kFieldStart;
  for (;;) {
    TRY_ASSIGN(const std::optional<LineReader::Line> line, lines_.Next());
    const bool quoted = state_ == State::kQuoted;
    if (!line && !quoted) return std::optional<CsvRow>();
    if (!line) {
      row_.problem = "A quoted field has no end";
      break;
    }
    if (!quoted && !line->too_long && (line->text.empty() || line->text == "\r")) continue;
    preview_.append(line->text.substr(0, kPreviewBytes - std::min(kPreviewBytes, preview_.size())));
    if (line->too_long || field_.size() + line->text.size() > kMaxLineBytes) {
      row_.problem = "The row is longer than any item can be";
      break;
    }
    if (!Parse(line->text) || state_ == State::kQuoteInPlain) {
      row_.problem = "A double quote in a field is neither doubled nor around all of it";
      break;
    }
    if (state_ != State::kQuoted) {
      EndField();
      break;
    }
    field_.push_back('\n');
  }
  return std::optional(std::move(row_));
}

}  // namespace monotable::transfer
