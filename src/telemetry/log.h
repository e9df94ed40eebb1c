#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

// The log: one line per event on standard error, `2026-11-15T06:47:29.123Z warning text`. The level
// is the only global state of the process. Everything here is thread-safe. Requests are not logged.
namespace monotable::telemetry {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void SetLogLevel(LogLevel level);
LogLevel log_level();
// debug, info, warning, error or off.
std::optional<LogLevel> ParseLogLevel(std::string_view name);
std::string_view LogLevelName(LogLevel level);

// Writes one line whatever the level; line breaks within the text become blanks. Thread-safe: lines
// do not mix.
void WriteLogLine(LogLevel level, std::string_view text);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level < log_level()) return;
  WriteLogLine(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace monotable::telemetry
