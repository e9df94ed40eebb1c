#include "engine/expiry.h"

#include <atomic>
#include <thread>

#include "engine/change_log.h"
#include "engine/clock.h"
#include "engine/engine_fixture.h"

namespace monotable::engine {
namespace {

using item::Number;
using item::Value;

class ExpiryTest : public EngineFixture {
 protected:
  int64_t Now() const { return clock_.now_ms / 1000; }

  TablePtr CreateExpiring(const std::string& name, bool streaming = false) {
    table::TableDefinition definition = Definition(name);
    definition.time_to_live = {true, "ttl", clock_.now_ms, true};
    if (streaming) {
      definition.stream = {true, table::StreamViewType::kNewAndOldImages, clock_.now_ms};
      definition.latest_stream_label = "label";
    }
    return *Create(catalog(), definition);
  }

  static item::Item Thing(const std::string& key, Value ttl) {
    item::Item item;
    item.Set("PK", Value(key));
    item.Set("ttl", std::move(ttl));
    return item;
  }
  static item::Item Thing(const std::string& key, int64_t second) {
    return Thing(key, Value(Number::FromInt(second)));
  }

  bool Has(const TablePtr& table, const std::string& key) {
    item::Item item;
    item.Set("PK", Value(key));
    std::string record;
    return *store().Latest().Get(encoding::ItemKey(*table, item), &record);
  }

  void Sweep() {
    engine().expiry().Wake();
    engine().expiry().WaitUntilIdle();
  }

  void Advance(int64_t seconds) {
    clock_.now_ms += seconds * 1000;
    Sweep();
  }

  ExpiryReport Report(const TablePtr& table) { return *ReportExpiry(engine(), *table); }
};

TEST_F(ExpiryTest, DeletesWhatHasExpired) {
  const TablePtr table = CreateExpiring("t");
  ASSERT_TRUE(Put(table, Thing("soon", Now() + 10)));
  ASSERT_TRUE(Put(table, Thing("later", Now() + 1000)));
  ASSERT_TRUE(Put(table, Thing("never", Value("1800000000"))));
  Advance(10);
  EXPECT_TRUE(Has(table, "soon")) << "expired, but within the delay";
  EXPECT_EQ(Report(table).pending, 2);
  Advance(6);
  EXPECT_FALSE(Has(table, "soon"));
  EXPECT_TRUE(Has(table, "later"));
  EXPECT_TRUE(Has(table, "never"));
  EXPECT_EQ(Report(table).pending, 1);
  EXPECT_EQ(Report(table).deleted, 1);
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(table->id, encoding::kTableItems)), 2);
}

TEST_F(ExpiryTest, LeavesAloneWhatIsNoSecondOfTheLastFiveYears) {
  const TablePtr table = CreateExpiring("t");
  ASSERT_TRUE(Put(table, Thing("ancient", Now() - kOldestExpirySeconds - 10)));
  ASSERT_TRUE(Put(table, Thing("zero", int64_t{0})));
  ASSERT_TRUE(Put(table, Thing("negative", int64_t{-5})));
  ASSERT_TRUE(Put(table, Thing("milliseconds", clock_.now_ms.load())));
  ASSERT_TRUE(Put(table, Thing("huge", Value(*Number::Parse("1e60")))));
  ASSERT_TRUE(Put(table, Thing("old", Now() - kOldestExpirySeconds + 60)));
  ASSERT_TRUE(
      Put(table, Thing("fraction", Value(*Number::Parse(std::to_string(Now() - 100) + ".9")))));
  Sweep();
  for (const char* kept : {"ancient", "zero", "negative", "milliseconds", "huge"}) {
    EXPECT_TRUE(Has(table, kept)) << kept;
  }
  EXPECT_FALSE(Has(table, "old"));
  EXPECT_FALSE(Has(table, "fraction"));
  EXPECT_EQ(Report(table).ignored, 1);
}

// A delay from before the epoch, or from before what can expire at all.
TEST_F(ExpiryTest, AVeryLongDelayKeepsEverything) {
  for (const int64_t years : {6, 100}) {
    CloseEngine();
    EngineOptions options;
    options.expiry_delay_ms = years * 365 * 24 * 3'600'000;
    engine_ = Engine::Open(*store_, clock_, options).value();
    const TablePtr table = CreateExpiring("t" + std::to_string(years));
    ASSERT_TRUE(Put(table, Thing("a", Now() - 1000)));
    Sweep();
    EXPECT_TRUE(Has(table, "a")) << years;
  }
}

