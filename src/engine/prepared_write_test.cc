#include <atomic>
#include <functional>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/index_entries.h"
#include "engine/preparations.h"
#include "engine/prepared_write_fixture.h"
#include "engine/write.h"

// Writes that are too much work for the thread of the store.
namespace monotable::engine {
namespace {

using item::Value;

TEST(PreparedWriteTest, OnlyWhatIsTooMuchIsPrepared) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("small", 1000))));
  EXPECT_EQ(world.prepared(), 0);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  EXPECT_EQ(world.prepared(), 1);
  // Its size shows only when the item is read.
  ASSERT_TRUE(world.Run(world.AddOne("large")));
  EXPECT_EQ(world.prepared(), 2);
  EXPECT_EQ(world.Number("large"), 1);
  EXPECT_EQ(world.CountEntries(3), 2);
  // Two large values are too much to read.
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("2", kLarge))));
  const uint64_t before = world.prepared();
  ASSERT_TRUE(world.Run(world.Check("2"), world.Check("large")));
  EXPECT_EQ(world.prepared(), before + 1);
}

TEST(PreparedWriteTest, TheStoreIsToldThatALargePutIsHeavy) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("small", 500))));
  EXPECT_LE(world.store().weight, storage::kHeavyUpdateBytes);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("middle", 40'000))));
  EXPECT_GT(world.store().weight, storage::kHeavyUpdateBytes);
}

TEST(PreparedWriteTest, WithoutAnExecutorEverythingIsDecidedAtOnce) {
  PreparedWorld world(false);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  ASSERT_TRUE(world.Run(world.AddOne("large")));
  EXPECT_EQ(world.prepared(), 0);
  EXPECT_EQ(world.Number("large"), 1);
}

TEST(PreparedWriteTest, AWaitingThreadPreparesByItself) {
  // The executor could not: it refuses all work.
  PreparedWorld world(true, {.max_units = 1});
  WriteRequest request;
  request.items.push_back(world.Put(PreparedWorld::Thing("large", kLarge)));
  const auto outcome = WriteAndWait(world.engine(), std::move(request));
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(world.prepared(), 1);
  EXPECT_TRUE(world.Get("large"));
}

TEST(PreparedWriteTest, AnItemThatChangedIsPreparedAgain) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  ASSERT_TRUE(world.Run(world.AddOne("small")));
  const uint64_t before = world.prepared();
  world.store().before_prepared = [&] { ASSERT_TRUE(world.Run(world.AddOne("small"))); };
  ASSERT_TRUE(world.Run(world.AddOne("large"), world.AddOne("small")));
  EXPECT_EQ(world.prepared(), before + 2);
  EXPECT_EQ(world.Number("large"), 1);
  EXPECT_EQ(world.Number("small"), 3);
}

TEST(PreparedWriteTest, AnItemThatCameMeanwhileRefusesTheWrite) {
  PreparedWorld world(true);
  world.store().before_prepared = [&] {
    ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("x", 10))));
  };
  const auto outcome = world.Run(
      PreparedWorld::If(world.Put(PreparedWorld::Thing("x", kLarge)), "attribute_not_exists(PK)"));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->refused());
  EXPECT_EQ(outcome->items[0].error->code(), ErrorCode::kConditionalCheckFailed);
  EXPECT_EQ(world.Get("x"), PreparedWorld::Thing("x", 10));
}

TEST(PreparedWriteTest, AnIndexThatCameMeanwhileIsMaintained) {
  PreparedWorld world(true);
  world.store().before_prepared = [&] {
    world.ChangeTable([](table::TableDefinition* table) {
      table->indexes.push_back(PreparedWorld::Index(5, table::ProjectionType::kAll));
      table->next_index_id = 6;
    });
  };
  const auto outcome = world.Run(world.Put(PreparedWorld::Thing("x", kLarge)));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->items[0].table, world.table());
  EXPECT_EQ(outcome->items[0].index_costs.size(), 5);
  EXPECT_EQ(world.CountEntries(5), 1);
  EXPECT_EQ(world.prepared(), 2);
}

