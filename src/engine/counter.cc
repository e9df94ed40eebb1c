#include "engine/counter.h"

#include <string>

#include "storage/counter.h"

namespace monotable::engine {

Result<int64_t> ReadCounter(const storage::Reader& reader, std::string_view key) {
  std::string bytes;
  TRY_ASSIGN(const bool found, reader.Get(key, &bytes));
  if (!found) return int64_t{0};
  return storage::DecodeCounter(bytes);
}

}  // namespace monotable::engine
