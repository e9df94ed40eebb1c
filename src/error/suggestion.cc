#include "error/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "text/characters.h"

namespace monotable {
namespace {

// The number of letters to insert, remove, change or swap with a neighbour, ignoring case.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  const auto same = [&](size_t i, size_t j) {
    return text::ToLower(a[i - 1]) == text::ToLower(b[j - 1]);
  };
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (same(i, j) ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> Suggest(std::string_view typed,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> nearest;
  // A third of the letters may be wrong, or one letter of a short word. With more mistakes it is
  // another word.
  size_t limit = std::max<size_t>(1, typed.size() / 3);
  for (const std::string_view candidate : candidates) {
    const size_t distance = Distance(typed, candidate);
    if (distance > limit || distance >= candidate.size()) continue;
    if (nearest && distance == limit) continue;
    limit = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace monotable
