#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_conformance_fixture.h"

// What is stored and how it is read: keys, ranges, snapshots, counters. Part of
// store_conformance.h.
namespace monotable::storage {

TEST_P(StoreConformance, GetsWhatWasPut) {
  EXPECT_EQ(Get("a"), std::nullopt);
  Put("a", "1");
  EXPECT_EQ(Get("a"), "1");
  Put("a", "2");
  EXPECT_EQ(Get("a"), "2");
  Put("a", "");
  EXPECT_EQ(Get("a"), "");
  EXPECT_EQ(Get("b"), std::nullopt);
  Delete("a");
  EXPECT_EQ(Get("a"), std::nullopt);
  Delete("a");
  Put("a", "3");
  EXPECT_EQ(Get("a"), "3");
}

TEST_P(StoreConformance, OrdersArbitraryBytes) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::map<std::string, std::string> expected;
  // Bytes at both ends of the alphabet, so that sign and terminator mistakes show.
  const std::string alphabet("\x00\x01\x7f\x80\xfe\xff", 6);
  for (int i = 0; i < 500; ++i) {
    std::string key(random() % 5, '\0');
    for (char& c : key) c = alphabet[random() % alphabet.size()];
    expected[key] = std::to_string(i);
  }
  Write({}, [&](Values, const Commit&, Batch* batch) {
    for (const auto& [key, value] : expected) batch->Put(key, value);
  });
  Entries entries(expected.begin(), expected.end());
  EXPECT_EQ(Scan({}), entries);
  std::reverse(entries.begin(), entries.end());
  EXPECT_EQ(Scan({}, Direction::kBackward), entries);
}

TEST_P(StoreConformance, ScansRanges) {
  for (const char* key : {"a", "b", "bb", "c", "d"}) Put(key, key);
  auto keys = [&](const Range& range, Direction direction) {
    std::string result;
    for (const auto& [key, value] : Scan(range, direction)) {
      EXPECT_EQ(key, value);
      result += key + " ";
    }
    return result;
  };
  struct Case {
    Range range;
    std::string forward;
    std::string backward;
  };
  const std::vector<Case> cases = {
      {{"", ""}, "a b bb c d ", "d c bb b a "},
      {{"b", "d"}, "b bb c ", "c bb b "},
      {{"b", ""}, "b bb c d ", "d c bb b "},
      {{"", "b"}, "a ", "a "},
      {{"ba", "c"}, "bb ", "bb "},
      {{"b", "b"}, "", ""},
      {{"c", "b"}, "", ""},
      {{"e", ""}, "", ""},
      {{"", "a"}, "", ""},
      {{"bc", "bd"}, "", ""},
  };
  for (const auto& [range, forward, backward] : cases) {
    SCOPED_TRACE("from '" + range.begin + "' to '" + range.end + "'");
    EXPECT_EQ(keys(range, Direction::kForward), forward);
    EXPECT_EQ(keys(range, Direction::kBackward), backward);
  }
}

TEST_P(StoreConformance, ScansTheEmptyKey) {
  Put("", "empty");
  Put("a", "1");
  EXPECT_EQ(Get(""), "empty");
  EXPECT_EQ(Scan({}), (Entries{{"", "empty"}, {"a", "1"}}));
  EXPECT_EQ(Scan({}, Direction::kBackward), (Entries{{"a", "1"}, {"", "empty"}}));
}

