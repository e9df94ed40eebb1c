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
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_conformance_fixture.h"

// How updates run: order, atomicity, sequences, Done. Part of store_conformance.h.
namespace monotable::storage {

TEST_P(StoreConformance, DecidesOnCurrentValuesInTheOrderOfKeys) {
  Put("a", "1");
  Put("c", "");
  std::vector<std::optional<std::string>> seen;
  Write({"c", "b", "a"},
        [&](Values values, const Commit&, Batch*) { seen.assign(values.begin(), values.end()); });
  EXPECT_THAT(seen, testing::ElementsAre(std::optional<std::string>(""), std::nullopt,
                                         std::optional<std::string>("1")));
}

TEST_P(StoreConformance, ValuesHoldWhileTheBatchGrows) {
  const std::string value(5000, 'v');
  Put("a", value);
  Write({"a"}, [&](Values values, const Commit&, Batch* batch) {
    for (int i = 0; i < 200; ++i) batch->Put("b" + std::to_string(i), value);
    batch->Put("a", *values[0]);
    batch->Put("copy", *values[0]);
  });
  EXPECT_EQ(Get("a"), value);
  EXPECT_EQ(Get("copy"), value);
}

TEST_P(StoreConformance, BatchesAreAtomic) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      Write({"a", "b"}, [&](Values, const Commit&, Batch* batch) {
        batch->Put("a", std::to_string(i));
        batch->Put("b", std::to_string(i));
      });
    }
  });
  for (int i = 0; i < 300; ++i) {
    const auto snapshot = store().Snapshot();
    EXPECT_EQ(Get(*snapshot, "a"), Get(*snapshot, "b"));
  }
  stop = true;
  writer.join();
}

TEST_P(StoreConformance, LaterStepsOfABatchWin) {
  Put("range1", "old");
  Write({"a", "b"}, [&](Values, const Commit&, Batch* batch) {
    batch->Put("a", "1");
    batch->Delete("a");
    batch->Delete("b");
    batch->Put("b", "2");
    batch->Put("range2", "gone");
    batch->DeleteRange({"range", "rangf"});
    batch->Put("range3", "stays");
    batch->Increment("n", 5);
    batch->Delete("n");
    batch->Increment("n", 2);
  });
  EXPECT_EQ(Get("a"), std::nullopt);
  EXPECT_EQ(Get("b"), "2");
  EXPECT_EQ(Scan({"range", "rangf"}), (Entries{{"range3", "stays"}}));
  EXPECT_EQ(Count("n"), 2);
}

TEST_P(StoreConformance, LosesNoReadModifyWriteOfAnAbsentKey) {
  SubmitFromThreads(store(), 4, 250, {"n"}, [](int, Values values, const Commit&, Batch* batch) {
    batch->Put("n", std::to_string(values[0] ? std::stoi(std::string(*values[0])) + 1 : 1));
  });
  EXPECT_EQ(Get("n"), "1000");
}

TEST_P(StoreConformance, SeesDeletionsOfUpdatesBefore) {
  // Flips a key between present and absent: an odd number of flips leaves it present.
  std::atomic<int> puts = 0;
  SubmitFromThreads(store(), 3, 101, {"n"}, [&](int, Values values, const Commit&, Batch* batch) {
    if (values[0]) {
      batch->Delete("n");
    } else {
      batch->Put("n", "");
      ++puts;
    }
  });
  EXPECT_EQ(Get("n"), "");
  EXPECT_GE(puts, 152);  // more where Decide was repeated
}

TEST_P(StoreConformance, ExactlyOneInsertWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string key = "k" + std::to_string(round);
    SubmitFromThreads(store(), 4, 5, {key}, [&](int n, Values values, const Commit&, Batch* batch) {
      if (values[0]) return;
      batch->Put(key, std::to_string(n));
      batch->Increment("wins", 1);
    });
    EXPECT_NE(Get(key), std::nullopt);
    EXPECT_EQ(Count("wins"), round + 1);
  }
}

TEST_P(StoreConformance, DecidesOnCounters) {
  SubmitFromThreads(store(), 2, 200, {"n"}, [](int, Values values, const Commit&, Batch* batch) {
    const int64_t count = values[0] ? DecodeCounter(*values[0]) : 0;
    batch->Increment("n", 1);
    batch->Put("saw " + std::to_string(count), "");
  });
  EXPECT_EQ(Count("n"), 400);
  // No two saw the same count.
  EXPECT_EQ(Scan({"saw", ""}).size(), 400u);
}

TEST_P(StoreConformance, SequencesAndTimesRise) {
  std::map<uint64_t, int64_t> times;
  SubmitFromThreads(store(), 3, 100, {}, [&](int n, Values, const Commit& commit, Batch* batch) {
    times[commit.sequence] = commit.time_ms;
    // Counting alone takes a sequence, too.
    if (n % 2 == 0) {
      batch->Put("a", "");
    } else {
      batch->Increment("n", 1);
    }
  });
  EXPECT_EQ(times.size(), 300u);
  EXPECT_GT(times.begin()->first, 0u);
  EXPECT_GT(times.begin()->second, 1'600'000'000'000);
  int64_t last = 0;
  for (const auto& [sequence, time_ms] : times) {
    EXPECT_GE(time_ms, last);
    last = time_ms;
  }
}

