#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/error.h"

// What commands print: errors, progress and tables.
namespace monotable::cli {

// The exit codes of commands.
inline constexpr int kFine = 0;
inline constexpr int kHasErrors = 1;
inline constexpr int kUnusable = 2;

// Prints one line on standard error. Returns kUnusable, for a command that could not start.
int Fail(std::string_view message);

// Prints one line on standard error. Returns kHasErrors, for a command that started but failed.
int Refuse(const Error& error);

// One line on standard error that says what the command is doing. The line is shown only if
// standard error is a terminal, and disappears at the end. Not thread-safe.
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

// Lines with columns of equal width, with the titles first. A row may have fewer cells than there
// are columns. A UTF-8 character is one column wide.
std::string FormatTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows);

// 512 B, 3.4 KB, 1.2 GB.
std::string FormatBytes(uint64_t bytes);

// 1 table, 2 tables.
std::string FormatCount(int64_t count, std::string_view what);

// A moment in UTC, to the second: 2026-01-30T14:30:00Z.
std::string FormatMoment(int64_t milliseconds);

}  // namespace monotable::cli
