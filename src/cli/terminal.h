#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/error.h"

// What commands print: errors, progress and tables.
namespace monotable::cli {

inline constexpr int kFine = 0;
inline constexpr int kHasErrors = 1;
inline constexpr int kUnusable = 2;

// One line on standard error, and the exit code for a command that could not start.
int Fail(std::string_view message);

// The same for a command that could start but not end well.
int Refuse(const Error& error);

// One line on standard error about what goes on, where a person looks: it is there only if that is
// a terminal, and goes away at the end. Not thread-safe.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Replaces the line.
  void Say(std::string_view text);
  void Clear();

 private:
  const bool shows_;
};

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