// The log may be kept apart, which nobody must notice.
TEST_P(StoreConformance, TheLogIsAmongTheOtherKeys) {
  const std::string log(1, kLogPrefix);
  const std::string before(1, kLogPrefix - 1);
  const std::string after(1, kLogPrefix + 1);
  const std::vector<std::string> keys = {"",          before,    before + "\xff", log,
                                         log + "a",   log + "b", log + "\xff",    after,
                                         after + "a", "z"};
  Write({}, [&](Values, const Commit&, Batch* batch) {
    for (const std::string& key : keys) batch->Put(key, "of " + key);
  });
  auto check = [&](const Reader& reader, const std::map<std::string, std::string>& expected) {
    for (const std::string& begin : keys) {
      for (const std::string& end : keys) {
        Entries entries;
        for (const auto& [key, value] : expected) {
          if (key >= begin && (end.empty() || key < end)) entries.emplace_back(key, value);
        }
        EXPECT_EQ(Drain(reader.Scan({begin, end}, Direction::kForward)), entries);
        std::reverse(entries.begin(), entries.end());
        EXPECT_EQ(Drain(reader.Scan({begin, end}, Direction::kBackward)), entries);
      }
    }
    for (const std::string& key : keys) {
      const auto found = expected.find(key);
      EXPECT_EQ(Get(reader, key),
                found == expected.end() ? std::nullopt : std::optional(found->second));
    }
  };
  std::map<std::string, std::string> expected;
  for (const std::string& key : keys) expected[key] = "of " + key;
  check(store().Latest(), expected);

  auto snapshot = store().Snapshot();
  const auto expected_then = expected;
  Delete(log + "b");
  expected.erase(log + "b");
  check(store().Latest(), expected);
  DeleteRange({before + "b", log + "b"});
  std::erase_if(expected, [&](const auto& entry) {
    return entry.first >= before + "b" && entry.first < log + "b";
  });
  check(store().Latest(), expected);
  // Without an end, and with keys of the same update.
  Write({}, [&](Values, const Commit&, Batch* batch) {
    batch->Put(log + "c", "");
    batch->DeleteRange({log + "a", ""});
    batch->Put(log + "d", "d");
  });
  std::erase_if(expected, [&](const auto& entry) { return entry.first >= log + "a"; });
  expected[log + "d"] = "d";
  check(store().Latest(), expected);
  EXPECT_EQ(Get(log + "c"), std::nullopt);
  EXPECT_EQ(Get(log + "d"), "d");
  check(*snapshot, expected_then);

  snapshot.reset();
  under_test_->Close();
  if (under_test_->Reopen()) check(store().Latest(), expected);
}

TEST_P(StoreConformance, ACursorSeesTheLogOfItsMoment) {
  const std::string log(1, kLogPrefix);
  constexpr int kWrites = 300;
  std::atomic<bool> writing = true;
  std::thread writer([&] {
    for (int i = 0; i < kWrites; ++i) {
      Write({}, [&](Values, const Commit&, Batch* batch) {
        batch->Put("k" + std::to_string(i), "");
        batch->Put(log + std::to_string(i), "");
      });
    }
    writing = false;
  });
  for (bool last = false; !last;) {
    last = !writing;
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      int64_t in_log = 0;
      int64_t others = 0;
      for (const auto& [key, value] : Scan({}, direction)) ++(IsLogKey(key) ? in_log : others);
      EXPECT_EQ(in_log, others);
      if (last) {
        EXPECT_EQ(in_log, kWrites);
      }
    }
  }
  writer.join();
}

TEST_P(StoreConformance, SnapshotsDoNotMove) {
  Put("a", "old");
  Put("b", "old");
  Put("ra", "old");
  Increment("n", 1);
  const auto snapshot = store().Snapshot();
  Put("a", "new");
  Delete("b");
  Put("c", "new");
  DeleteRange({"r", "s"});
  Increment("n", 1);
  for (int i = 0; i < 3; ++i) Put("a", "newer");

  EXPECT_EQ(Get(*snapshot, "a"), "old");
  EXPECT_EQ(Get(*snapshot, "b"), "old");
  EXPECT_EQ(Get(*snapshot, "ra"), "old");
  EXPECT_EQ(Get(*snapshot, "c"), std::nullopt);
  EXPECT_EQ(DecodeCounter(Get(*snapshot, "n").value_or("")), 1);
  EXPECT_EQ(Drain(snapshot->Scan({"", "n"}, Direction::kForward)),
            (Entries{{"a", "old"}, {"b", "old"}}));
  EXPECT_EQ(Drain(snapshot->Scan({"o", ""}, Direction::kBackward)), (Entries{{"ra", "old"}}));
  EXPECT_EQ(Scan({"", "n"}), (Entries{{"a", "newer"}, {"c", "new"}}));
  EXPECT_EQ(Scan({"o", ""}), Entries());
}

