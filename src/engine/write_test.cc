#include "engine/write.h"

#include <atomic>
#include <future>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/engine_fixture.h"
#include "engine/index_entries.h"
#include "storage/memory/memory_store.h"

namespace monotable::engine {
namespace {

using item::Value;
using table::KeyAttribute;

class FixedClock : public Clock {
 public:
  int64_t NowMs() const override { return now_ms; }
  std::atomic<int64_t> now_ms = 1'800'000'000'000;
};

// A table with a sparse global index that projects everything, one that projects keys, a local
// index, and a stream.
table::TableDefinition Sales() {
  const KeyAttribute pk{"PK", item::Type::kString};
  const KeyAttribute sk{"SK", item::Type::kString};
  const KeyAttribute status{"status", item::Type::kString};
  const KeyAttribute amount{"amount", item::Type::kNumber};
  table::TableDefinition table;
  table.name = "sales";
  table.attributes = {pk, sk, status, amount};
  table.key = {{pk}, {sk}};
  const auto index = [](uint16_t id, table::IndexKind kind, table::KeySchema key) {
    table::IndexDefinition made;
    made.id = id;
    made.name = "index-" + std::to_string(id);
    made.kind = kind;
    made.key = std::move(key);
    return made;
  };
  const auto local = index(1, table::IndexKind::kLocal, {{pk}, {amount}});
  const auto all = index(2, table::IndexKind::kGlobal, {{status}, {amount}});
  auto keys = index(3, table::IndexKind::kGlobal, {{status}, {}});
  keys.projection.type = table::ProjectionType::kKeysOnly;
  table.indexes = {local, all, keys};
  table.next_index_id = 4;
  table.stream.enabled = true;
  return table;
}

class WriteTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(opened);
    engine_ = std::move(*opened);
    auto made = engine_->catalog().Change(
        "sales", [](const table::TableDefinition*, uint32_t id) -> Catalog::Decision {
          auto table = Sales();
          table.id = id;
          return std::optional(table);
        });
    ASSERT_TRUE(made);
    table_ = *made;
  }

  static item::Item Key(const std::string& pk, const std::string& sk) {
    item::Item key;
    key.Set("PK", Value(pk));
    key.Set("SK", Value(sk));
    return key;
  }

  ItemWrite Put(const item::Item& item) const {
    ItemWrite write;
    write.table = table_;
    write.key = Key(item.Find("PK")->string(), item.Find("SK")->string());
    write.put = encoding::EncodeItem(item);
    return write;
  }

  ItemWrite Delete(const item::Item& key) const {
    ItemWrite write;
    write.table = table_;
    write.action = WriteAction::kDelete;
    write.key = key;
    return write;
  }

  ItemWrite Update(const item::Item& key, const std::string& text, Value value) const {
    ItemWrite write;
    write.table = table_;
    write.action = WriteAction::kUpdate;
    write.key = key;
    write.substitutions = expression::Substitutions(std::nullopt, {{{":v", std::move(value)}}});
    write.update = *expression::ParseUpdate(text, write.substitutions);
    return write;
  }

  static ItemWrite If(ItemWrite write, const std::string& condition) {
    write.condition = *expression::ParseCondition(condition, expression::ConditionKind::kCondition,
                                                  write.substitutions);
    return write;
  }

  Result<WriteOutcome> Run(WriteRequest request) {
    std::promise<Result<WriteOutcome>> promise;
    SubmitWrite(*engine_, std::move(request),
                [&](const WriteRequest&, Result<WriteOutcome> outcome) {
                  promise.set_value(std::move(outcome));
                });
    return promise.get_future().get();
  }

  template <typename... Writes>
  Result<WriteOutcome> Run(Writes... writes) {
    WriteRequest request;
    (request.items.push_back(std::move(writes)), ...);
    return Run(std::move(request));
  }

  std::optional<item::Item> Get(const item::Item& key) const {
    std::string value;
    if (!*store_->Latest().Get(encoding::ItemKey(*table_, key), &value)) return std::nullopt;
    return *encoding::DecodeItem(value);
  }

