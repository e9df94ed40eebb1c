#include "engine/backfill.h"

#include <map>
#include <random>
#include <thread>

#include "engine/engine_fixture.h"
#include "engine/index_entries.h"
#include "storage/faulty/faulty_store.h"

namespace monotable::engine {
namespace {

using table::IndexDefinition;
using table::IndexStatus;
using table::TableDefinition;

class BackfillTest : public EngineFixture {
 protected:
  static item::Item ItemOf(int number, std::string_view color, size_t padding = 0) {
    item::Item item;
    item.Set("PK", item::Value("item-" + std::to_string(number)));
    if (!color.empty()) item.Set("color", item::Value(color));
    if (padding > 0) item.Set("padding", item::Value(std::string(padding, 'x')));
    return item;
  }

  Result<TablePtr> AddIndex(table::ProjectionType projection = table::ProjectionType::kAll) {
    return catalog().Change(
        "things", [projection](const TableDefinition* current, uint32_t) -> Catalog::Decision {
          TableDefinition next = *current;
          IndexDefinition index;
          index.id = next.next_index_id++;
          index.name = "by-color";
          index.key.hash = {{"color", item::Type::kString}};
          index.projection.type = projection;
          index.status = IndexStatus::kCreating;
          next.indexes.push_back(index);
          return std::optional(std::move(next));
        });
  }

  Result<TablePtr> DropIndex() {
    return catalog().Change("things",
                            [](const TableDefinition* current, uint32_t) -> Catalog::Decision {
                              TableDefinition next = *current;
                              next.indexes.clear();
                              return std::optional(std::move(next));
                            });
  }

  // The entries and counters of the index are exactly those of the items that there are.
  void ExpectExact() {
    const TablePtr table = catalog().Find("things");
    ASSERT_EQ(table->indexes.size(), 1u);
    const IndexDefinition& index = table->indexes[0];
    ASSERT_EQ(index.status, IndexStatus::kActive);
    std::map<std::string, std::string> expected;
    int64_t bytes = 0;
    ForEach(encoding::ItemsRange(table->id, encoding::kTableItems),
            [&](std::string_view, std::string_view value) {
              const auto entry = IndexEntry::Of(*table, index, encoding::ItemView(value));
              if (!entry) return;
              expected.emplace(entry->key(), entry->value());
              bytes += static_cast<int64_t>(entry->charged_size());
            });
    std::map<std::string, std::string> entries;
    ForEach(encoding::ItemsRange(table->id, index.id),
            [&](std::string_view key, std::string_view value) { entries.emplace(key, value); });
    EXPECT_EQ(entries.size(), expected.size());
    EXPECT_TRUE(entries == expected);
    EXPECT_EQ(engine().Counter(encoding::ItemCountKey(table->id, index.id)),
              static_cast<int64_t>(expected.size()));
    EXPECT_EQ(engine().Counter(encoding::ItemBytesKey(table->id, index.id)), bytes);
    std::string progress;
    EXPECT_FALSE(*store().Latest().Get(encoding::BackfillKey(table->id, index.id), &progress));
  }

  template <typename Function>
  void ForEach(const storage::Range& range, Function function) const {
    const auto cursor = store_->Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) function(cursor->key(), cursor->value());
  }

  void PutItems(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(Put(table_, ItemOf(i, i % 3 == 0 ? "" : i % 3 == 1 ? "red" : "blue")));
    }
  }

  // Background work would fill the index before the test looks; tests that step through the work
  // themselves stop it.
  void StopHousekeeping() { engine().housekeeping().Stop(); }

  std::stop_source stop_;
  TablePtr table_ = *Create(catalog(), Definition("things"));
};

TEST_F(BackfillTest, FillsAnIndexOverExistingItems) {
  PutItems(1000);
  ASSERT_TRUE(AddIndex());
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  ExpectExact();
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(table_->id, 1)), 666);
}

TEST_F(BackfillTest, FillsAnIndexOfKeysAlone) {
  PutItems(10);
  ASSERT_TRUE(AddIndex(table::ProjectionType::kKeysOnly));
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  ExpectExact();
}

TEST_F(BackfillTest, FinishesAtOnceOnAnEmptyTable) {
  ASSERT_TRUE(AddIndex());
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  ExpectExact();
}

// Items written before the index was defined were not checked against it.
TEST_F(BackfillTest, LeavesOutItemsThatTheIndexCannotHold) {
  StopHousekeeping();
  item::Item number = ItemOf(1, "");
  number.Set("color", item::Value(item::Number::FromInt(7)));
  item::Item empty = ItemOf(2, "");
  empty.Set("color", item::Value(""));
  ASSERT_TRUE(Put(table_, number));
  ASSERT_TRUE(Put(table_, empty));
  ASSERT_TRUE(Put(table_, ItemOf(3, std::string(2049, 'x'))));
  ASSERT_TRUE(Put(table_, ItemOf(4, "red")));
  ASSERT_TRUE(AddIndex());
  // One of them goes while the index is filled, and one becomes right.
  ASSERT_TRUE(Delete(table_, KeyOf(*table_, number)));
  ASSERT_TRUE(Put(table_, ItemOf(2, "green")));
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  ExpectExact();
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(table_->id, 1)), 2);
}

