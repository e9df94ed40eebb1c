#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "error/result.h"
#include "item/value.h"
#include "operations/transfers.h"
#include "transfer/byte_source.h"

namespace monotable::transfer {

// How much of what is no item an error report shows.
inline constexpr size_t kPreviewBytes = 200;

// Reads the items of one object. Not thread-safe.
class ItemReader {
 public:
  virtual ~ItemReader() = default;

  // What stands where an item should, or why it is none that the table takes. Nullopt at the end.
  // The outer error is one of the object, of which nothing more can be read.
  virtual Result<std::optional<Result<item::Item>>> Next() = 0;
  // The beginning of what the last one was read from.
  virtual std::string Preview() const = 0;
  // Of the object, decompressed.
  virtual int64_t bytes_read() const = 0;
};

// A reader for the format of an import; both must outlive it.
std::unique_ptr<ItemReader> NewItemReader(const operations::ImportDescription& import,
                                          const table::TableDefinition& table,
                                          std::unique_ptr<ByteSource> source);

}  // namespace monotable::transfer
