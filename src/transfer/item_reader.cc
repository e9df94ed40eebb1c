#include "transfer/item_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/key_check.h"
#include "json/base64.h"
#include "json/parse.h"
#include "operations/writes.h"
#include "transfer/line_reader.h"
#include "wire/attribute_value.h"
#include "wire/constraint_check.h"
#include "wire/fields.h"
#include "wire/type_check.h"

namespace monotable::transfer {
namespace {

using operations::ImportDescription;

// A line of a file in DynamoDB JSON.
const wire::Shape kItem = wire::MapOf(&wire::kAttributeValueShape);
const wire::Member kLineMembers[] = {{"Item", &kItem, true}};
const wire::Shape kLine = wire::Structure("Item", kLineMembers);

Result<item::Item> Checked(const table::TableDefinition& table, item::Item item) {
  TRY(operations::CheckItemSize(item));
  TRY(engine::CheckItem(table, item));
  return item;
}

class JsonItemReader final : public ItemReader {
 public:
  JsonItemReader(const table::TableDefinition& table, std::unique_ptr<ByteSource> source)
      : table_(table), lines_(std::move(source)) {}

  Result<std::optional<Result<item::Item>>> Next() override {
    for (;;) {
      TRY_ASSIGN(const std::optional<LineReader::Line> line, lines_.Next());
      if (!line) return std::optional<Result<item::Item>>();
      preview_ = line->text.substr(0, kPreviewBytes);
      if (line->too_long) {
        return std::optional(
            Result<item::Item>(Error::Validation("The line is longer than any item can be")));
      }
      if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      return std::optional(Read(line->text));
    }
  }

  std::string Preview() const override { return std::string(preview_); }
  int64_t bytes_read() const override { return lines_.bytes_read(); }

 private:
  Result<item::Item> Read(std::string_view line) {
    const Result<json::Element> root = parser_.Parse(line);
    if (!root || !root->is_object()) {
      return Error::Validation("The line is not a JSON object");
    }
    TRY(wire::CheckTypes(kLine, *root));
    const wire::Fields fields(*root);
    TRY(wire::CheckConstraints(kLine, fields.object()));
    TRY_ASSIGN(item::Item item, wire::DecodeItem(json::ObjectOf(*fields.Find("Item"))));
    return Checked(table_, std::move(item));
  }

  const table::TableDefinition& table_;
  LineReader lines_;
  json::Parser parser_;
  std::string_view preview_;
};

class CsvItemReader final : public ItemReader {
 public:
  CsvItemReader(const ImportDescription& import, const table::TableDefinition& table,
                std::unique_ptr<ByteSource> source)
      : table_(table), lines_(std::move(source)), rows_(lines_, DelimiterOf(import)) {
    if (import.csv && import.csv->header) header_ = *import.csv->header;
  }

  Result<std::optional<Result<item::Item>>> Next() override {
    if (header_.empty()) {
      TRY_ASSIGN(std::optional<CsvRow> header, rows_.Next());
      if (!header) return std::optional<Result<item::Item>>();
      TRY(CheckHeader(*header));
      header_ = std::move(header->fields);
    }
    TRY_ASSIGN(std::optional<CsvRow> row, rows_.Next());
    if (!row) return std::optional<Result<item::Item>>();
    return std::optional(Read(*row));
  }

  std::string Preview() const override { return rows_.preview(); }
  int64_t bytes_read() const override { return lines_.bytes_read(); }

 private:
  static char DelimiterOf(const ImportDescription& import) {
    return import.csv && import.csv->delimiter ? import.csv->delimiter->front() : ',';
  }

  static Status CheckHeader(const CsvRow& row) {
    if (row.problem) return Error::Validation("The header line is not CSV: " + *row.problem);
    std::set<std::string_view> seen;
    for (const std::string& name : row.fields) {
      if (name.empty()) return Error::Validation("The header line has a column without a name");
      if (!seen.insert(name).second) {
        return Error::Validation("The header line has the column " + name + " twice");
      }
    }
    return {};
  }

  // The item does not have the attributes whose columns are empty.
  Result<item::Item> Read(CsvRow& row) const {
    if (row.problem) return Error::Validation(*row.problem);
    if (row.fields.size() != header_.size()) {
      return Error::Validation(fmt::format("The row has {} columns, but the header {}",
                                           row.fields.size(), header_.size()));
    }
    item::Item item;
    for (size_t i = 0; i < header_.size(); ++i) {
      if (row.fields[i].empty()) continue;
      TRY_ASSIGN(item::Value value, ValueOf(header_[i], std::move(row.fields[i])));
      item.Set(header_[i], std::move(value));
    }
    return Checked(table_, std::move(item));
  }

  // Every value is a string, except the attributes of a key of the table or of an index, which have
  // the type of the key.
  Result<item::Value> ValueOf(const std::string& name, std::string text) const {
    const table::KeyAttribute* key = table_.FindAttribute(name);
    if (key != nullptr && key->type == item::Type::kNumber) {
      TRY_ASSIGN(const item::Number number, item::Number::Parse(text));
      return item::Value(number);
    }
    if (key != nullptr && key->type == item::Type::kBinary) {
      TRY_ASSIGN(std::string bytes, json::DecodeBase64(text));
      return item::Value(item::Binary{std::move(bytes)});
    }
    return item::Value(std::move(text));
  }

  const table::TableDefinition& table_;
  LineReader lines_;
  CsvReader rows_;
  std::vector<std::string> header_;
};

}  // namespace

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

std::unique_ptr<ItemReader> NewItemReader(const ImportDescription& import,
                                          const table::TableDefinition& table,
                                          std::unique_ptr<ByteSource> source) {
  if (import.format == operations::FileFormat::kCsv) {
    return std::make_unique<CsvItemReader>(import, table, std::move(source));
  }
  return std::make_unique<JsonItemReader>(table, std::move(source));
}

}  // namespace monotable::transfer
