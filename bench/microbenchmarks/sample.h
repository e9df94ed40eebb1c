#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "error/result.h"
#include "item/value.h"
#include "json/parse.h"
#include "table/definition.h"

// What the benchmarks work on: items of the load generator's data set and its table "sales".
namespace monotable::bench {

// A benchmark of something that failed would mislead, so it ends the program.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "microbenchmarks: %s\n", result.error().message().c_str());
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// A JSON text, parsed and kept alive.
class Document {
 public:
  explicit Document(std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  std::string_view text() const { return std::string_view(padded_).substr(0, size_); }
  const json::Element& root() const { return root_; }
  json::Object object() const { return json::ObjectOf(root_); }

 private:
  const size_t size_;
  const std::string padded_;
  json::Parser parser_;
  const json::Element root_;
};

// An item of the data set, of about 500 bytes, and its key. Another revision is a new state of the
// same item.
std::string ItemJson(uint64_t number, uint64_t revision = 0);
std::string KeyJson(uint64_t number);
item::Item SampleItem(uint64_t number);

// PK and SK, and three global indexes that project everything.
table::TableDefinition SalesTable();

}  // namespace monotable::bench
