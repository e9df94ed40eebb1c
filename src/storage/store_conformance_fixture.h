#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"

// What the tests of store_conformance.h work with.
namespace monotable::storage {

// One store and where it lives, for the time of a test.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  // Destroys the store, which finishes its updates.
  virtual void Close() = 0;
  // Opens it again on the same data; false if it keeps none.
  virtual bool Reopen() = 0;
};

struct StoreMaker {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};

inline void PrintTo(const StoreMaker& maker, std::ostream* out) {
  *out << maker.name;
}

using Values = std::span<const std::optional<std::string_view>>;

using Entries = std::vector<std::pair<std::string, std::string>>;

inline Entries Drain(const std::unique_ptr<Cursor>& cursor) {
  Entries entries;
  for (; cursor->Valid(); cursor->Next()) entries.emplace_back(cursor->key(), cursor->value());
  EXPECT_TRUE(cursor->status());
  return entries;
}

// The seed of everything random in this run: MONOTABLE_TEST_SEED, or a new one each time.
inline uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("MONOTABLE_TEST_SEED");
    const uint64_t chosen = given != nullptr ? std::stoull(given) : std::random_device()();
    std::cout << "MONOTABLE_TEST_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return seed;
}

// An update made of functions, for tests that submit many without waiting for each.
class TestUpdate : public Update {
 public:
  using DecideFunction = std::function<void(Values, const Commit&, Batch*)>;

  TestUpdate(std::vector<std::string> keys, DecideFunction decide, std::function<void(Status)> done)
      : keys_(ExclusiveKeys(std::move(keys))), decide_(std::move(decide)), done_(std::move(done)) {}

  std::span<const NamedKey> keys() const override { return keys_; }
  void Decide(const Current& current, const Commit& commit, Batch* batch) override {
    decide_(current.values, commit, batch);
  }
  void Done(Status status) override { done_(std::move(status)); }

 private:
  const std::vector<NamedKey> keys_;
  const DecideFunction decide_;
  const std::function<void(Status)> done_;
};

// What a range holds now, with or without the sequence that may spare the store a reading.
inline SeenRange See(const Store& store, Range range, bool with_sequence = true) {
  SeenRange seen{std::move(range)};
  if (with_sequence) seen.sequence = store.LastSequence();
  const auto cursor = store.Latest().Scan(seen.range, Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) seen.Add(cursor->key(), cursor->value());
  EXPECT_TRUE(cursor->status());
  return seen;
}

// An update that says all that an update can say.
class RangeUpdate : public Update {
 public:
  using DecideFunction = std::function<void(const Current&, const Commit&, Batch*)>;

  RangeUpdate(std::vector<NamedKey> keys, std::vector<SeenRange> ranges, DecideFunction decide,
              std::function<void(Status)> done)
      : keys_(std::move(keys)),
        ranges_(std::move(ranges)),
        decide_(std::move(decide)),
        done_(std::move(done)) {}

  std::span<const NamedKey> keys() const override { return keys_; }
  std::span<const SeenRange> ranges() const override { return ranges_; }
  bool Accepts(size_t read_bytes) override { return read_bytes <= accepted_bytes; }
  void Decide(const Current& current, const Commit& commit, Batch* batch) override {
    decide_(current, commit, batch);
  }
  void Done(Status status) override { done_(std::move(status)); }

  size_t accepted_bytes = SIZE_MAX;

 private:
  const std::vector<NamedKey> keys_;
  const std::vector<SeenRange> ranges_;
  const DecideFunction decide_;
  const std::function<void(Status)> done_;
};

inline void DecideAndWait(Store& store, std::vector<NamedKey> keys, std::vector<SeenRange> ranges,
                          const RangeUpdate::DecideFunction& decide) {
  std::promise<Status> done;
  store.Submit(
      std::make_unique<RangeUpdate>(std::move(keys), std::move(ranges), decide,
                                    [&](Status status) { done.set_value(std::move(status)); }));
  EXPECT_TRUE(done.get_future().get());
}

inline bool HoldsWhenDecided(Store& store, const SeenRange& seen) {
  bool as_seen = false;
  DecideAndWait(store, {}, {seen}, [&](const Current& current, const Commit&, Batch*) {
    as_seen = current.ranges_as_seen;
  });
  return as_seen;
}

class StoreConformance : public testing::TestWithParam<StoreMaker> {
 protected:
  void SetUp() override { under_test_ = GetParam().make(); }

  Store& store() { return under_test_->store(); }

  void Write(std::vector<std::string> keys, const TestUpdate::DecideFunction& decide) {
    const Status status = UpdateAndWait(store(), std::move(keys), decide);
    ASSERT_TRUE(status) << status.error().message();
  }
  void Put(const std::string& key, const std::string& value) {
    Write({key}, [&](Values, const Commit&, Batch* batch) { batch->Put(key, value); });
  }
  void Delete(const std::string& key) {
    Write({key}, [&](Values, const Commit&, Batch* batch) { batch->Delete(key); });
  }
  void DeleteRange(const Range& range) {
    Write({}, [&](Values, const Commit&, Batch* batch) { batch->DeleteRange(range); });
  }
  void Increment(const std::string& key, int64_t delta) {
    Write({}, [&](Values, const Commit&, Batch* batch) { batch->Increment(key, delta); });
  }

  static std::optional<std::string> Get(const Reader& reader, const std::string& key) {
    std::string value = "something before";
    const Result<bool> found = reader.Get(key, &value);
    EXPECT_TRUE(found);
    return found && *found ? std::optional(value) : std::nullopt;
  }
  std::optional<std::string> Get(const std::string& key) { return Get(store().Latest(), key); }
  std::optional<int64_t> Count(const std::string& key) {
    const auto value = Get(key);
    if (!value) return std::nullopt;
    EXPECT_EQ(value->size(), 8u);
    return DecodeCounter(*value);
  }
  Entries Scan(const Range& range, Direction direction = Direction::kForward) {
    return Drain(store().Latest().Scan(range, direction));
  }

  std::unique_ptr<StoreUnderTest> under_test_;
};

// Submits numbered updates from several threads at once and waits for all of them.
inline void SubmitFromThreads(
    Store& store, int threads, int updates_each, const std::vector<std::string>& keys,
    const std::function<void(int, Values, const Commit&, Batch*)>& decide) {
  std::atomic<int> waiting = threads * updates_each;
  std::promise<void> all_done;
  std::vector<std::thread> submitters;
  for (int first = 0; first < threads * updates_each; first += updates_each) {
    submitters.emplace_back([&, first] {
      for (int number = first; number < first + updates_each; ++number) {
        store.Submit(std::make_unique<TestUpdate>(
            keys,
            [&decide, number](Values values, const Commit& commit, Batch* batch) {
              decide(number, values, commit, batch);
            },
            [&](Status status) {
              EXPECT_TRUE(status);
              if (--waiting == 0) all_done.set_value();
            }));
      }
    });
  }
  all_done.get_future().wait();
  for (auto& submitter : submitters) submitter.join();
}

}  // namespace monotable::storage
