#include "table/names.h"

namespace monotable::table {

std::string_view ProjectionName(ProjectionType type) {
  switch (type) {
    case ProjectionType::kKeysOnly:
      return "KEYS_ONLY";
    case ProjectionType::kInclude:
      return "INCLUDE";
    case ProjectionType::kAll:
      break;
  }
  return "ALL";
}

std::string_view StreamViewName(StreamViewType type) {
  switch (type) {
    case StreamViewType::kKeysOnly:
      return "KEYS_ONLY";
    case StreamViewType::kNewImage:
      return "NEW_IMAGE";
    case StreamViewType::kOldImage:
      return "OLD_IMAGE";
    case StreamViewType::kNewAndOldImages:
      break;
  }
  return "NEW_AND_OLD_IMAGES";
}

std::string_view BillingModeName(BillingMode mode) {
  return mode == BillingMode::kPayPerRequest ? "PAY_PER_REQUEST" : "PROVISIONED";
}

}  // namespace monotable::table
