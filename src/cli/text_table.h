#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace monotable::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// Lines with columns of equal width, the titles first. A row may be shorter than the others. Widths
// are those of UTF-8 characters.
std::string FormatTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows);

// 512 B, 3.4 KB, 1.2 GB.
std::string FormatBytes(uint64_t bytes);

// 1 table, 2 tables.
std::string FormatCount(int64_t count, std::string_view what);

// A moment of UTC to the second: 2026-01-30T14:30:00Z.
std::string FormatMoment(int64_t milliseconds);

}  // namespace monotable::cli
