#include "storage/counter.h"

#include <string>

namespace monotable::storage {

Result<int64_t> ReadCounter(const Reader& reader, std::string_view key) {
  std::string bytes;
  TRY_ASSIGN(const bool found, reader.Get(key, &bytes));
  if (!found) return int64_t{0};
  return DecodeCounter(bytes);
}

}  // namespace monotable::storage
