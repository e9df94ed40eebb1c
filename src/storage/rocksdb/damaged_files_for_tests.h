#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_store_for_tests.h"

// Functions that make damaged folders, shared by tests.
namespace monotable::storage {

inline void FlipByte(const std::filesystem::path& path, uint64_t offset) {
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(stream.get());
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ 0x10));
}

inline std::vector<std::string> FilesOf(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == extension) files.push_back(file.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<std::string> TableKeys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(fmt::format("k{:06}", i));
  return keys;
}

// Writes keys with values that do not compress to a store, and closes it so that all of them are in
// table files. Returns the files.
inline std::vector<std::string> MakeTableFiles(const std::string& folder, int count) {
  std::minstd_rand random(42);
  {
    const auto store = Open(folder);
    auto bulk = store->StartBulkWrite();
    EXPECT_TRUE(bulk);
    for (const std::string& key : TableKeys(count)) {
      std::string value(200, '\0');
      for (char& c : value) c = static_cast<char>(random());
      EXPECT_TRUE((*bulk)->Put(key, value));
    }
    EXPECT_TRUE((*bulk)->Finish());
  }
  return FilesOf(folder, ".sst");
}

}  // namespace monotable::storage
