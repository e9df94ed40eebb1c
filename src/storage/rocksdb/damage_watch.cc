#include "storage/rocksdb/damage_watch.h"

#include <filesystem>
#include <utility>

#include <rocksdb/env.h>

#include "storage/rocksdb/rocksdb_errors.h"
#include "telemetry/log.h"

namespace monotable::storage {

namespace {

std::string PathOf(const rocksdb::LiveFileMetaData& file) {
  return file.directory + "/" + file.relative_filename;
}

// Narrows the keys of damage to those of its file.
Damage Within(Damage damage, const rocksdb::LiveFileMetaData& file) {
  if (damage.keys.begin < file.smallestkey) damage.keys.begin = file.smallestkey;
  const std::string end = file.largestkey + '\0';
  if (damage.keys.end.empty() || damage.keys.end > end) damage.keys.end = end;
  return damage;
}

}  // namespace

void DamageWatch::Start(rocksdb::DB* db, std::vector<rocksdb::ColumnFamilyHandle*> families,
                        const Reader* reader) {
  db_ = db;
  families_ = std::move(families);
  reader_ = reader;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void DamageWatch::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void DamageWatch::Saw(const rocksdb::Status& status) {
  if (!status.IsCorruption()) return;
  const std::string file = TableFileOf(status).value_or("");
  const std::lock_guard lock(mutex_);
  if (!seen_.insert(file).second) return;
  if (file.empty()) {
    telemetry::Log(telemetry::LogLevel::kError, "Stored data is damaged: {}", ShortReason(status));
    return;
  }
  waiting_.push_back(file);
  changed_.notify_one();
}

void DamageWatch::OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) {
  if (reason != rocksdb::BackgroundErrorReason::kCompaction || !error->IsCorruption()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_merging_ = true;
    changed_.notify_one();
  }
  Saw(*error);
  *error = rocksdb::Status::OK();
}

void DamageWatch::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return stop_merging_ || !waiting_.empty(); })) {
    if (std::exchange(stop_merging_, false) && std::exchange(merging_, false)) {
      lock.unlock();
      StopMerging();
      lock.lock();
    }
    if (waiting_.empty()) continue;
    const std::string file = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Look(file, stop);
    lock.lock();
  }
}

// Damage to a file that is no longer in use has no consequences.
void DamageWatch::Look(const std::string& file, const std::stop_token& stop) {
  const auto live = LiveFiles();
  const auto found = live.find(std::filesystem::path(file).filename().string());
  if (found == live.end()) return;
  Pace pace(0, stop);
  const auto damage =
      InspectTableFile(db_->GetEnv()->GetFileSystem(), PathOf(found->second), &pace);
  if (!damage) {
    if (stop.stop_requested()) return;
    Report(Within({PathOf(found->second), 0, 0, {}}, found->second));
    return;
  }
  for (const Damage& part : *damage) Report(Within(part, found->second));
}

void DamageWatch::Report(const Damage& damage) {
  {
    const std::lock_guard lock(mutex_);
    if (!reported_.emplace(damage.file, damage.offset).second) return;
  }
  if (report_) report_(damage, *reader_);
}

void DamageWatch::StopMerging() {
  rocksdb::Status status;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    if (status.ok()) status = db_->SetOptions(family, {{"disable_auto_compactions", "true"}});
  }
  telemetry::Log(telemetry::LogLevel::kError,
                 "A table file is damaged, so files are no longer merged{}. Writes go on, but "
                 "reads get slower with time. Stop the server and see what can be kept: monotable "
                 "repair {}",
                 status.ok() ? "" : " (" + ShortReason(status) + ")", db_->GetName());
}

std::map<std::string, rocksdb::LiveFileMetaData> DamageWatch::LiveFiles() const {
  std::vector<rocksdb::LiveFileMetaData> list;
  db_->GetLiveFilesMetaData(&list);
  std::map<std::string, rocksdb::LiveFileMetaData> files;
  for (rocksdb::LiveFileMetaData& file : list) {
    std::string name = file.relative_filename;
    files.emplace(std::move(name), std::move(file));
  }
  return files;
}

// The names of files are numbers with leading zeros, so their order is that of the numbers.
Result<ScrubReport> DamageWatch::Scrub(const ScrubOptions& options) {
  Pace pace(options.bytes_per_second, options.stop);
  ScrubReport report;
  for (const auto& [name, file] : LiveFiles()) {
    if (file.file_number <= options.after_file) continue;
    const auto damage = InspectTableFile(db_->GetEnv()->GetFileSystem(), PathOf(file), &pace);
    if (options.stop.stop_requested()) {
      return Error(ErrorCode::kUnavailable, "The scrub was stopped before its end.");
    }
    // A file that was merged into others meanwhile is gone.
    if (!damage && !LiveFiles().contains(name)) continue;
    std::vector<Damage> parts;
    if (damage) {
      parts = *damage;
    } else {
      parts.push_back({PathOf(file), 0, 0, {}});
    }
    for (const Damage& part : parts) {
      report.damage.push_back(Within(part, file));
      Report(report.damage.back());
    }
    ++report.files;
    report.bytes += file.size;
    if (options.progress) options.progress(file.file_number);
  }
  return report;
}

}  // namespace monotable::storage
