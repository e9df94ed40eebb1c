#include <fmt/format.h>
#include <xxhash.h>

#include "entities/codec/codec.h"

namespace monotable::entities {

std::string EntityTag(const Entity& entity, encoding::ItemView item) {
  const std::string& attribute = entity.table->version_attribute;
  if (attribute.empty()) {
    // Equal items have equal bytes, so the hash changes exactly when the item does.
    const std::string_view record = item.record();
    return fmt::format("\"h{:016x}\"", XXH3_64bits(record.data(), record.size()));
  }
  const auto version = item.Find(attribute);
  const bool is_counted = version && version->type() == item::Type::kNumber;
  return fmt::format("\"v{}\"", is_counted ? version->scalar() : "0");
}

}  // namespace monotable::entities
