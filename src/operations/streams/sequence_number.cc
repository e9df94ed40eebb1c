#include "operations/streams/sequence_number.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::operations {
namespace {

constexpr size_t kTimeDigits = 13;
constexpr size_t kSequenceDigits = 18;
constexpr size_t kPositionDigits = 4;

// Takes a number of so many digits off the front of *text, which has them.
template <typename Integer>
void TakeDigits(size_t digits, std::string_view* text, Integer* number) {
  std::from_chars(text->data(), text->data() + digits, *number);
  text->remove_prefix(digits);
}

}  // namespace

std::string FormatSequenceNumber(const encoding::ChangePosition& position) {
  return fmt::format("{:0{}}{:0{}}{:0{}}", position.time_ms, kTimeDigits, position.sequence,
                     kSequenceDigits, position.position, kPositionDigits);
}

std::optional<encoding::ChangePosition> ParseSequenceNumber(std::string_view text) {
  if (text.size() != kTimeDigits + kSequenceDigits + kPositionDigits) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), text::IsDigit)) {
    return std::nullopt;
  }
  encoding::ChangePosition position;
  TakeDigits(kTimeDigits, &text, &position.time_ms);
  TakeDigits(kSequenceDigits, &text, &position.sequence);
  TakeDigits(kPositionDigits, &text, &position.position);
  return position;
}

}  // namespace monotable::operations
