#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_conformance_fixture.h"
#include "storage/store_conformance_updates.h"

// Updates that are large or prepared: their order, what they know, and what happens when they are
// too much. Part of store_conformance.h.
namespace monotable::storage {

// An update that says more about itself than TestUpdate.
class LargeUpdate : public TestUpdate {
 public:
  using TestUpdate::TestUpdate;

  // Reads the values of the keys now.
  void ReadValues(const Store& store) {
    sequence_ = store.LastSequence();
    for (const NamedKey& key : keys()) {
      std::string value;
      const Result<bool> found = store.Latest().Get(key.bytes, &value);
      EXPECT_TRUE(found);
      known_.push_back(found && *found ? std::optional(value) : std::nullopt);
    }
  }
  KnownValues known() const override { return {sequence_, known_}; }
  size_t weight() const override { return bytes; }
  bool Accepts(size_t read_bytes) override { return read_bytes <= accepted_bytes; }

  size_t bytes = 0;
  size_t accepted_bytes = SIZE_MAX;

 private:
  uint64_t sequence_ = 0;
  std::vector<std::optional<std::string>> known_;
};

// Holds the thread of the store, so that the updates submitted meanwhile wait together.
class HeldStore {
 public:
  explicit HeldStore(Store& store) : store_(store) {
    std::promise<void> held;
    store_.Submit(std::make_unique<TestUpdate>(
        std::vector<std::string>(), [](Values, const Commit&, Batch*) {},
        [this, &held](const Status&) {
          held.set_value();
          release_.get_future().wait();
        }));
    held.get_future().wait();
  }
  ~HeldStore() { Release(); }

  // Lets the updates run and waits for them.
  void Release() {
    if (std::exchange(released_, true)) return;
    release_.set_value();
    // Heavy updates do not wait for this one, but each takes at most one turn.
    for (int turn = 0; turn < 10; ++turn) {
      EXPECT_TRUE(UpdateAndWait(store_, {}, [](auto, const auto&, Batch*) {}));
    }
  }

 private:
  Store& store_;
  std::promise<void> release_;
  bool released_ = false;
};

// The values that an update knows may be old. Decide must see the current ones nevertheless.
TEST_P(StoreConformance, KnownValuesAreNeverOld) {
  constexpr int kRounds = 20;
  constexpr int kUpdates = 40;
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::map<std::string, std::string> model;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<RandomStep> steps;
    for (int i = 0; i < kUpdates; ++i) {
      steps.push_back(RandomStep::Make(random, kUpdates * round + i));
    }
    std::atomic<int> waiting = kUpdates;
    std::promise<void> all_done;
    for (RandomStep& step : steps) {
      auto update = std::make_unique<LargeUpdate>(
          std::vector{step.key},
          [&](Values values, const Commit& commit, Batch* batch) {
            step.Decide(values, commit, batch);
          },
          [&](const Status& status) {
            EXPECT_TRUE(status);
            if (--waiting == 0) all_done.set_value();
          });
      if (random() % 4 != 0) update->ReadValues(store());
      if (random() % 4 == 0) update->bytes = kHeavyUpdateBytes + 1;
      store().Submit(std::move(update));
    }
    all_done.get_future().wait();
    std::sort(steps.begin(), steps.end(),
              [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    for (const RandomStep& step : steps) step.ApplyTo(&model);
    ASSERT_EQ(Scan({}), Entries(model.begin(), model.end()));
  }
}

TEST_P(StoreConformance, ReadersSeeTheLastSequence) {
  uint64_t sequence = 0;
  for (int i = 0; i < 20; ++i) {
    Write({"a"}, [&](Values, const Commit& commit, Batch* batch) {
      sequence = commit.sequence;
      batch->Put("a", std::to_string(commit.sequence));
    });
    EXPECT_EQ(store().LastSequence(), sequence);
    EXPECT_EQ(Get("a"), std::to_string(sequence));
  }
}

TEST_P(StoreConformance, HeavyUpdatesTakeTurnsBehindTheOthers) {
  if (GetParam().name == "Restless") GTEST_SKIP() << "has no order";
  std::string order;
  std::promise<void> all_done;
  const auto submit = [&](char name, size_t bytes, bool last = false) {
    auto update = std::make_unique<LargeUpdate>(
        std::vector<std::string>(),
        [&order, name](Values, const Commit&, Batch* batch) {
          order += name;
          batch->Put(std::string(1, name), "");
        },
        [&, name, last](const Status& status) {
          EXPECT_TRUE(status);
          // Comes while two heavy updates wait, and goes before the second.
          if (name == 'A') {
            store().Submit(std::make_unique<TestUpdate>(
                std::vector<std::string>(),
                [&order](Values, const Commit&, Batch*) { order += 'z'; }, [](const Status&) {}));
          }
          if (last) all_done.set_value();
        });
    update->bytes = bytes;
    store().Submit(std::move(update));
  };
  {
    HeldStore held(store());
    submit('A', kHeavyUpdateBytes + 1);
    submit('B', 32 * kHeavyUpdateBytes, true);
    submit('a', 0);
    submit('b', kHeavyUpdateBytes);
  }
  all_done.get_future().wait();
  EXPECT_EQ(order, "abAzB");
}

TEST_P(StoreConformance, WhatAnUpdateDoesNotAcceptIsNotDecided) {
  for (const std::string key : {"a", "b", "c"}) Put(key, std::string(1000, 'v'));
  for (const auto& [accepted, decided] : {std::pair(2999, false), std::pair(3000, true)}) {
    std::atomic<bool> ran = false;
    std::promise<Status> done;
    auto update = std::make_unique<LargeUpdate>(
        std::vector<std::string>{"a", "b", "c"},
        [&](Values, const Commit&, Batch* batch) {
          ran = true;
          batch->Put("d", "");
        },
        [&](Status status) { done.set_value(std::move(status)); });
    update->accepted_bytes = accepted;
    store().Submit(std::move(update));
    EXPECT_TRUE(done.get_future().get());
    EXPECT_EQ(Get("d").has_value(), decided);
    if (GetParam().name != "Restless") {
      EXPECT_EQ(ran, decided);
    }
  }
}

TEST_P(StoreConformance, LackOfMemoryFailsOneUpdateAlone) {
  Put("a", "old");
  std::vector<std::optional<ErrorCode>> outcomes(6);
  {
    HeldStore held(store());
    for (size_t i = 0; i < outcomes.size(); ++i) {
      store().Submit(std::make_unique<TestUpdate>(
          std::vector<std::string>{"a", "b"},
          [i](Values values, const Commit&, Batch* batch) {
            batch->Put("a", std::to_string(i));
            batch->Delete("b");
            batch->Put("saw " + std::to_string(i), *values[0]);
            batch->Increment("n", 1);
            if (i == 2) throw std::bad_alloc();
            if (i == 4) throw std::length_error("too long");
          },
          [&outcomes, i](const Status& status) {
            if (!status) outcomes[i] = status.error().code();
          }));
    }
    held.Release();
  }
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const bool fails = i == 2 || i == 4;
    EXPECT_EQ(outcomes[i], fails ? std::optional(ErrorCode::kUnavailable) : std::nullopt) << i;
    const auto saw = Get("saw " + std::to_string(i));
    EXPECT_EQ(saw.has_value(), !fails) << i;
    EXPECT_NE(saw, "2") << "of an update that failed";
    EXPECT_NE(saw, "4") << "of an update that failed";
  }
  EXPECT_EQ(Count("n"), 4);
}

}  // namespace monotable::storage
