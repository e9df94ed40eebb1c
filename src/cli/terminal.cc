#include "cli/terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "model/instant.h"

namespace monotable::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

}  // namespace

int Fail(std::string_view message) {
  fmt::print(stderr, "monotable: {}\n", message);
  return kUnusable;
}

int Refuse(const Error& error) {
  fmt::print(stderr, "monotable: {}\n", error.message());
  return kHasErrors;
}

Progress::Progress() : shows_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  Clear();
}

void Progress::Say(std::string_view text) {
  if (shows_) fmt::print(stderr, "{}{}", kClearLine, text);
}

void Progress::Clear() {
  if (shows_) fmt::print(stderr, "{}", kClearLine);
}

std::string FormatTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows) {
  constexpr size_t kGap = 2;
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    widths.push_back(WidthOf(column.title));
    titles.push_back(column.title);
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - WidthOf(row[i]), ' ');
      if (i > 0) line.append(kGap, ' ');
      line += columns[i].align == Align::kRight ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add(titles);
  for (const auto& row : rows) add(row);
  return text;
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KB", "MB", "GB", "TB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string FormatCount(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string FormatMoment(int64_t milliseconds) {
  return model::Spell({milliseconds}, "iso");
}

}  // namespace monotable::cli
