#include "telemetry/log.h"

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>

#include <unistd.h>

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
  using std::chrono::system_clock;
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch());
  const time_t seconds = since_epoch.count() / 1000;
  tm utc{};
  gmtime_r(&seconds, &utc);
  std::string line =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z {} {}", utc.tm_year + 1900,
                  utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                  since_epoch.count() % 1000, LogLevelName(level), text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line.push_back('\n');
  // One write, so that lines of several threads do not mix. A log that cannot be written is no
  // reason to stop serving.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace monotable::telemetry