TEST_F(ExpiryTest, FollowsTheAttribute) {
  const TablePtr table = CreateExpiring("t");
  ASSERT_TRUE(Put(table, Thing("moved", Now() + 10)));
  ASSERT_TRUE(Put(table, Thing("moved", Now() + 1000)));
  ASSERT_TRUE(Put(table, Thing("kept", Now() + 10)));
  ASSERT_TRUE(Put(table, Thing("kept", Value("no number"))));
  ASSERT_TRUE(Put(table, Thing("deleted", Now() + 10)));
  ASSERT_TRUE(Delete(table, KeyOf(*table, Thing("deleted", int64_t{0}))));
  EXPECT_EQ(CountKeys(encoding::ExpiriesRange(table->id)), 1u);
  Advance(100);
  EXPECT_TRUE(Has(table, "moved"));
  EXPECT_TRUE(Has(table, "kept"));
  EXPECT_EQ(Report(table).deleted, 0);
}

// The delete was made for an expiry that the item no longer has when it is decided.
TEST_F(ExpiryTest, AnItemThatWasRenewedStays) {
  const TablePtr table = CreateExpiring("t");
  ASSERT_TRUE(Put(table, Thing("a", Now() + 1000)));
  WriteRequest request;
  ItemWrite& write = request.items.emplace_back();
  write.table = table;
  write.action = WriteAction::kDelete;
  write.key = KeyOf(*table, Thing("a", int64_t{0}));
  write.expires_at = Now() - 10;
  request.origin = ChangeOrigin::kTimeToLive;
  const auto outcome = engine::WriteAndWait(engine(), std::move(request));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->refused());
  EXPECT_TRUE(Has(table, "a"));
  EXPECT_EQ(Report(table).deleted, 0);
}

TEST_F(ExpiryTest, TheStreamSaysThatTheServiceDeletedIt) {
  const TablePtr table = CreateExpiring("t", true);
  ASSERT_TRUE(Put(table, Thing("a", Now() + 1)));
  Advance(60);
  std::vector<ChangeOrigin> origins;
  const auto range = encoding::ChangesRange(table->id);
  const auto cursor = store().Latest().Scan(range, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const auto record = DecodeChange(cursor->value());
    ASSERT_TRUE(record);
    origins.push_back(record->origin);
    if (record->origin == ChangeOrigin::kTimeToLive) {
      EXPECT_EQ(record->event, ChangeEvent::kRemove);
      EXPECT_TRUE(record->old_item.has_value());
      EXPECT_FALSE(record->new_item.has_value());
    }
  }
  EXPECT_EQ(origins, (std::vector{ChangeOrigin::kUser, ChangeOrigin::kTimeToLive}));
}

TEST_F(ExpiryTest, ListsItemsThatWereThereBefore) {
  const TablePtr table = *Create(catalog(), Definition("t"));
  constexpr int kItems = 1000;
  for (int i = 0; i < kItems; ++i) {
    ASSERT_TRUE(Put(table, Thing(std::to_string(i), Now() + (i % 2 == 0 ? 10 : 10'000))));
  }
  ASSERT_TRUE(catalog().Change(
      "t", [&](const table::TableDefinition* current, uint32_t) -> Catalog::Decision {
        table::TableDefinition next = *current;
        next.time_to_live = {true, "ttl", clock_.now_ms, false};
        return std::optional(std::move(next));
      }));
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  EXPECT_TRUE(catalog().Find("t")->time_to_live.filled);
  EXPECT_EQ(CountKeys(encoding::ExpiriesRange(table->id)), size_t{kItems});
  Advance(60);
  EXPECT_EQ(Report(table).deleted, kItems / 2);
  EXPECT_EQ(CountKeys(encoding::ItemsRange(table->id, encoding::kTableItems)), size_t{kItems / 2});
}

// Whatever the order in which writers renew and the sweep deletes, an item and its entry agree.
TEST_F(ExpiryTest, ItemsAndEntriesAgreeUnderConcurrentWrites) {
  const TablePtr table = CreateExpiring("t");
  std::atomic<bool> done = false;
  std::thread clock([&] {
    while (!done) Advance(1);
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 2000; ++i) {
        EXPECT_TRUE(Put(table, Thing(std::to_string((i * 7 + w) % 50), Now() + i % 12)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  clock.join();
  size_t expiring = 0;
  const auto range = encoding::ItemsRange(table->id, encoding::kTableItems);
  const auto cursor = store().Latest().Scan(range, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const auto second = ExpirySecond(*table, encoding::ItemView(cursor->value()));
    ASSERT_TRUE(second);
    std::string none;
    EXPECT_TRUE(
        *store().Latest().Get(encoding::ExpiryKey(table->id, *second, cursor->key()), &none));
    ++expiring;
  }
  EXPECT_EQ(CountKeys(encoding::ExpiriesRange(table->id)), expiring);
}

}  // namespace
}  // namespace monotable::engine
