#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "storage/rocksdb/power_loss_file_system_for_tests.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/store_conformance_fixture.h"
#include "storage/temporary_folder_for_tests.h"

// Power cuts at any moment: nothing that was acknowledged is lost, and the store always opens.
namespace monotable::storage {

namespace {

class PowerLossTest : public testing::TestWithParam<Durability> {
 protected:
  RocksDbOptions Options() const {
    RocksDbOptions options;
    options.durability = GetParam();
    options.write_buffer_bytes = size_t{64} << 10;  // flushes all the time
    return options;
  }

  // Opens the folder, writes the next keys and leaves what a power cut in the middle leaves.
  // Returns how many keys had been acknowledged.
  int WriteUntilCut(const std::string& folder, const std::string& left, int next) {
    const auto files = std::make_shared<PowerLossFileSystem>(folder);
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
    RocksDbOptions options = Options();
    options.env = env.get();
    std::atomic<int> acknowledged = next;
    std::atomic<bool> stop = false;
    std::thread writer([&] {
      const auto store = OpenRocksDbStore(folder, options);
      ASSERT_TRUE(store) << store.error().message();
      while (!stop) {
        const size_t bytes = random_fast_() % 8 == 0 ? 50'000 : random_fast_() % 2000;
        ASSERT_TRUE(Put(**store, std::to_string(acknowledged.load()), std::string(bytes, 'x')));
        ++acknowledged;
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 60'000));
    const int certain = acknowledged;
    files->Cut(left, &random_);
    stop = true;
    writer.join();
    return certain;
  }

  const uint64_t seed_ = TestSeed();
  std::mt19937_64 random_{seed_};
  std::minstd_rand random_fast_{static_cast<uint32_t>(seed_ % 1000000 + 1)};
};

TEST_P(PowerLossTest, LosesNothingThatWasAcknowledged) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  const TemporaryFolder folder;
  std::string path = folder.path() + "/0";
  std::filesystem::create_directory(path);
  int keys = 0;
  for (int round = 1; round <= 4; ++round) {
    const std::string left = folder.path() + "/" + std::to_string(round);
    const int certain = WriteUntilCut(path, left, keys);
    const auto store = OpenRocksDbStore(left, Options());
    ASSERT_TRUE(store) << round << ": " << store.error().message();
    int found = 0;
    while (Has(**store, std::to_string(found))) ++found;
    // Neither a hole nor half a write.
    EXPECT_EQ(Count(**store), found);
    if (GetParam() == Durability::kSync) {
      EXPECT_GE(found, certain) << round;
    } else {
      EXPECT_GE(found, 0);
    }
    keys = found;
    path = left;
  }
}

INSTANTIATE_TEST_SUITE_P(Durabilities, PowerLossTest,
                         testing::Values(Durability::kSync, Durability::kRelaxed));

}  // namespace

}  // namespace monotable::storage
