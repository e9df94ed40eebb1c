#include "storage/rocksdb/database.h"

#include <memory>
#include <utility>

#include <rocksdb/write_batch.h>

#include "storage/rocksdb/rocksdb_options.h"

namespace monotable::storage {

namespace {

// The name is on disk, so it must never change.
constexpr char kLogFamily[] = "log";

const std::string kLogBegin(1, kLogPrefix);
const std::string kLogEnd(1, kLogPrefix + 1);

bool EndsBy(const Range& range, const std::string& key) {
  return !range.end.empty() && range.end <= key;
}

}  // namespace

std::vector<rocksdb::ColumnFamilyDescriptor> FamiliesOf(const rocksdb::Options& options) {
  return {{rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions(options)},
          {kLogFamily, MakeLogFamilyOptions(options)}};
}

rocksdb::Status Database::Open(const rocksdb::Options& options, const std::string& folder,
                               std::unique_ptr<Database>* database) {
  rocksdb::DBOptions database_options(options);
  // A database that was created without the log family gets it now.
  database_options.create_missing_column_families = true;
  const auto recovery = std::make_shared<RecoveryWatch>();
  database_options.listeners.push_back(recovery);
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::Status status =
      rocksdb::DB::Open(database_options, folder, FamiliesOf(options), &families, &db);
  if (!status.ok()) return status;
  database->reset(new Database(std::unique_ptr<rocksdb::DB>(db), std::move(families)));
  (*database)->recovery_ = recovery;
  return (*database)->MoveLogKeys();
}

rocksdb::Status Database::OpenToRead(const rocksdb::Options& options, const std::string& folder,
                                     std::unique_ptr<Database>* database) {
  rocksdb::DBOptions database_options(options);
  database_options.paranoid_checks = false;
  database_options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(database_options, folder, FamiliesOf(options), &families, &db);
  if (status.ok()) {
    database->reset(new Database(std::unique_ptr<rocksdb::DB>(db), std::move(families)));
  }
  return status;
}

Database::~Database() {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

rocksdb::ColumnFamilyHandle* Database::FamilyOf(const Range& range) const {
  if (range.begin >= kLogEnd || EndsBy(range, kLogBegin)) return items();
  if (range.begin >= kLogBegin && EndsBy(range, kLogEnd)) return log();
  return nullptr;
}

std::vector<Database::Part> Database::Split(const Range& range) const {
  if (rocksdb::ColumnFamilyHandle* family = FamilyOf(range)) return {{family, range}};
  std::vector<Part> parts;
  Range rest = range;
  if (rest.begin < kLogBegin) {
    parts.push_back({items(), {rest.begin, kLogBegin}});
    rest.begin = kLogBegin;
  }
  if (EndsBy(rest, kLogEnd)) {
    parts.push_back({log(), rest});
    return parts;
  }
  parts.push_back({log(), {rest.begin, kLogEnd}});
  parts.push_back({items(), {kLogEnd, rest.end}});
  return parts;
}

uint64_t Database::IntProperty(const std::string& name) const {
  uint64_t sum = 0;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    uint64_t value = 0;
    if (db_->GetIntProperty(family, name, &value)) sum += value;
  }
  return sum;
}

// Copies first and deletes afterwards. If the process ends in between, the next one repeats both.
rocksdb::Status Database::MoveLogKeys() {
  constexpr size_t kBatchBytes = size_t{1} << 20;
  const rocksdb::Slice upper(kLogEnd);
  rocksdb::ReadOptions read_options;
  read_options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> misplaced(db_->NewIterator(read_options, items()));
  misplaced->Seek(kLogBegin);
  if (!misplaced->Valid()) return misplaced->status();

  // Each batch is synced: a log may hold one write that is not on the disk, but not several.
  rocksdb::WriteOptions synced;
  synced.sync = true;
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (; status.ok() && misplaced->Valid(); misplaced->Next()) {
    status = batch.Put(log(), misplaced->key(), misplaced->value());
    if (status.ok() && batch.GetDataSize() >= kBatchBytes) {
      status = db_->Write(synced, &batch);
      batch.Clear();
    }
  }
  if (status.ok()) status = misplaced->status();
  if (status.ok()) status = batch.DeleteRange(items(), kLogBegin, kLogEnd);
  return status.ok() ? db_->Write(synced, &batch) : status;
}

}  // namespace monotable::storage
