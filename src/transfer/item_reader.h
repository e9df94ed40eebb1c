#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "item/value.h"
#include "operations/transfers.h"
#include "transfer/line_reader.h"

// The items in the files of an import: lines of DynamoDB JSON, or rows of CSV.
namespace monotable::transfer {

// One row of a CSV file, or the reason why a line is not a row.
struct CsvRow {
  std::vector<std::string> fields;
  std::optional<std::string> problem;
};

// Reads CSV as the service does: fields are separated by one character and may be quoted, quotes
// are always doubled, and line breaks within quotes belong to the field. Empty lines are skipped.
// Not thread-safe.
class CsvReader {
 public:
  CsvReader(LineReader& lines, char delimiter) : lines_(lines), delimiter_(delimiter) {}

  // Nullopt at the end. An error comes from the source.
  Result<std::optional<CsvRow>> Next();
  // The beginning of the last row, as it is in the file.
  const std::string& preview() const { return preview_; }

 private:
  enum class State { kFieldStart, kPlain, kQuoteInPlain, kQuoted, kQuoteInQuoted };

  // False if the line is not valid CSV.
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

// The number of bytes of an invalid item that an error report shows.
inline constexpr size_t kPreviewBytes = 200;

// Reads the items of one object. Not thread-safe.
class ItemReader {
 public:
  virtual ~ItemReader() = default;

  // The next item, or the reason why the table does not accept it. Nullopt at the end. After an
  // outer error nothing more can be read from the object.
  virtual Result<std::optional<Result<item::Item>>> Next() = 0;
  // The beginning of the text that the last item was read from.
  virtual std::string Preview() const = 0;
  // The number of bytes read from the object, after decompression.
  virtual int64_t bytes_read() const = 0;
};

// A reader for the format of an import. The import and the table must outlive it.
std::unique_ptr<ItemReader> NewItemReader(const operations::ImportDescription& import,
                                          const table::TableDefinition& table,
                                          std::unique_ptr<ByteSource> source);

}  // namespace monotable::transfer