TEST_P(StoreConformance, CursorsSeeOneMomentWhileWritesGoOn) {
  constexpr int kKeys = 2000;
  auto key = [](int i) { return "k" + std::to_string(100000 + i); };
  Write({}, [&](Values, const Commit&, Batch* batch) {
    for (int i = 0; i < kKeys; ++i) batch->Put(key(i), "0");
  });
  // Each update gives all keys a new value, so that a cursor with two values saw two moments.
  // During each scan there are a few, the first of them for certain before the cursor moves.
  constexpr int kScans = 10;
  constexpr int kRoundsEach = 4;
  std::atomic<int> allowed = 0;
  std::atomic<int> round = 0;
  std::thread writer([&] {
    while (round < kScans * kRoundsEach) {
      while (round >= allowed) std::this_thread::yield();
      const int next = round + 1;
      Write({}, [&](Values, const Commit&, Batch* batch) {
        for (int i = 0; i < kKeys; ++i) batch->Put(key(i), std::to_string(next));
        if (next % 3 == 0) batch->Delete(key(next % kKeys));
      });
      round = next;
    }
  });
  for (int scan = 0; scan < kScans; ++scan) {
    const auto direction = scan % 2 == 0 ? Direction::kForward : Direction::kBackward;
    const auto cursor = store().Latest().Scan({"k", "l"}, direction);
    const int before = round;
    allowed += kRoundsEach;
    while (round == before) std::this_thread::yield();
    const Entries entries = Drain(cursor);
    ASSERT_EQ(entries.size(),
              static_cast<size_t>(before > 0 && before % 3 == 0 ? kKeys - 1 : kKeys));
    for (const auto& entry : entries) ASSERT_EQ(entry.second, std::to_string(before));
    while (round < allowed) std::this_thread::yield();
  }
  writer.join();
}

TEST_P(StoreConformance, DeletesRanges) {
  Write({}, [&](Values, const Commit&, Batch* batch) {
    for (int i = 0; i < 1000; ++i) batch->Put("k" + std::to_string(1000 + i), "v");
    batch->Put("a", "before");
    batch->Put("z", "after");
  });
  DeleteRange({"k", "l"});
  EXPECT_EQ(Scan({}), (Entries{{"a", "before"}, {"z", "after"}}));
  EXPECT_EQ(Get("k1500"), std::nullopt);
  std::optional<std::string> seen = "not asked";
  Write({"k1500"}, [&](Values values, const Commit&, Batch* batch) {
    seen = values[0];
    batch->Put("k1500", "again");
  });
  EXPECT_EQ(seen, std::nullopt);
  EXPECT_EQ(Get("k1500"), "again");
  EXPECT_EQ(Scan({"k", "l"}), (Entries{{"k1500", "again"}}));
}

TEST_P(StoreConformance, DeletesRangesAtTheEdges) {
  for (const char* key : {"", "a", "b", "c", "\xff\xff\xff"}) Put(key, "v");
  DeleteRange({"b", "b"});
  DeleteRange({"c", "a"});
  EXPECT_EQ(Scan({}).size(), 5u);
  DeleteRange({"a", "b"});
  EXPECT_EQ(Get("a"), std::nullopt);
  EXPECT_EQ(Get("b"), "v");
  DeleteRange({"c", ""});
  EXPECT_EQ(Scan({}), (Entries{{"", "v"}, {"b", "v"}}));
  DeleteRange({});
  EXPECT_EQ(Scan({}), Entries());
  DeleteRange({});
  Put("b", "again");
  EXPECT_EQ(Scan({}), (Entries{{"b", "again"}}));
}