  std::vector<std::pair<std::string, std::string>> Under(const storage::Range& range) const {
    std::vector<std::pair<std::string, std::string>> all;
    auto cursor = store_->Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) all.emplace_back(cursor->key(), cursor->value());
    return all;
  }

  // Every index and counter equals what the items say.
  void ExpectConsistent() const {
    const auto items = Under(encoding::ItemsRange(table_->id, encoding::kTableItems));
    for (const table::IndexDefinition& index : table_->indexes) {
      std::map<std::string, std::string> expected;
      int64_t bytes = 0;
      for (const auto& [key, value] : items) {
        if (auto entry = IndexEntry::Of(*table_, index, encoding::ItemView(value))) {
          expected.emplace(entry->key(), entry->value());
          bytes += static_cast<int64_t>(entry->charged_size());
        }
      }
      const auto found = Under(encoding::ItemsRange(table_->id, index.id));
      EXPECT_EQ((std::map<std::string, std::string>(found.begin(), found.end())), expected)
          << index.name;
      EXPECT_EQ(engine_->Counter(encoding::ItemCountKey(table_->id, index.id)),
                static_cast<int64_t>(expected.size()));
      EXPECT_EQ(engine_->Counter(encoding::ItemBytesKey(table_->id, index.id)), bytes);
    }
    EXPECT_EQ(engine_->Counter(encoding::ItemCountKey(table_->id, encoding::kTableItems)),
              static_cast<int64_t>(items.size()));
  }

  std::vector<ChangeRecord> Changes() {
    changes_ = Under(encoding::ChangesRange(table_->id));
    std::vector<ChangeRecord> records;
    for (const auto& [key, value] : changes_) records.push_back(*DecodeChange(value));
    return records;
  }

  FixedClock clock_;
  // One clock for both: trimming compares the time of a commit with the engine's.
  std::unique_ptr<storage::Store> store_ =
      storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }});
  std::unique_ptr<Engine> engine_;
  TablePtr table_;
  std::vector<std::pair<std::string, std::string>> changes_;  // what Changes() points into
};

item::Item Sale(const std::string& sk, const std::string& status, int64_t amount) {
  item::Item item;
  item.Set("PK", Value("SALE#1"));
  item.Set("SK", Value(sk));
  item.Set("status", Value(status));
  item.Set("amount", N(amount));
  item.Set("note", Value("Olá"));
  return item;
}

TEST_F(WriteTest, APutReplacesItemIndexEntriesAndCounters) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  ASSERT_TRUE(Run(Put(Sale("b", "OPEN", 7))));
  ExpectConsistent();
  ItemWrite moved = Put(Sale("a", "PAID", 5));
  moved.keep_old = true;
  const auto outcome = Run(std::move(moved));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*encoding::DecodeItem(outcome->items[0].old_item->bytes), Sale("a", "OPEN", 5));
  EXPECT_EQ(Get(Key("SALE#1", "a")), Sale("a", "PAID", 5));
  ExpectConsistent();
}

TEST_F(WriteTest, AKeyMoveCostsTwoIndexWritesAndNoChangeCostsNone) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  const auto same = Run(Put(Sale("a", "OPEN", 5)));
  EXPECT_TRUE(same->items[0].index_costs.empty());
  EXPECT_GT(same->items[0].charged_bytes, 0);

  const auto moved = Run(Put(Sale("a", "PAID", 5)));
  // The local index is changed in place, the two global ones move.
  ASSERT_EQ(moved->items[0].index_costs.size(), 3);
  EXPECT_EQ(moved->items[0].index_costs[0].write_units, 1);
  EXPECT_EQ(moved->items[0].index_costs[1].write_units, 2);
  EXPECT_EQ(moved->items[0].index_costs[2].write_units, 2);

  item::Item note = Sale("a", "PAID", 5);
  note.Set("note", Value("changed"));
  const auto changed = Run(Put(note));
  // The index that projects keys only does not see the note.
  ASSERT_EQ(changed->items[0].index_costs.size(), 2);
  EXPECT_EQ(changed->items[0].index_costs[1].index, 1);
  ExpectConsistent();
}

TEST_F(WriteTest, AnUpdateThatOnlyClearsDoesNotCreateTheItem) {
  const item::Item key = Key("SALE#1", "a");
  ItemWrite removal = Update(key, "REMOVE note", N(1));
  removal.keep_new = true;
  const auto outcome = Run(std::move(removal));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->refused());
  EXPECT_FALSE(outcome->items[0].new_item);
  EXPECT_FALSE(Get(key));
  ASSERT_TRUE(Run(Update(key, "REMOVE note SET amount = :v", N(1))));
  EXPECT_TRUE(Get(key));
  ASSERT_TRUE(Run(Update(key, "REMOVE amount", N(1))));
  EXPECT_EQ(Get(key), key);
  ExpectConsistent();
}

