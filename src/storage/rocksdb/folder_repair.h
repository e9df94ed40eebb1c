#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "error/result.h"
#include "storage/rocksdb/log_check.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/table_files.h"
#include "storage/store.h"

// Finds the damage of a data folder that no server has open, and repairs it as far as possible. An
// error is one line for the operator. The functions are thread-safe.
namespace monotable::storage {

// A table file that is gone or cannot be read at all.
struct LostFile {
  std::string path;
  bool exists = true;
  uint64_t size = 0;  // as it was
  Range keys;         // not empty, unless the list of files is lost
};

struct FolderReport {
  // What is wrong with the list of files (CURRENT, MANIFEST); empty if nothing is.
  std::string root;
  LogCheck logs;
  std::vector<Damage> blocks;  // of table files, that cannot be read
  std::vector<LostFile> lost;
  uint64_t files = 0;  // that were read
  uint64_t bytes = 0;
  // What can be read of the folder; null if it cannot be opened at all. The owner comes first.
  std::shared_ptr<void> owner;
  const Reader* reader = nullptr;

  // A torn end is no damage: a start cuts it off.
  bool damaged() const;
};

// Reads every byte of a folder and changes nothing.
Result<FolderReport> InspectFolder(const std::string& folder, Durability durability, Pace* pace);

// Repairs what a report found. What is changed or removed is kept in a new folder inside the data
// folder, whose path is returned.
//
// Of the write-ahead logs, everything before the first damage stays: a hole in the middle could
// leave an item without its index entries. Bad blocks of table files become empty. If the file
// CURRENT is lost, the newest MANIFEST takes its place. A MANIFEST that is lost cannot be replaced.
Result<std::string> RepairFolder(const std::string& folder, const FolderReport& report);

}  // namespace monotable::storage
