#include "storage/store_conformance.h"

#include <utility>

#include "storage/faulty/faulty_store.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

class MemoryUnderTest : public StoreUnderTest {
 public:
  Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  bool Reopen() override { return false; }

 private:
  std::unique_ptr<Store> store_ = NewMemoryStore();
};

class FaultyUnderTest : public StoreUnderTest {
 public:
  explicit FaultyUnderTest(const FaultOptions& options)
      : store_(NewFaultyStore(NewMemoryStore(), options)) {}
  Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  bool Reopen() override { return false; }

 private:
  std::unique_ptr<FaultyStore> store_;
};

class RocksDbUnderTest : public StoreUnderTest {
 public:
  explicit RocksDbUnderTest(RocksDbOptions options) : options_(std::move(options)) { Reopen(); }

  Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  bool Reopen() override {
    auto store = OpenRocksDbStore(folder_.path(), options_);
    EXPECT_TRUE(store);
    if (store) store_ = *std::move(store);
    return true;
  }

 private:
  const TemporaryFolder folder_;
  const RocksDbOptions options_;
  std::unique_ptr<Store> store_;
};

StoreMaker RocksDbMaker(std::string name, RocksDbOptions options) {
  return {std::move(name), [options] { return std::make_unique<RocksDbUnderTest>(options); }};
}

// Everything that store.h allows short of failing.
FaultOptions Restless() {
  FaultOptions options;
  options.repeat_decide = 0.3;
  options.seed = TestSeed();
  options.reorder_updates = true;
  return options;
}

std::string MakerName(const testing::TestParamInfo<StoreMaker>& info) {
  return info.param.name;
}

auto Makers() {
  return testing::Values(
      StoreMaker{"Memory", [] { return std::make_unique<MemoryUnderTest>(); }},
      RocksDbMaker("RocksDbSync", {}),
      RocksDbMaker("RocksDbRelaxed", {.durability = Durability::kRelaxed}),
      // So small that flushes and compactions happen under every test.
      RocksDbMaker("RocksDbSmall", {.durability = Durability::kRelaxed,
                                    .cache_bytes = size_t{64} << 10,
                                    .write_buffer_bytes = size_t{64} << 10}),
      StoreMaker{"FaultlessFaulty",
                 [] { return std::make_unique<FaultyUnderTest>(FaultOptions()); }},
      StoreMaker{"Restless", [] { return std::make_unique<FaultyUnderTest>(Restless()); }});
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance, Makers(), MakerName);
INSTANTIATE_TEST_SUITE_P(Stores, StoreBulkWrites, Makers(), MakerName);

}  // namespace

}  // namespace monotable::storage