// Every way in which a write can meet an item that the backfill has not come to yet.
TEST_F(BackfillTest, CountsItemsThatWritesTouchedBeforeTheBackfill) {
  StopHousekeeping();
  PutItems(9);  // 1, 4, 7 red; 2, 5, 8 blue; 0, 3, 6 without color
  ASSERT_TRUE(AddIndex());
  ASSERT_TRUE(Put(table_, ItemOf(1, "red", 100)));  // changes in place
  ASSERT_TRUE(Put(table_, ItemOf(4, "green")));     // moves
  ASSERT_TRUE(Put(table_, ItemOf(7, "")));          // leaves
  ASSERT_TRUE(Put(table_, ItemOf(0, "red")));       // comes
  ASSERT_TRUE(Put(table_, ItemOf(2, "blue")));      // stays as it is
  ASSERT_TRUE(Put(table_, ItemOf(100, "red")));     // is new
  ASSERT_TRUE(Delete(table_, ItemOf(5, "")));       // goes
  ASSERT_TRUE(Delete(table_, ItemOf(8, "")));       // goes and comes back
  ASSERT_TRUE(Put(table_, ItemOf(8, "blue", 50)));
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  ExpectExact();
}

TEST_F(BackfillTest, GoesOnAfterARestart) {
  StopHousekeeping();
  PutItems(1000);
  const TablePtr table = *AddIndex();
  // A process that came as far as a quarter of the items and crashed: their entries are there and
  // so is the record of the progress.
  std::vector<std::string> keys;
  ForEach(encoding::ItemsRange(table->id, encoding::kTableItems),
          [&keys](std::string_view key, std::string_view) {
            if (keys.size() < 250) keys.emplace_back(key);
          });
  ASSERT_TRUE(
      storage::UpdateAndWait(store(), keys, [&](auto values, const auto&, storage::Batch* batch) {
        for (const auto& value : values) {
          const auto entry = IndexEntry::Of(*table, table->indexes[0], encoding::ItemView(*value));
          if (entry) batch->Put(entry->key(), entry->value());
        }
        batch->Put(encoding::BackfillKey(table->id, 1), keys.back());
      }));
  CloseEngine();
  OpenEngine();
  engine().housekeeping().WaitUntilIdle();
  ExpectExact();
}

TEST_F(BackfillTest, StopsWhenAskedAndKeepsTheIndexUnfinished) {
  StopHousekeeping();
  PutItems(10);
  ASSERT_TRUE(AddIndex());
  stop_.request_stop();
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  EXPECT_EQ(catalog().Find("things")->indexes[0].status, IndexStatus::kCreating);
  ASSERT_TRUE(FillIndexes(engine(), std::stop_token()));
  ExpectExact();
}

// Writers, restarts and failures of the disk while the index is filled.
TEST_F(BackfillTest, IsExactUnderConcurrentWritesRestartsAndFaults) {
  constexpr uint64_t kSeed = 4711;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  CloseEngine();
  storage::FaultOptions faults;
  faults.seed = kSeed;
  faults.repeat_decide = 0.1;
  auto faulty = storage::NewFaultyStore(std::move(store_), faults);
  storage::FaultyStore& disk = *faulty;
  store_ = std::move(faulty);
  OpenEngine();
  StopHousekeeping();
  constexpr int kItems = 3000;
  PutItems(kItems);
  ASSERT_TRUE(AddIndex());

  std::vector<std::thread> writers;
  for (unsigned i = 0; i < 3; ++i) {
    writers.emplace_back([this, i] {
      std::mt19937 random(static_cast<unsigned>(kSeed) + i);
      for (int j = 0; j < 2000; ++j) {
        const int number = static_cast<int>(random() % (kItems + 500));
        static constexpr const char* kColors[] = {"", "red", "blue", "green"};
        // A write that fails on the disk left nothing behind.
        if (random() % 4 == 0) {
          (void)Delete(table_, ItemOf(number, ""));
        } else {
          (void)Put(table_, ItemOf(number, kColors[random() % 4], random() % 50));
        }
      }
    });
  }
  // Each round stops at its first failure, as a process that crashes there would.
  for (uint64_t round = 1; round <= 20; ++round) {
    disk.FailUpdate(round);
    (void)FillIndexes(engine(), stop_.get_token());
  }
  for (std::thread& writer : writers) writer.join();
  disk.FailUpdate(0);
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  ExpectExact();
}

TEST_F(BackfillTest, EndsWithTheIndexOrTheTable) {
  StopHousekeeping();
  PutItems(10);
  const TablePtr table = *AddIndex();
  ASSERT_TRUE(DropIndex());
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::ItemsRange(table->id, 1)), 0u);

  ASSERT_TRUE(AddIndex());
  ASSERT_TRUE(Drop(catalog(), "things"));
  ASSERT_TRUE(FillIndexes(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::TableRange(table->id)), 0u);
  EXPECT_EQ(CountKeys(encoding::CountersRange(table->id)), 0u);
}

// Dropping and adding the index again and again while it is filled leaves nothing of the old ones.
TEST_F(BackfillTest, LeavesNothingOfADroppedIndex) {
  PutItems(2000);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(AddIndex());
    engine().housekeeping().Wake();
    std::this_thread::yield();
    ASSERT_TRUE(DropIndex());
  }
  ASSERT_TRUE(AddIndex());
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  ExpectExact();
  EXPECT_EQ(catalog().Find("things")->indexes[0].id, 11);
  for (uint16_t id = 1; id <= 10; ++id) {
    EXPECT_EQ(CountKeys(encoding::ItemsRange(table_->id, id)), 0u) << id;
    std::string progress;
    EXPECT_FALSE(*store().Latest().Get(encoding::BackfillKey(table_->id, id), &progress)) << id;
    EXPECT_EQ(engine().Counter(encoding::ItemCountKey(table_->id, id)), 0) << id;
  }
}

}  // namespace
}  // namespace monotable::engine