TEST(PreparedWriteTest, ATableThatIsGoneRefusesTheWrite) {
  PreparedWorld world(true);
  world.store().before_prepared = [&] {
    ASSERT_TRUE(world.engine().catalog().Change(
        "things", [](const table::TableDefinition*, uint32_t) -> Catalog::Decision {
          return std::optional<table::TableDefinition>();
        }));
  };
  const auto outcome = world.Run(world.Put(PreparedWorld::Thing("x", kLarge)));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->refused());
  EXPECT_EQ(outcome->items[0].error->code(), ErrorCode::kResourceNotFound);
}

TEST(PreparedWriteTest, ATokenThatCameMeanwhileMakesItAReplay) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  const auto request = [&world] {
    WriteRequest transaction;
    transaction.items.push_back(world.AddOne("large"));
    transaction.items.push_back(world.AddOne("small"));
    transaction.token = {"token", "fingerprint"};
    return transaction;
  };
  world.store().before_prepared = [&] {
    const auto first = world.Run(request());
    ASSERT_TRUE(first);
    EXPECT_FALSE(first->replayed);
  };
  const auto second = world.Run(request());
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->replayed);
  EXPECT_EQ(world.Number("large"), 1);
  EXPECT_EQ(world.Number("small"), 1);
}

TEST(PreparedWriteTest, AnItemThatWasRenewedMeanwhileDoesNotExpire) {
  PreparedWorld world(true);
  const auto expiring = [](int64_t second) {
    item::Item item = PreparedWorld::Thing("x", kLarge);
    item.Set("expires", N(second));
    return item;
  };
  const int64_t second = world.clock().NowMs() / 1000 - 100;
  const auto expire = [&](int64_t at) {
    WriteRequest request;
    request.origin = ChangeOrigin::kTimeToLive;
    request.items.push_back(world.Delete("x"));
    request.items.back().expires_at = at;
    return world.Run(std::move(request));
  };
  ASSERT_TRUE(world.Run(world.Put(expiring(second))));
  world.store().before_prepared = [&] { ASSERT_TRUE(world.Run(world.Put(expiring(second + 50)))); };
  ASSERT_TRUE(expire(second));
  EXPECT_TRUE(world.Get("x"));
  EXPECT_EQ(world.engine().Counter(encoding::ExpiredCountKey(world.table()->id)), 0);
  ASSERT_TRUE(expire(second + 50));
  EXPECT_FALSE(world.Get("x"));
  EXPECT_EQ(world.engine().Counter(encoding::ExpiredCountKey(world.table()->id)), 1);
}

TEST(PreparedWriteTest, ARefusalDoesNotWaitForTheStore) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("x", kLarge))));
  std::promise<void> release;
  std::promise<void> held;
  std::promise<Result<WriteOutcome>> blocked;
  SubmitWrite(world.engine(), {}, [&](const WriteRequest&, Result<WriteOutcome> outcome) {
    held.set_value();
    release.get_future().wait();
    blocked.set_value(std::move(outcome));
  });
  held.get_future().wait();
  const auto outcome = world.Run(
      PreparedWorld::If(world.Put(PreparedWorld::Thing("x", kLarge)), "attribute_not_exists(PK)"));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->refused());
  release.set_value();
  blocked.get_future().wait();
}

TEST(PreparedWriteTest, WorkThatIsStoppedWritesNothing) {
  PreparedWorld world(true, {.max_units = 600'000});
  const auto outcome = world.Run(world.Put(PreparedWorld::Thing("x", kLarge)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kValidation);
  EXPECT_FALSE(world.Get("x"));
  // Nothing is left behind that others would wait for.
  ASSERT_TRUE(world.Run(world.AddOne("x")));
}

TEST(PreparedWriteTest, LackOfMemoryFailsTheWrite) {
  PreparedWorld world(true);
  world.store().out_of_memory = true;
  const auto outcome = world.Run(world.Put(PreparedWorld::Thing("x", kLarge)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kUnavailable);
  world.store().out_of_memory = false;
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("x", kLarge))));
}

// Inserts beside the range of a table's items that the write saw.
TEST(PreparedWriteTest, ARangeThatChangedEndsTheWrite) {
  for (const bool interferes : {false, true}) {
    PreparedWorld world(true);
    ASSERT_TRUE(world.Run(world.AddOne("small")));
    WriteRequest request = world.Seeing(world.Put(PreparedWorld::Thing("large", kLarge)));
    if (interferes) {
      world.store().before_prepared = [&] { ASSERT_TRUE(world.Run(world.AddOne("other"))); };
    }
    const auto outcome = world.Run(std::move(request));
    EXPECT_EQ(world.prepared(), 1);
    EXPECT_EQ(world.Get("large").has_value(), !interferes);
    ASSERT_EQ(outcome.has_value(), !interferes);
    if (interferes) {
      EXPECT_EQ(outcome.error().code(), ErrorCode::kTransactionConflict);
    }
  }
}

TEST(PreparedWriteTest, ALargeRangeIsComparedElsewhere) {
  PreparedWorld world(true);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing(std::to_string(i), kLarge + 90'000))));
  }
  const uint64_t before = world.prepared();
  WriteRequest request = world.Seeing(world.AddOne("small"));
  WriteRequest late = world.Seeing(world.AddOne("small"));
  ASSERT_TRUE(world.Run(std::move(request)));
  EXPECT_EQ(world.prepared(), before + 1);
  const auto outcome = world.Run(std::move(late));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kTransactionConflict);
  EXPECT_EQ(world.prepared(), before + 2);
  EXPECT_EQ(world.Number("small"), 1);
}

