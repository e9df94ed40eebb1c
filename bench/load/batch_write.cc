#include "load/batch_write.h"

#include <string>

namespace monotable::load {

Operation BatchWrite(const Options& options, std::string_view pattern) {
  constexpr size_t kBatchItems = 25;
  const std::string put = R"({"PutRequest":{"Item":)" + std::string(pattern) + "}}";
  return {.target = "BatchWriteItem",
          .opening = R"({"RequestItems":{")" + options.table + R"(":[)",
          .texts = {ItemText(put)},
          .count = kBatchItems,
          .closing = "]}}",
          .expected_text = R"("UnprocessedItems":{})",
          .in_order = !options.seconds && !options.requests};
}

}  // namespace monotable::load
