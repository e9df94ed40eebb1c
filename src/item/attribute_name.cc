#include "item/attribute_name.h"

namespace monotable::item {
namespace {

constexpr size_t kMaxNameBytes = 65535;

}  // namespace

Status CheckAttributeName(std::string_view name) {
  if (name.empty()) {
    return Error::Validation("One or more parameter values were invalid: Empty attribute name");
  }
  if (name.size() > kMaxNameBytes) {
    return Error::Validation(
        "One or more parameter values were invalid: Attribute name is too large, must be less "
        "than 65536 bytes");
  }
  return {};
}

}  // namespace monotable::item
