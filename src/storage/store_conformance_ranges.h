#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_conformance_fixture.h"
#include "storage/store_conformance_large.h"
#include "storage/store_conformance_updates.h"

// Updates that name keys in several modes, and that depend on ranges. Part of store_conformance.h.
namespace monotable::storage {

TEST_P(StoreConformance, KeysThatAreOnlyLockedHaveNoValue) {
  Put("there", "1");
  std::vector<std::optional<std::string>> seen;
  DecideAndWait(store(),
                {{"nowhere", KeyMode::kExclusive, false},
                 {"there", KeyMode::kShared, false},
                 {"there too", KeyMode::kShared},
                 {"there"}},
                {}, [&](const Current& current, const Commit&, Batch* batch) {
                  seen.assign(current.values.begin(), current.values.end());
                  EXPECT_TRUE(current.ranges_as_seen);
                  batch->Put("there", "2");
                });
  EXPECT_THAT(seen, testing::ElementsAre(std::nullopt, std::nullopt, std::nullopt,
                                         std::optional<std::string>("1")));
  EXPECT_EQ(Scan({}), (Entries{{"there", "2"}}));
}

TEST_P(StoreConformance, EveryDifferenceOfARangeIsSeen) {
  const std::string in = "in one partition ";
  const Range range{in + "b", in + "y"};
  const auto reset = [&] {
    DeleteRange({});
    for (const char* key : {"a", "c", "e", "z"}) Put(in + key, "v");
  };
  const std::vector<std::pair<std::string, TestUpdate::DecideFunction>> changes = {
      {"first", [&](Values, const Commit&, Batch* batch) { batch->Put(in + "b", ""); }},
      {"between", [&](Values, const Commit&, Batch* batch) { batch->Put(in + "d", ""); }},
      {"last", [&](Values, const Commit&, Batch* batch) { batch->Put(in + "x", ""); }},
      {"value", [&](Values, const Commit&, Batch* batch) { batch->Put(in + "c", "w"); }},
      {"longer", [&](Values, const Commit&, Batch* batch) { batch->Put(in + "e", "vv"); }},
      {"deleted", [&](Values, const Commit&, Batch* batch) { batch->Delete(in + "c"); }},
      {"last deleted", [&](Values, const Commit&, Batch* batch) { batch->Delete(in + "e"); }},
      {"all", [&](Values, const Commit&, Batch* batch) { batch->DeleteRange(range); }},
      {"counted", [&](Values, const Commit&, Batch* batch) { batch->Increment(in + "n", 1); }},
  };
  for (const bool with_sequence : {true, false}) {
    for (const auto& [name, change] : changes) {
      reset();
      const SeenRange seen = See(store(), range, with_sequence);
      EXPECT_TRUE(HoldsWhenDecided(store(), seen)) << name;
      Put(in + "a", "outside");
      Put(in + "y", "outside");
      EXPECT_TRUE(HoldsWhenDecided(store(), seen)) << name;
      Write({}, change);
      EXPECT_FALSE(HoldsWhenDecided(store(), seen)) << name;
      EXPECT_TRUE(HoldsWhenDecided(store(), See(store(), range, with_sequence))) << name;
      reset();
      EXPECT_TRUE(HoldsWhenDecided(store(), seen)) << "what is as before " << name;
    }
  }
}

TEST_P(StoreConformance, RangesMayBeEmptyOrHaveNoEnd) {
  for (const Range& range : {Range{"b", "b"}, Range{"c", "b"}, Range{"x", ""}, Range{}}) {
    DeleteRange({});
    const SeenRange seen = See(store(), range);
    EXPECT_TRUE(seen.entries.empty());
    EXPECT_TRUE(HoldsWhenDecided(store(), seen));
    Put("bb", "");
    Put("y", "");
    EXPECT_EQ(HoldsWhenDecided(store(), seen), !range.end.empty());
  }
}

// Updates that wait together may be decided together, before any of them is stored.
TEST_P(StoreConformance, RangesIncludeWhatTheGroupHasWritten) {
  if (GetParam().name == "Restless") GTEST_SKIP() << "has no order";
  const std::string in = "in one partition ";
  const Range range{in, in + "z"};
  Put(in + "a", "1");
  const SeenRange one = See(store(), range);
  SeenRange two{range};
  two.Add(in + "a", "1");
  two.Add(in + "b", "2");
  SeenRange none{range};
  SeenRange count{range};
  const auto bytes = EncodeCounter(3);
  count.Add(in + "n", {bytes.data(), bytes.size()});
  std::string holds;
  const auto look = [&] {
    for (const SeenRange& seen : {one, two, none, count}) {
      store().Submit(std::make_unique<RangeUpdate>(
          std::vector<NamedKey>(), std::vector<SeenRange>{seen},
          [&](const Current& current, const Commit&, Batch*) {
            holds += current.ranges_as_seen ? '1' : '0';
          },
          [](const Status& status) { EXPECT_TRUE(status); }));
    }
    store().Submit(std::make_unique<TestUpdate>(
        std::vector<std::string>(), [&](Values, const Commit&, Batch*) { holds += ' '; },
        [](const Status& status) { EXPECT_TRUE(status); }));
  };
  const auto write = [&](const TestUpdate::DecideFunction& decide) {
    store().Submit(std::make_unique<TestUpdate>(std::vector<std::string>{in + "a", in + "b"},
                                                decide,
                                                [](const Status& status) { EXPECT_TRUE(status); }));
    look();
  };
  {
    HeldStore held(store());
    look();
    write([&](Values, const Commit&, Batch* batch) { batch->Put(in + "b", "2"); });
    write([&](Values, const Commit&, Batch* batch) { batch->Delete(in + "b"); });
    write([&](Values, const Commit&, Batch* batch) { batch->DeleteRange(range); });
    write([&](Values, const Commit&, Batch* batch) { batch->Increment(in + "n", 3); });
    write([&](Values, const Commit&, Batch* batch) {
      batch->Delete(in + "n");
      batch->Put(in + "a", "1");
    });
  }
  EXPECT_EQ(holds, "1000 0100 1000 0010 0001 1000 ");
}

TEST_P(StoreConformance, BytesOfRangesMustBeAccepted) {
  for (const char* key : {"a", "b", "c"}) Put(key, std::string(999, 'v'));
  for (const auto& [accepted, decided] : {std::pair(2999, false), std::pair(3000, true)}) {
    std::promise<Status> done;
    auto update = std::make_unique<RangeUpdate>(
        std::vector<NamedKey>(), std::vector{See(store(), {"a", "d"}, false)},
        [&](const Current&, const Commit&, Batch* batch) { batch->Put("done", ""); },
        [&](Status status) { done.set_value(std::move(status)); });
    update->accepted_bytes = accepted;
    store().Submit(std::move(update));
    EXPECT_TRUE(done.get_future().get());
    EXPECT_EQ(Get("done").has_value(), decided);
  }
}

// The insert of a child shares the key of its parent, and the delete of the parent holds it alone
// and lists the children.
TEST_P(StoreConformance, NoChildOutlivesItsParent) {
  constexpr int kParents = 30;
  constexpr int kChildren = 4;
  const auto parent = [](int p) { return "partition " + std::to_string(100 + p) + "/"; };
  const auto child = [&](int p, int c) { return parent(p) + "child" + std::to_string(c); };
  for (int p = 0; p < kParents; ++p) Put(parent(p), "");
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int c = 0; c < kChildren; ++c) {
    threads.emplace_back([&, c] {
      for (int p = 0; p < kParents; ++p) {
        DecideAndWait(store(), {{parent(p), KeyMode::kShared}, {child(p, c)}}, {},
                      [&](const Current& current, const Commit&, Batch* batch) {
                        if (current.values[0]) batch->Put(child(p, c), "");
                      });
      }
    });
  }
  // The plan of a delete sees the range first; it gives up if there is a child.
  std::vector<int> deleted(kParents);
  for (int deleter = 0; deleter < 2; ++deleter) {
    threads.emplace_back([&, deleter] {
      for (int p = deleter; p < kParents; p += 2) {
        for (bool again = true; again;) {
          again = false;
          const SeenRange seen = See(store(), {child(p, 0), parent(p) + "d"});
          if (!seen.entries.empty()) {
            ++refused;
            continue;
          }
          DecideAndWait(store(), {{parent(p)}}, {seen},
                        [&](const Current& current, const Commit&, Batch* batch) {
                          again = !current.ranges_as_seen;
                          if (again) return;
                          batch->Delete(parent(p));
                          deleted[p] = 1;
                        });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int p = 0; p < kParents; ++p) {
    const size_t entries = Scan({parent(p), parent(p) + "z"}).size();
    EXPECT_EQ(Get(parent(p)).has_value(), entries > 0) << p;
    if (GetParam().name != "Restless") {
      EXPECT_EQ(deleted[p], entries > 0 ? 0 : 1) << p;
    }
  }
  EXPECT_LE(refused, kParents);
}

// Many updates see that a range is empty, and each wants to be the only one in it. The key that
// they hold alone need not exist.
TEST_P(StoreConformance, OneOfManyJoinsAnEmptyRange) {
  for (int round = 0; round < 20; ++round) {
    const std::string partition = "partition of round " + std::to_string(100 + round) + "/";
    std::atomic<int> joined = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        bool joins = false;
        for (bool again = true; again;) {
          again = false;
          const SeenRange seen = See(store(), {partition, partition + "z"});
          if (!seen.entries.empty()) return;
          DecideAndWait(store(), {{"one of " + partition, KeyMode::kExclusive, false}}, {seen},
                        [&](const Current& current, const Commit&, Batch* batch) {
                          joins = current.ranges_as_seen;
                          again = !joins;
                          if (joins) batch->Put(partition + std::to_string(i), "");
                        });
        }
        joined += joins;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(joined, 1);
    EXPECT_EQ(Scan({partition, partition + "z"}).size(), 1u);
  }
}

// One update of RangesBehaveLikeThoseOfAMap: a random step that also looks at a range which it saw
// some time before.
struct RandomLook {
  RandomStep step;
  SeenRange seen;
  bool as_seen = false;

  bool HoldsIn(const std::map<std::string, std::string>& model) const {
    SeenRange now{seen.range};
    for (const auto& [key, value] : model) {
      if (seen.range.Contains(key)) now.Add(key, value);
    }
    return now.entries == seen.entries;
  }
};

// In the order of their sequences, updates see that a range has changed exactly if it has.
TEST_P(StoreConformance, RangesBehaveLikeThoseOfAMap) {
  constexpr int kRounds = 20;
  constexpr int kUpdates = 40;
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  // Some partitions have names that are long enough to be told apart without reading.
  const std::vector<std::string> partitions = {"p", "partition one/", "partition two/"};
  const auto partition = [&] { return partitions[random() % partitions.size()]; };
  std::map<std::string, std::string> model;
  std::vector<SeenRange> sightings;
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 4; ++i) {
      const std::string begin = partition();
      Range range{begin + static_cast<char>('a' + random() % 6),
                  begin + static_cast<char>('d' + random() % 10)};
      if (random() % 8 == 0) range.end.clear();
      sightings.push_back(See(store(), std::move(range), random() % 4 != 0));
    }
    if (sightings.size() > 12) sightings.erase(sightings.begin(), sightings.begin() + 4);
    std::vector<RandomLook> looks;
    for (int i = 0; i < kUpdates; ++i) {
      RandomStep step = RandomStep::Make(random, kUpdates * round + i);
      const std::string in = partition();
      step.key = in + step.key;
      step.range = {in + step.range.begin, step.range.end.empty() ? "" : in + step.range.end};
      if (random() % 2 == 0)
        step.kind = 6 + random() % 2;  // fewer writes, so that some ranges hold
      looks.push_back({std::move(step), sightings[random() % sightings.size()]});
    }
    std::atomic<int> waiting = kUpdates;
    std::promise<void> all_done;
    for (RandomLook& look : looks) {
      store().Submit(std::make_unique<RangeUpdate>(
          std::vector<NamedKey>{{look.step.key}, {"everything", KeyMode::kExclusive, false}},
          std::vector<SeenRange>{look.seen},
          [&](const Current& current, const Commit& commit, Batch* batch) {
            look.as_seen = current.ranges_as_seen;
            look.step.Decide(current.values, commit, batch);
          },
          [&](const Status& status) {
            EXPECT_TRUE(status);
            if (--waiting == 0) all_done.set_value();
          }));
    }
    all_done.get_future().wait();
    std::sort(looks.begin(), looks.end(),
              [](const auto& a, const auto& b) { return a.step.sequence < b.step.sequence; });
    for (const RandomLook& look : looks) {
      const bool holds = look.HoldsIn(model);
      held += holds;
      ASSERT_EQ(look.as_seen, holds) << "round " << round << ", from " << look.seen.range.begin
                                     << " to " << look.seen.range.end;
      look.step.ApplyTo(&model);
    }
    ASSERT_EQ(Scan({}), Entries(model.begin(), model.end()));
  }
  EXPECT_GT(held, 0);
  EXPECT_LT(held, kRounds * kUpdates);
}

}  // namespace monotable::storage
