#include "storage/rocksdb/database.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_options.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

// Databases were once made without a family for the log.
TEST(DatabaseTest, MovesTheLogOfAnOlderDatabase) {
  const TemporaryFolder folder;
  constexpr int kKeys = 3000;
  {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, folder.path(), &db).ok());
    const std::unique_ptr<rocksdb::DB> owner(db);
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = "k" + std::to_string(i);
      ASSERT_TRUE(db->Put({}, key, "v").ok());
      ASSERT_TRUE(db->Put({}, LogKey(key), std::string(1000, 'x')).ok());
    }
  }
  for (int opened = 0; opened < 2; ++opened) {
    auto store = Open(folder.path());
    for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(Has(*store, "k" + std::to_string(i)));
  }
  std::unique_ptr<Database> database;
  ASSERT_TRUE(Database::Open(MakeRocksDbOptions({}), folder.path(), &database).ok());
  const std::unique_ptr<rocksdb::Iterator> first(database->db().NewIterator({}));
  first->SeekToFirst();
  ASSERT_TRUE(first->Valid());
  EXPECT_EQ(first->key().ToString(), "k0");
}

}  // namespace

}  // namespace monotable::storage
