#include "storage/rocksdb/log_check.h"

#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "storage/rocksdb/log_records.h"
#include "storage/rocksdb/rocksdb_errors.h"
#include "telemetry/log.h"

namespace monotable::storage {

namespace {

constexpr auto kLongCheck = std::chrono::seconds(1);
constexpr std::string_view kLogExtension = ".log";
constexpr std::string_view kManifestPrefix = "MANIFEST-";

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The number of the MANIFEST that the file CURRENT names, or 0 in a new folder.
uint64_t CurrentManifest(rocksdb::FileSystem& files, const std::string& folder) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  char memory[64];
  rocksdb::Slice text;
  rocksdb::IOStatus status =
      files.NewSequentialFile(folder + "/CURRENT", rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) {
    status = file->Read(sizeof memory, rocksdb::IOOptions(), &text, memory, nullptr);
  }
  std::string_view name(text.data(), text.size());
  if (!status.ok() || !name.starts_with(kManifestPrefix) || !name.ends_with('\n')) return 0;
  name.remove_prefix(kManifestPrefix.size());
  name.remove_suffix(1);
  return ParseNumber(name).value_or(0);
}

std::map<uint64_t, CheckedLog> FindLogs(const std::string& folder,
                                        const std::vector<std::string>& names) {
  std::map<uint64_t, CheckedLog> logs;
  for (const std::string_view name : names) {
    if (!name.ends_with(kLogExtension)) continue;
    const auto number = ParseNumber(name.substr(0, name.size() - kLogExtension.size()));
    if (!number) continue;
    CheckedLog& log = logs[*number];
    log.number = *number;
    log.path = fmt::format("{}/{}", folder, name);
  }
  return logs;
}

// What a scan says about a log. A log without a mark has the mark of an empty one.
void Judge(const LogScan& scan, const LogMark& mark, bool marked, bool last, CheckedLog* log) {
  log->size = scan.size;
  log->good_size = scan.good_size;
  log->records = scan.good_records;
  log->relaxed = mark.relaxed;
  if (scan.size < mark.size) {
    log->state = LogState::kDamaged;
    log->lost_size = mark.size;
  } else if (mark.size > 0 && scan.digest != mark.digest) {
    log->state = LogState::kDamaged;
    // Every record is whole, so they are records of another time.
    if (scan.good_size >= mark.size) log->good_size = 0;
  } else if (scan.whole()) {
    log->state = LogState::kGood;
  } else if (mark.relaxed) {
    // What follows the mark may be in any state. If another log follows without a mark in between,
    // RocksDB stops at the hole.
    log->state = last || marked ? LogState::kTorn : LogState::kGood;
  } else if (scan.record_follows || (!marked && !last)) {
    log->state = LogState::kDamaged;
  } else {
    log->state = LogState::kTorn;
  }
}

Status CutOffTornEnd(rocksdb::FileSystem& files, const std::string& folder, const CheckedLog& log) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      files.ReopenWritableFile(log.path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Truncate(log.good_size, options, nullptr);
  if (status.ok()) status = file->Fsync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  if (!status.ok()) return OpenError(folder, status);
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "The last write to {} was interrupted: cut off {} bytes from position {}. {}",
                 log.path, log.size - log.good_size, log.good_size,
                 log.relaxed ? "The writes of the last moments are lost (relaxed durability)."
                             : "No acknowledged write is lost.");
  return {};
}

}  // namespace

Result<LogCheck> InspectLogs(rocksdb::FileSystem& files, const std::string& folder,
                             Durability durability) {
  LogCheck check;
  StoredMarks stored;
  std::vector<std::string> names;
  rocksdb::IOStatus status = ReadMarks(files, folder, &stored);
  if (status.ok()) status = files.GetChildren(folder, rocksdb::IOOptions(), &names, nullptr);
  if (!status.ok()) return OpenError(folder, status);
  check.problem = std::move(stored.problem);
  if (stored.marks) check.marks = *std::move(stored.marks);
  // Another program has replaced the logs since.
  if (check.marks.manifest < CurrentManifest(files, folder)) check.marks.logs.clear();

  std::map<uint64_t, CheckedLog> logs = FindLogs(folder, names);
  const uint64_t last = logs.empty() ? 0 : logs.rbegin()->first;
  std::map<uint64_t, LogMark> marks;
  for (const LogMark& mark : check.marks.logs) {
    marks[mark.number] = mark;
    if (mark.size == 0 || logs.contains(mark.number)) continue;
    CheckedLog& missing = logs[mark.number];
    missing.number = mark.number;
    missing.path = fmt::format("{}/{:06}{}", folder, mark.number, kLogExtension);
    missing.state = LogState::kDamaged;
    missing.exists = false;
    missing.lost_size = mark.size;
  }
  uint64_t last_sequence = 0;
  for (auto& [number, log] : logs) {
    if (log.exists) {
      const auto found = marks.find(number);
      LogMark mark;
      mark.relaxed = durability == Durability::kRelaxed;
      if (found != marks.end()) mark = found->second;
      LogScan scan;
      status = ScanLog(files, log.path, mark.size, last_sequence, &scan);
      if (!status.ok()) return OpenError(folder, status);
      last_sequence = scan.last_sequence;
      Judge(scan, mark, found != marks.end(), number == last, &log);
    }
    check.logs.push_back(std::move(log));
  }
  // A log that was never synced may be gone.
  std::erase_if(check.marks.logs, [&](const LogMark& mark) { return !logs.contains(mark.number); });
  return check;
}

std::string DescribeLogDamage(const CheckedLog& log) {
  if (!log.exists) {
    return fmt::format("the write-ahead log {} is missing; it had at least {} bytes", log.path,
                       log.lost_size);
  }
  if (log.lost_size > 0 && log.good_size == log.size) {
    return fmt::format("the write-ahead log {} ends at position {}; it had at least {} bytes",
                       log.path, log.size, log.lost_size);
  }
  return fmt::format("the write-ahead log {} is not as it was written from position {} on",
                     log.path, log.good_size);
}

Result<LogMarks> CheckLogs(rocksdb::FileSystem& files, const std::string& folder,
                           Durability durability) {
  const auto begin = std::chrono::steady_clock::now();
  TRY_ASSIGN(LogCheck check, InspectLogs(files, folder, durability));
  for (const CheckedLog& log : check.logs) {
    if (log.state != LogState::kDamaged) continue;
    return Error::Internal(fmt::format(
        "The data folder {} is damaged: {}. Acknowledged writes would be lost. Restore a "
        "backup, or see what can be kept: monotable repair {}",
        folder, DescribeLogDamage(log), folder));
  }
  if (!check.problem.empty()) {
    telemetry::Log(telemetry::LogLevel::kWarning,
                   "In the data folder {}, {}. The write-ahead logs look complete, but a log that "
                   "is missing would not be noticed.",
                   folder, check.problem);
  }
  uint64_t bytes = 0;
  for (const CheckedLog& log : check.logs) {
    bytes += log.size;
    if (log.state == LogState::kTorn) TRY(CutOffTornEnd(files, folder, log));
  }
  const auto time = std::chrono::steady_clock::now() - begin;
  if (time >= kLongCheck) {
    telemetry::Log(telemetry::LogLevel::kInfo, "Checked {} bytes of write-ahead logs in {} s",
                   bytes, std::chrono::duration<double>(time).count());
  }
  return std::move(check.marks);
}

}  // namespace monotable::storage