TEST_F(WriteTest, LeavingTheIndexKeyAttributeRemovesTheEntry) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  item::Item bare = Key("SALE#1", "a");
  ASSERT_TRUE(Run(Put(bare)));
  EXPECT_TRUE(Under(encoding::ItemsRange(table_->id, 2)).empty());
  ASSERT_TRUE(Run(Delete(bare)));
  EXPECT_FALSE(Get(bare));
  ExpectConsistent();
}

TEST_F(WriteTest, AFailedConditionChangesNothingAndShowsTheItem) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  ItemWrite write = If(Put(Sale("a", "PAID", 9)), "attribute_not_exists(PK)");
  write.keep_old_on_condition_failure = true;
  const auto outcome = Run(std::move(write));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->refused());
  EXPECT_EQ(outcome->items[0].error->code(), ErrorCode::kConditionalCheckFailed);
  EXPECT_EQ(*encoding::DecodeItem(outcome->items[0].old_item->bytes), Sale("a", "OPEN", 5));
  EXPECT_EQ(Get(Key("SALE#1", "a")), Sale("a", "OPEN", 5));
  EXPECT_EQ(Changes().size(), 1);
}

TEST_F(WriteTest, AnUpdateMakesTheItemWithItsKey) {
  const item::Item key = Key("SALE#1", "new");
  ASSERT_TRUE(Run(Update(key, "SET amount = :v", N(3))));
  item::Item expected = key;
  expected.Set("amount", N(3));
  EXPECT_EQ(Get(key), expected);
  ExpectConsistent();
}

TEST_F(WriteTest, AnUpdateOfAnAbsentItemDoesNotSeeTheKey) {
  const auto outcome = Run(Update(Key("SALE#1", "x"), "SET a = PK, b = :v", N(1)));
  ASSERT_TRUE(outcome->refused());
  EXPECT_EQ(outcome->items[0].error->code(), ErrorCode::kValidation);
  EXPECT_FALSE(Get(Key("SALE#1", "x")));
}

TEST_F(WriteTest, AnUpdateMayNotSpoilAnIndexKey) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  const auto wrong_type = Run(Update(Key("SALE#1", "a"), "SET amount = :v", Value("text")));
  ASSERT_TRUE(wrong_type->refused());
  EXPECT_EQ(wrong_type->items[0].error->code(), ErrorCode::kValidation);
  EXPECT_EQ(Get(Key("SALE#1", "a")), Sale("a", "OPEN", 5));
}

TEST_F(WriteTest, ATransactionIsAllOrNothing) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  const auto refused = Run(Put(Sale("b", "OPEN", 1)), Delete(Key("SALE#1", "a")),
                           If(Put(Sale("c", "OPEN", 1)), "attribute_exists(PK)"));
  ASSERT_TRUE(refused->refused());
  EXPECT_FALSE(refused->items[0].error);
  EXPECT_TRUE(refused->items[2].error);
  EXPECT_FALSE(Get(Key("SALE#1", "b")));
  EXPECT_TRUE(Get(Key("SALE#1", "a")));

  const auto done = Run(Put(Sale("b", "OPEN", 1)), Delete(Key("SALE#1", "a")),
                        If(Put(Sale("c", "OPEN", 1)), "attribute_not_exists(PK)"));
  ASSERT_FALSE(done->refused());
  EXPECT_TRUE(Get(Key("SALE#1", "b")));
  EXPECT_FALSE(Get(Key("SALE#1", "a")));
  ExpectConsistent();
}

TEST_F(WriteTest, WhatWasSeenInARangeMustStillBeThere) {
  ASSERT_TRUE(Run(Put(Sale("a", "new", 1))));
  const auto request = [&] {
    WriteRequest request;
    request.items.push_back(Put(Sale("b", "new", 2)));
    request.token = IdempotencyToken{"token", "fingerprint"};
    for (const uint16_t index : {encoding::kTableItems, table_->indexes.front().id}) {
      storage::SeenRange seen{encoding::ItemsRange(table_->id, index)};
      for (const auto& [key, value] : Under(seen.range)) seen.Add(key, value);
      request.ranges.push_back(std::move(seen));
    }
    request.locks = {{"the items"}, {"the index", storage::KeyMode::kShared}};
    return request;
  };
  WriteRequest in_time = request();
  WriteRequest repeated = request();
  WriteRequest late = request();
  late.token->token = "another token";
  ASSERT_TRUE(Run(std::move(in_time)));
  const auto replayed = Run(std::move(repeated));
  ASSERT_TRUE(replayed);
  EXPECT_TRUE(replayed->replayed) << "what was done stays done, whatever the range holds now";
  const auto outcome = Run(std::move(late));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kTransactionConflict);
  EXPECT_EQ(Under(encoding::ItemsRange(table_->id, encoding::kTableItems)).size(), 2u);
  EXPECT_TRUE(Under({encoding::LockKey(""), std::string(1, 1)}).empty());
  ExpectConsistent();
}

