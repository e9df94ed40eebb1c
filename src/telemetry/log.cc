#include "telemetry/log.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include <unistd.h>

#include "time/calendar.h"

namespace monotable::telemetry {
namespace {

std::atomic<LogLevel> current_level{LogLevel::kInfo};

constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};

}  // namespace

void SetLogLevel(LogLevel level) {
  current_level.store(level, std::memory_order_relaxed);
}

LogLevel log_level() {
  return current_level.load(std::memory_order_relaxed);
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string_view LogLevelName(LogLevel level) {
  return kNames[static_cast<size_t>(level)];
}

void WriteLogLine(LogLevel level, std::string_view text) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  std::string line = fmt::format("{} {} {}", time::Format(now_ms, time::kIsoMilliseconds),
                                 LogLevelName(level), text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line.push_back('\n');
  // One write, so that lines of several threads do not mix. If the log cannot be written, the
  // server goes on serving.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace monotable::telemetry