TEST_P(StoreConformance, SequencesRiseAcrossRestarts) {
  uint64_t last = 0;
  for (int restart = 0; restart < 3; ++restart) {
    uint64_t first = UINT64_MAX;
    const uint64_t last_before = last;
    SubmitFromThreads(store(), 2, 100, {}, [&](int n, Values, const Commit& commit, Batch* batch) {
      first = std::min(first, commit.sequence);
      if (n % 3 == 0) return;
      last = std::max(last, commit.sequence);
      batch->Increment("n", 1);
    });
    EXPECT_GT(first, last_before);
    under_test_->Close();
    if (!under_test_->Reopen()) GTEST_SKIP() << "keeps nothing";
  }
}

TEST_P(StoreConformance, CallsDoneOnceAfterTheWriteIsVisible) {
  constexpr int kUpdates = 200;
  auto key = [](int i) { return "k" + std::to_string(i); };
  std::vector<std::atomic<int>> calls(kUpdates);
  std::vector<std::promise<void>> done(kUpdates);
  const auto submitter = std::this_thread::get_id();
  for (int i = 0; i < kUpdates; ++i) {
    store().Submit(std::make_unique<TestUpdate>(
        std::vector{key(i)},
        [&, i](Values, const Commit&, Batch* batch) { batch->Put(key(i), "v"); },
        [&, i](Status status) {
          EXPECT_TRUE(status);
          EXPECT_NE(std::this_thread::get_id(), submitter);
          if (++calls[i] == 1) done[i].set_value();
        }));
  }
  for (int i = 0; i < kUpdates; ++i) {
    done[i].get_future().wait();
    EXPECT_EQ(Get(key(i)), "v");
  }
  under_test_->Close();
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST_P(StoreConformance, FinishesUpdatesBeforeItGoes) {
  std::atomic<int> done = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = "k" + std::to_string(i);
    store().Submit(std::make_unique<TestUpdate>(
        std::vector{key}, [key](Values, const Commit&, Batch* batch) { batch->Put(key, "v"); },
        [&](Status status) { done += status.has_value(); }));
  }
  under_test_->Close();
  EXPECT_EQ(done, 2000);
  if (!under_test_->Reopen()) return;
  EXPECT_EQ(Scan({}).size(), 2000u);
}

TEST_P(StoreConformance, WritesNothingWithoutComplaint) {
  uint64_t sequence = 0;
  Write({"a"}, [&](Values, const Commit& commit, Batch*) { sequence = commit.sequence; });
  EXPECT_GT(sequence, 0u);
  EXPECT_EQ(Scan({}), Entries());
}

// One update of BehavesLikeAMap.
struct RandomStep {
  uint64_t kind;
  std::string key;
  Range range;
  std::string trace;  // a key of its own, so that each update writes something

  // What the last Decide saw.
  uint64_t sequence = 0;
  std::optional<std::string> seen = std::nullopt;

  static RandomStep Make(std::mt19937_64& random, int number) {
    auto key = [&] { return std::string(1, static_cast<char>('a' + random() % 12)); };
    return {random() % 10,
            key(),
            {key(), random() % 8 == 0 ? "" : key()},
            "A" + std::to_string(number)};
  }

  void Decide(Values values, const Commit& commit, Batch* batch) {
    sequence = commit.sequence;
    seen = values[0];
    batch->Put(trace, key);
    if (kind < 4) {
      batch->Put(key, trace);
    } else if (kind < 6) {
      batch->Delete(key);
    } else if (kind < 7) {
      batch->DeleteRange(range);
    } else {
      batch->Increment(key, 7);
    }
  }

  void ApplyTo(std::map<std::string, std::string>* model) const {
    const auto known = model->find(key);
    EXPECT_EQ(seen, known == model->end() ? std::nullopt : std::optional(known->second)) << key;
    const int64_t count = known == model->end() ? 0 : DecodeCounter(known->second);
    (*model)[trace] = key;
    if (kind < 4) {
      (*model)[key] = trace;
    } else if (kind < 6) {
      model->erase(key);
    } else if (kind < 7) {
      std::erase_if(*model, [&](const auto& entry) {
        return entry.first >= range.begin && (range.end.empty() || entry.first < range.end);
      });
    } else {
      const auto bytes = EncodeCounter(count + 7);
      (*model)[key] = std::string(bytes.data(), bytes.size());
    }
  }
};

// Random updates, submitted without waiting so that a store which groups updates has groups to get
// wrong, must do what they do to a plain map in the order of their sequences.
TEST_P(StoreConformance, BehavesLikeAMap) {
  constexpr int kRounds = 20;
  constexpr int kUpdates = 50;
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
      store().Submit(std::make_unique<TestUpdate>(
          std::vector{step.key},
          [&](Values values, const Commit& commit, Batch* batch) {
            step.Decide(values, commit, batch);
          },
          [&](Status status) {
            EXPECT_TRUE(status);
            if (--waiting == 0) all_done.set_value();
          }));
    }
    all_done.get_future().wait();
    std::sort(steps.begin(), steps.end(),
              [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    for (const RandomStep& step : steps) step.ApplyTo(&model);
    ASSERT_EQ(Scan({}), Entries(model.begin(), model.end()));
  }
}

}  // namespace monotable::storage