TEST_P(StoreConformance, Counts) {
  EXPECT_EQ(Count("n"), std::nullopt);
  Increment("n", 5);
  EXPECT_EQ(Count("n"), 5);
  Increment("n", -7);
  EXPECT_EQ(Count("n"), -2);
  Increment("zero", 0);
  EXPECT_EQ(Count("zero"), 0);
  Write({}, [](Values, const Commit&, Batch* batch) {
    batch->Increment("n", 10);
    batch->Increment("m", 1);
    batch->Increment("n", 20);
  });
  EXPECT_EQ(Count("n"), 28);
  EXPECT_EQ(Count("m"), 1);
  Increment("m", std::numeric_limits<int64_t>::max() - 1);
  EXPECT_EQ(Count("m"), std::numeric_limits<int64_t>::max());
  // Counters are values like others.
  EXPECT_EQ(Scan({"zero", ""}), (Entries{{"zero", std::string(8, '\0')}}));
}

TEST_P(StoreConformance, CountsFromManyThreads) {
  SubmitFromThreads(store(), 4, 500, {}, [](int, Values, const Commit&, Batch* batch) {
    batch->Increment("n", 3);
    batch->Increment("m", -1);
  });
  EXPECT_EQ(Count("n"), 6000);
  EXPECT_EQ(Count("m"), -2000);
}

TEST_P(StoreConformance, CountsAfreshAfterDeletion) {
  Increment("n", 5);
  Delete("n");
  EXPECT_EQ(Count("n"), std::nullopt);
  Increment("n", 1);
  EXPECT_EQ(Count("n"), 1);
  DeleteRange({"n", "o"});
  EXPECT_EQ(Count("n"), std::nullopt);
  Increment("n", 2);
  EXPECT_EQ(Count("n"), 2);
  const auto ten = EncodeCounter(10);
  Put("n", std::string(ten.data(), ten.size()));
  Increment("n", 1);
  EXPECT_EQ(Count("n"), 11);
}

TEST_P(StoreConformance, ReopensWithEverything) {
  Put("a", "1");
  Put("b", "2");
  Delete("b");
  Increment("n", 41);
  DeleteRange({"x", "y"});
  under_test_->Close();
  if (!under_test_->Reopen()) GTEST_SKIP() << "keeps nothing";
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("b"), std::nullopt);
  EXPECT_EQ(Count("n"), 41);
  Increment("n", 1);
  EXPECT_EQ(Count("n"), 42);
}

TEST_P(StoreConformance, KeepsLargeValues) {
  const std::string large(size_t{1} << 20, 'x');
  for (int i = 0; i < 8; ++i) Put("k" + std::to_string(i), large + std::to_string(i));
  int i = 0;
  for (const auto& [key, value] : Scan({})) {
    EXPECT_EQ(key, "k" + std::to_string(i));
    EXPECT_TRUE(value == large + std::to_string(i));
    ++i;
  }
  EXPECT_EQ(i, 8);
  EXPECT_GE(store().ApproximateBytes(), size_t{1} << 20);
}

TEST_P(StoreConformance, KeepsManyKeys) {
  constexpr int kUpdates = 200;
  constexpr int kKeysEach = 250;
  auto key = [](int i) { return "key-" + std::to_string(1000000 + i); };
  SubmitFromThreads(store(), 2, kUpdates / 2, {}, [&](int n, Values, const Commit&, Batch* batch) {
    for (int i = kKeysEach * n; i < kKeysEach * (n + 1); ++i) batch->Put(key(i), std::to_string(i));
  });
  int i = 0;
  const auto cursor = store().Latest().Scan({}, Direction::kForward);
  for (; cursor->Valid(); cursor->Next(), ++i) {
    ASSERT_EQ(cursor->key(), key(i));
    ASSERT_EQ(cursor->value(), std::to_string(i));
  }
  EXPECT_EQ(i, kUpdates * kKeysEach);
}

}  // namespace monotable::storage