TEST(PreparedWriteTest, ABatchIsSplitWhenItIsTooMuch) {
  PreparedWorld world(true);
  for (const bool large : {false, true}) {
    WriteRequest batch;
    batch.independent = true;
    for (int i = 0; i < 5; ++i) {
      batch.items.push_back(
          world.Put(PreparedWorld::Thing(std::to_string(i), large && i > 2 ? kLarge : 100)));
      batch.items.back().keep_old = true;
    }
    batch.items.push_back(world.Delete("absent"));
    const uint64_t before = world.store().LastSequence();
    const auto outcome = world.Run(std::move(batch));
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->items.size(), 6);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(world.Get(std::to_string(i)));
      EXPECT_EQ(outcome->items[i].table, world.table());
      EXPECT_EQ(outcome->items[i].old_item.has_value(), large) << i;
    }
    // The small batch is one update. Of the large one, the small items write nothing.
    EXPECT_EQ(world.store().LastSequence() - before, large ? 2 : 1);
    EXPECT_EQ(world.prepared(), large ? 2 : 0);
  }
}

TEST(PreparedWriteTest, ABatchFailsIfAPartFails) {
  PreparedWorld world(true);
  world.store().out_of_memory = true;
  WriteRequest batch;
  batch.independent = true;
  batch.items.push_back(world.AddOne("small"));
  batch.items.push_back(world.Put(PreparedWorld::Thing("large", kLarge)));
  const auto outcome = world.Run(std::move(batch));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kUnavailable);
  EXPECT_FALSE(world.Get("large"));
}

// A transaction of a large item and a small one, while others change the small one all the time.
TEST(PreparedWriteTest, AHotItemDoesNotStarveALargeWrite) {
  constexpr int kTransactions = 10;
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  std::atomic<bool> stop = false;
  std::atomic<int64_t> small = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!stop) {
        EXPECT_TRUE(world.Run(world.AddOne("small")));
        ++small;
      }
    });
  }
  for (int i = 0; i < kTransactions; ++i) {
    ASSERT_TRUE(world.Run(world.AddOne("large"), world.AddOne("small")));
  }
  stop = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(world.Number("large"), kTransactions);
  EXPECT_EQ(world.Number("small"), small + kTransactions);
  EXPECT_FALSE(world.engine().preparations().claims().any());
}

// The claim itself: two changes come in between, then the write holds back the others.
TEST(PreparedWriteTest, TheThirdAttemptHoldsOthersBack) {
  PreparedWorld world(true);
  ASSERT_TRUE(world.Run(world.Put(PreparedWorld::Thing("large", kLarge))));
  std::promise<Result<WriteOutcome>> later;
  int changes = 0;
  std::function<void()> interfere = [&] {
    if (++changes <= 2) {
      ASSERT_TRUE(world.Run(world.AddOne("small")));
      world.store().before_prepared = interfere;
      return;
    }
    WriteRequest request;
    request.items.push_back(world.AddOne("small"));
    request.items.back().keep_new = true;
    world.Submit(std::move(request), &later);
    EXPECT_EQ(world.Number("small"), 2) << "the write that came now waits";
  };
  world.store().before_prepared = interfere;
  ASSERT_TRUE(world.Run(world.AddOne("large"), world.AddOne("small")));
  const auto outcome = later.get_future().get();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(changes, 3);
  EXPECT_EQ(world.Number("small"), 4);
}

