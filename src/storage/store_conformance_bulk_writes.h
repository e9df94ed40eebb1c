#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_conformance_fixture.h"

// Bulk writes. Part of store_conformance.h.
namespace monotable::storage {

// Keys k1000000, k1000001 and so on; the values are the numbers.
class StoreBulkWrites : public StoreConformance {
 protected:
  static std::string Key(int number) { return "k" + std::to_string(1000000 + number); }

  std::unique_ptr<BulkWrite> Start() {
    auto bulk_write = store().StartBulkWrite();
    EXPECT_TRUE(bulk_write);
    return bulk_write ? *std::move(bulk_write) : nullptr;
  }
  static void PutNumbers(BulkWrite& bulk_write, int first, int end) {
    for (int i = first; i < end; ++i) ASSERT_TRUE(bulk_write.Put(Key(i), std::to_string(i)));
  }
  static void Finish(BulkWrite& bulk_write) {
    const Status status = bulk_write.Finish();
    EXPECT_TRUE(status) << status.error().message();
  }
  void WriteNumbers(int first, int end) {
    const auto bulk_write = Start();
    PutNumbers(*bulk_write, first, end);
    Finish(*bulk_write);
  }
  static Entries Numbers(int first, int end) {
    Entries entries;
    for (int i = first; i < end; ++i) entries.emplace_back(Key(i), std::to_string(i));
    return entries;
  }
};

TEST_P(StoreBulkWrites, ShowEverythingWhenFinished) {
  Put("a", "before");
  Put("z", "after");
  const auto bulk_write = Start();
  PutNumbers(*bulk_write, 0, 1000);
  EXPECT_EQ(Scan({"k", "l"}), Entries());
  EXPECT_EQ(Get(Key(0)), std::nullopt);
  Finish(*bulk_write);
  EXPECT_EQ(Scan({"k", "l"}), Numbers(0, 1000));
  EXPECT_EQ(Get(Key(999)), "999");
  EXPECT_EQ(Scan({}).size(), 1002u);
}

TEST_P(StoreBulkWrites, RefuseTheLog) {
  const auto bulk_write = Start();
  EXPECT_FALSE(bulk_write->Put(std::string(1, kLogPrefix) + "a", "v"));
}

TEST_P(StoreBulkWrites, LeaveNothingUnfinished) {
  PutNumbers(*Start(), 0, 1000);
  EXPECT_EQ(Scan({}), Entries());
  under_test_->Close();
  if (under_test_->Reopen()) {
    EXPECT_EQ(Scan({}), Entries());
  }
}

TEST_P(StoreBulkWrites, MayBeEmpty) {
  Finish(*Start());
  EXPECT_EQ(Scan({}), Entries());
}

TEST_P(StoreBulkWrites, RefuseKeysThatDoNotAscend) {
  const auto bulk_write = Start();
  ASSERT_TRUE(bulk_write->Put("", "the first key there is"));
  ASSERT_TRUE(bulk_write->Put("b", "v"));
  EXPECT_FALSE(bulk_write->Put("b", "v"));
  EXPECT_FALSE(bulk_write->Put("a", "v"));
}

TEST_P(StoreBulkWrites, KeepArbitraryKeysAndValues) {
  const std::string large(size_t{1} << 20, 'x');
  const Entries entries = {{"", "empty"}, {std::string(1, '\0'), ""}, {"a", large}, {"\xff", "z"}};
  const auto bulk_write = Start();
  for (const auto& [key, value] : entries) ASSERT_TRUE(bulk_write->Put(key, value));
  Finish(*bulk_write);
  EXPECT_EQ(Scan({}), entries);
}

TEST_P(StoreBulkWrites, StayOutOfSnapshots) {
  Put(Key(1), "old");
  const auto snapshot = store().Snapshot();
  const auto cursor = store().Latest().Scan({}, Direction::kForward);
  WriteNumbers(0, 100);
  EXPECT_EQ(Get(*snapshot, Key(0)), std::nullopt);
  EXPECT_EQ(Get(*snapshot, Key(1)), "old");
  EXPECT_EQ(Drain(snapshot->Scan({}, Direction::kForward)), (Entries{{Key(1), "old"}}));
  EXPECT_EQ(Drain(cursor), (Entries{{Key(1), "old"}}));
  EXPECT_EQ(Scan({}), Numbers(0, 100));
}

TEST_P(StoreBulkWrites, AreOverwrittenByLaterUpdates) {
  for (int round = 0; round < 3; ++round) {
    // Under a snapshot the files of a bulk write get a number of RocksDB's sequence.
    auto snapshot = round == 1 ? store().Snapshot() : nullptr;
    WriteNumbers(0, 100);
    std::optional<std::string> seen;
    Write({Key(50)}, [&](Values values, const Commit&, Batch* batch) {
      seen = values[0];
      batch->Put(Key(50), "updated");
      batch->Delete(Key(51));
    });
    EXPECT_EQ(seen, "50");
    EXPECT_EQ(Get(Key(50)), "updated");
    EXPECT_EQ(Get(Key(51)), std::nullopt);
    EXPECT_EQ(Scan({}).size(), 99u);
    snapshot.reset();
    under_test_->Close();
    if (!under_test_->Reopen()) under_test_ = GetParam().make();
  }
}

TEST_P(StoreBulkWrites, GoWithTheirRange) {
  for (int round = 0; round < 3; ++round) {
    WriteNumbers(0, 100);
    EXPECT_EQ(Scan({}), Numbers(0, 100));
    DeleteRange({"k", "l"});
    EXPECT_EQ(Scan({}), Entries());
    EXPECT_EQ(Get(Key(0)), std::nullopt);
  }
  WriteNumbers(50, 60);
  EXPECT_EQ(Scan({}), Numbers(50, 60));
}

TEST_P(StoreBulkWrites, SetCounters) {
  Increment("n", 5);
  const auto ten = EncodeCounter(10);
  const auto bulk_write = Start();
  for (const char* key : {"m", "n"}) {
    ASSERT_TRUE(bulk_write->Put(key, {ten.data(), ten.size()}));
  }
  Finish(*bulk_write);
  Increment("m", 1);
  Increment("n", 1);
  EXPECT_EQ(Count("m"), 11);
  EXPECT_EQ(Count("n"), 11);
}

TEST_P(StoreBulkWrites, SurviveReopening) {
  WriteNumbers(0, 1000);
  Put(Key(500), "updated");
  under_test_->Close();
  if (!under_test_->Reopen()) GTEST_SKIP() << "keeps nothing";
  Entries expected = Numbers(0, 1000);
  expected[500].second = "updated";
  EXPECT_EQ(Scan({}), expected);
}

TEST_P(StoreBulkWrites, RunBesideEachOtherAndUpdates) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int first = 0; first < kThreads * kEach; first += kEach) {
    threads.emplace_back([&, first] {
      WriteNumbers(first, first + kEach);
      --running;
    });
  }
  int64_t updates = 0;
  do {
    Increment("count", 1);
    ++updates;
  } while (running > 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Count("count"), updates);
  EXPECT_EQ(Scan({"k", "l"}), Numbers(0, kThreads * kEach));
}

}  // namespace monotable::storage
