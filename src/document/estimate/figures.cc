#include "document/estimate/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace monotable::document {
namespace {

constexpr double kSecondsOfDay = 86'400;
constexpr double kKilobyte = 1024;
constexpr double kThousand = 1000;

std::string Trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string WithCommas(std::string number) {
  for (size_t at = std::min(number.find('.'), number.size()); at > 3;) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

}  // namespace

std::string Figure(double value) {
  if (value >= 100) return WithCommas(fmt::format("{:.0f}", value));
  if (value >= 1) return Trimmed(fmt::format("{:.1f}", value));
  return Trimmed(fmt::format("{:.{}f}", value, value >= 0.001 ? 3 : 4));
}

std::string PerSecond(double per_day) {
  const double rate = per_day / kSecondsOfDay;
  return fmt::format("{:.{}f}", rate, rate >= 0.001 ? 3 : 4);
}

std::string Size(double bytes) {
  double size = bytes / kKilobyte;
  if (size < 1) return fmt::format("{:.0f} bytes", bytes);
  for (const char* unit : {"KB", "MB"}) {
    if (size < kThousand) return fmt::format("{} {}", Trimmed(fmt::format("{:.1f}", size)), unit);
    size /= kThousand;
  }
  return fmt::format("{} GB", Trimmed(fmt::format("{:.2f}", size)));
}

TextColumns::TextColumns(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextColumns::Add(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextColumns::Text() const {
  const size_t columns = rows_.front().size();
  std::vector<size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < columns; ++i) {
      const bool left = i == 0 || i + 1 == columns;
      line += left ? fmt::format("  {:<{}}", row[i], widths[i])
                   : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace monotable::document
