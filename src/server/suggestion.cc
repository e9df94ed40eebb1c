#include "server/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace monotable::server {
namespace {

// Levenshtein: how many letters to insert, delete or replace.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> Suggest(std::string_view typed,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> nearest;
  // A third of the letters may be wrong, and two in a short word: swapped neighbours count twice.
  size_t limit = std::max<size_t>(2, typed.size() / 3);
  for (const std::string_view candidate : candidates) {
    const size_t distance = Distance(typed, candidate);
    if (distance > limit || distance >= candidate.size()) continue;
    if (nearest && distance == limit) continue;
    limit = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace monotable::server