// Random requests, as a pure function of the seed.
class RandomRequests {
 public:
  RandomRequests(uint64_t seed, PreparedWorld* world) : random_(seed), world_(*world) {}

  WriteRequest Next() {
    WriteRequest request;
    const size_t count = 1 + random_() % 4;
    for (size_t i = 0; i < count; ++i) {
      request.items.push_back(NextWrite(std::to_string(i) + "-" + std::to_string(random_() % 3)));
    }
    if (random_() % 4 == 0) request.token = {std::to_string(random_() % 6), "fingerprint"};
    if (random_() % 5 == 0) request.origin = ChangeOrigin::kTimeToLive;
    return request;
  }

 private:
  ItemWrite NextWrite(const std::string& pk) {
    constexpr size_t kSizes[] = {10, 2000, 150'000, 350'000};
    ItemWrite write;
    switch (random_() % 6) {
      case 0:
        write = world_.Delete(pk);
        break;
      case 1:
        write = world_.Check(pk);
        break;
      case 2:
        write = world_.AddOne(pk);
        break;
      case 3:
        write = world_.Update(pk, "SET expires = :v", N(1'900'000'000 + Small()));
        break;
      default: {
        item::Item item = PreparedWorld::Thing(pk, kSizes[random_() % std::size(kSizes)]);
        if (random_() % 3 == 0) item.Set("status", Value("s" + std::to_string(Small())));
        if (random_() % 3 == 0) item.Set("expires", N(1'900'000'000 + Small()));
        write = world_.Put(item);
      }
    }
    if (random_() % 6 == 0) write = PreparedWorld::If(std::move(write), "attribute_exists(PK)");
    write.keep_old = random_() % 3 == 0;
    write.keep_new = random_() % 3 == 0;
    write.keep_old_on_condition_failure = random_() % 3 == 0;
    return write;
  }
  int64_t Small() { return static_cast<int64_t>(random_() % 3); }

  std::mt19937_64 random_;
  PreparedWorld& world_;
};

void ExpectSameOutcome(const Result<WriteOutcome>& a, const Result<WriteOutcome>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) {
    EXPECT_EQ(a.error().message(), b.error().message());
    return;
  }
  EXPECT_EQ(a->replayed.has_value(), b->replayed.has_value());
  ASSERT_EQ(a->items.size(), b->items.size());
  for (size_t i = 0; i < a->items.size(); ++i) {
    const ItemOutcome& x = a->items[i];
    const ItemOutcome& y = b->items[i];
    ASSERT_EQ(x.error.has_value(), y.error.has_value());
    if (x.error) {
      EXPECT_EQ(x.error->message(), y.error->message());
    }
    EXPECT_EQ(x.old_item, y.old_item);
    EXPECT_EQ(x.new_item, y.new_item);
    EXPECT_EQ(x.charged_bytes, y.charged_bytes);
    ASSERT_EQ(x.index_costs.size(), y.index_costs.size());
    for (size_t j = 0; j < x.index_costs.size(); ++j) {
      EXPECT_EQ(x.index_costs[j].write_units, y.index_costs[j].write_units);
    }
  }
}

// A write has the same effect however it was decided: items, index entries, counters, expiries,
// tokens and the change log are the same bytes.
TEST(PreparedWriteTest, PreparedOrNotTheResultIsTheSame) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  PreparedWorld prepares(true);
  PreparedWorld decides(false);
  RandomRequests first(seed, &prepares);
  RandomRequests second(seed, &decides);
  for (int i = 0; i < 150; ++i) {
    ExpectSameOutcome(prepares.Run(first.Next()), decides.Run(second.Next()));
    prepares.clock().now_ms += 10;
    decides.clock().now_ms += 10;
  }
  EXPECT_GT(prepares.prepared(), 20);
  EXPECT_EQ(decides.prepared(), 0);
  const auto a = prepares.Everything();
  const auto b = decides.Everything();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].first, b[i].first);
    ASSERT_TRUE(a[i].second == b[i].second) << "value " << i;
  }
}

}  // namespace
}  // namespace monotable::engine