TEST_F(WriteTest, TheLogHoldsEveryChangeOnceInOrder) {
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));
  ASSERT_TRUE(Run(Put(Sale("a", "OPEN", 5))));  // changes nothing
  ASSERT_TRUE(Run(Put(Sale("a", "PAID", 5)), Put(Sale("b", "OPEN", 1))));
  ASSERT_TRUE(Run(Delete(Key("SALE#1", "a"))));
  ASSERT_TRUE(Run(Delete(Key("SALE#1", "a"))));  // nothing there
  const auto changes = Changes();
  ASSERT_EQ(changes.size(), 4);
  EXPECT_FALSE(changes[0].old_item);
  EXPECT_EQ(*encoding::DecodeItem(changes[1].old_item->record()), Sale("a", "OPEN", 5));
  EXPECT_EQ(*encoding::DecodeItem(changes[1].new_item->record()), Sale("a", "PAID", 5));
  EXPECT_EQ(*encoding::DecodeItem(changes[2].new_item->record()), Sale("b", "OPEN", 1));
  EXPECT_FALSE(changes[3].new_item);
}

TEST_F(WriteTest, ATokenMakesARetryHarmlessForTenMinutes) {
  const auto add = [&](const std::string& fingerprint) {
    WriteRequest request;
    request.items.push_back(Update(Key("SALE#1", "n"), "ADD amount :v", N(1)));
    request.token = {"token", fingerprint};
    return Run(std::move(request));
  };
  ASSERT_TRUE(add("same"));
  const auto retry = add("same");
  ASSERT_TRUE(retry);
  ASSERT_TRUE(retry->replayed);
  EXPECT_EQ(retry->replayed->images.size(), 1);
  EXPECT_EQ(*Get(Key("SALE#1", "n"))->Find("amount"), N(1));

  const auto other = add("other");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kIdempotentParameterMismatch);

  clock_.now_ms += kTokenLifeMs - 1;  // in the next bucket, but still alive
  EXPECT_TRUE(add("same")->replayed);
  clock_.now_ms += 1;
  EXPECT_FALSE(add("same")->replayed);
  EXPECT_EQ(*Get(Key("SALE#1", "n"))->Find("amount"), N(2));
}

TEST_F(WriteTest, WritesToADroppedTableAreRefused) {
  WriteRequest request;
  request.items.push_back(Put(Sale("a", "OPEN", 5)));
  ASSERT_TRUE(engine_->catalog().Change(
      "sales", [](const table::TableDefinition*, uint32_t) -> Catalog::Decision {
        return std::optional<table::TableDefinition>();
      }));
  const auto outcome = Run(std::move(request));
  ASSERT_TRUE(outcome->refused());
  EXPECT_EQ(outcome->items[0].error->code(), ErrorCode::kResourceNotFound);
  EXPECT_TRUE(Under(encoding::TableRange(table_->id)).empty());
}

// Many threads add to counters that do not exist at first, move items between index partitions and
// insert conditionally; nothing is lost and everything agrees.
TEST_F(WriteTest, ConcurrentWritesLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  std::atomic<int> inserted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const std::string counter = "counter" + std::to_string(i % 3);
        ASSERT_TRUE(Run(Update(Key("C", counter), "ADD amount :v", N(1))));
        const auto put =
            Run(If(Put(Sale("once" + std::to_string(i), "OPEN", t)), "attribute_not_exists(PK)"));
        if (!put->refused()) ++inserted;
        ASSERT_TRUE(Run(Put(Sale("moving", "S" + std::to_string((t + i) % 5), i))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inserted, kRounds);
  item::Number sum;
  for (int c = 0; c < 3; ++c) {
    const auto counter = Get(Key("C", "counter" + std::to_string(c)));
    sum = *item::Number::Add(sum, counter->Find("amount")->number());
  }
  EXPECT_EQ(sum, item::Number::FromInt(kThreads * kRounds));
  ExpectConsistent();
}

}  // namespace
}  // namespace monotable::engine
