#include "engine/catalog.h"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

#include "engine/engine_fixture.h"
#include "storage/faulty/faulty_store.h"

namespace monotable::engine {
namespace {

using table::TableDefinition;

class CatalogTest : public EngineFixture {};

item::Item ItemOf(std::string_view key, std::string_view color = "red") {
  item::Item item;
  item.Set("PK", item::Value(key));
  item.Set("color", item::Value(color));
  return item;
}

TableDefinition WithIndex(TableDefinition definition) {
  table::IndexDefinition index;
  index.id = definition.next_index_id++;
  index.name = "by-color";
  index.key.hash = {{"color", item::Type::kString}};
  definition.indexes.push_back(index);
  return definition;
}

TEST_F(CatalogTest, FindsByNameAndIdAndListsInOrderOfBytes) {
  for (const char* name : {"b", "a", "Z", "\xC3\xA4"}) {
    ASSERT_TRUE(Create(catalog(), Definition(name)));
  }
  const TablePtr a = catalog().Find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->uuid, "uuid-of-a");
  EXPECT_EQ(catalog().FindById(a->id), a);
  EXPECT_EQ(catalog().Find("c"), nullptr);
  EXPECT_EQ(catalog().FindById(99), nullptr);
  EXPECT_EQ(catalog().Names(), (std::vector<std::string>{"Z", "a", "b", "\xC3\xA4"}));
  EXPECT_EQ(catalog().All().size(), 4u);
}

TEST_F(CatalogTest, AnErrorOfADecisionLeavesEverythingAsItWas) {
  const TablePtr before = *Create(catalog(), Definition("a"));
  const auto again = Create(catalog(), Definition("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::kResourceInUse);
  EXPECT_EQ(*catalog().Find("a"), *before);
  EXPECT_EQ(Drop(catalog(), "b").error().code(), ErrorCode::kResourceNotFound);
}

TEST_F(CatalogTest, NeverUsesAnIdTwice) {
  const uint32_t first = (*Create(catalog(), Definition("a")))->id;
  ASSERT_TRUE(Drop(catalog(), "a"));
  EXPECT_EQ(catalog().Find("a"), nullptr);
  EXPECT_EQ(catalog().FindById(first), nullptr);
  const uint32_t second = (*Create(catalog(), Definition("a")))->id;
  EXPECT_GT(second, first);
  CloseEngine();
  OpenEngine();
  EXPECT_GT((*Create(catalog(), Definition("b")))->id, second);
}

TEST_F(CatalogTest, IsThereAgainAfterARestart) {
  const TablePtr a = *Create(catalog(), WithIndex(Definition("a")));
  ASSERT_TRUE(Create(catalog(), Definition("b")));
  ASSERT_TRUE(Drop(catalog(), "b"));
  CloseEngine();
  OpenEngine();
  EXPECT_EQ(catalog().Names(), (std::vector<std::string>{"a"}));
  EXPECT_EQ(*catalog().Find("a"), *a);
  EXPECT_EQ(*catalog().FindById(a->id), *a);
}

TEST_F(CatalogTest, ADefinitionInUseOutlivesItsTable) {
  ASSERT_TRUE(Create(catalog(), Definition("a")));
  const TablePtr a = catalog().Find("a");
  ASSERT_TRUE(Drop(catalog(), "a"));
  CloseEngine();
  EXPECT_EQ(a->name, "a");
}

TEST_F(CatalogTest, OfManyConcurrentCreatesOneWins) {
  std::vector<std::future<Result<TablePtr>>> attempts;
  for (int i = 0; i < 8; ++i) {
    attempts.push_back(std::async(std::launch::async, [this, i] {
      TableDefinition definition = Definition("a");
      definition.uuid = std::to_string(i);
      return Create(catalog(), definition);
    }));
  }
  int created = 0;
  for (auto& attempt : attempts) {
    const auto result = attempt.get();
    if (result) {
      ++created;
      EXPECT_EQ(**result, *catalog().Find("a"));
    } else {
      EXPECT_EQ(result.error().code(), ErrorCode::kResourceInUse);
    }
  }
  EXPECT_EQ(created, 1);
}

TEST_F(CatalogTest, ConcurrentChangesOfOneTableAllHappen) {
  ASSERT_TRUE(Create(catalog(), Definition("a")));
  constexpr int kThreads = 4;
  constexpr int kChanges = 25;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i] {
      for (int j = 0; j < kChanges; ++j) {
        const std::string key = std::to_string(i) + "/" + std::to_string(j);
        const auto changed = catalog().Change(
            "a", [&key](const TableDefinition* current, uint32_t) -> Catalog::Decision {
              TableDefinition next = *current;
              next.tags.push_back({key, ""});
              return std::optional(std::move(next));
            });
        ASSERT_TRUE(changed);
        // Whoever was told that a change is done sees it.
        const TablePtr seen = catalog().Find("a");
        EXPECT_TRUE(std::any_of(seen->tags.begin(), seen->tags.end(),
                                [&key](const table::Tag& tag) { return tag.key == key; }));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(catalog().Find("a")->tags.size(), size_t{kThreads * kChanges});
}

TEST_F(CatalogTest, DroppingATableRemovesAllOfItAndNothingElse) {
  const TablePtr a = *Create(catalog(), WithIndex(Definition("a")));
  const TablePtr b = *Create(catalog(), WithIndex(Definition("b")));
  for (const char* key : {"1", "2", "3"}) {
    ASSERT_TRUE(Put(a, ItemOf(key)));
    ASSERT_TRUE(Put(b, ItemOf(key)));
  }
  ASSERT_EQ(CountKeys(encoding::TableRange(a->id)), 6u);
  ASSERT_TRUE(Drop(catalog(), "a"));
  EXPECT_EQ(CountKeys(encoding::TableRange(a->id)), 0u);
  EXPECT_EQ(CountKeys(encoding::CountersRange(a->id)), 0u);
  EXPECT_EQ(CountKeys(encoding::TableRange(b->id)), 6u);
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(b->id, 1)), 3);
  // A write that was on its way finds no table.
  const auto late = Put(a, ItemOf("4"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::kResourceNotFound);
  EXPECT_EQ(CountKeys(encoding::TableRange(a->id)), 0u);
}

TEST_F(CatalogTest, DroppingAnIndexRemovesItsEntriesAndCounters) {
  const TablePtr a = *Create(catalog(), WithIndex(Definition("a")));
  ASSERT_TRUE(Put(a, ItemOf("1")));
  ASSERT_EQ(CountKeys(encoding::ItemsRange(a->id, 1)), 1u);
  ASSERT_TRUE(
      catalog().Change("a", [](const TableDefinition* current, uint32_t) -> Catalog::Decision {
        TableDefinition next = *current;
        next.indexes.clear();
        return std::optional(std::move(next));
      }));
  EXPECT_EQ(CountKeys(encoding::ItemsRange(a->id, 1)), 0u);
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(a->id, 1)), 0);
  EXPECT_EQ(CountKeys(encoding::ItemsRange(a->id, encoding::kTableItems)), 1u);
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(a->id, encoding::kTableItems)), 1);
}

TEST_F(CatalogTest, WritesMoreInTheSameCommit) {
  const auto write = [](const storage::Commit&, storage::Batch* batch) {
    batch->Put("more", "yes");
  };
  std::string value;
  const auto refused = catalog().Change(
      "a",
      [](const TableDefinition*, uint32_t) -> Catalog::Decision { return Error::Validation("no"); },
      write);
  EXPECT_FALSE(refused);
  EXPECT_FALSE(*store().Latest().Get("more", &value));
  ASSERT_TRUE(catalog().Change(
      "a",
      [](const TableDefinition*, uint32_t id) -> Catalog::Decision {
        TableDefinition created = Definition("a");
        created.id = id;
        return std::optional(std::move(created));
      },
      write));
  EXPECT_TRUE(*store().Latest().Get("more", &value));
}

// A change that fails on the disk is taken back, whatever other changes of the table are decided
// around it.
TEST(CatalogFaultTest, IsWhatTheStoreIsAfterFailures) {
  constexpr uint64_t kSeed = 20261115;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  storage::FaultOptions faults;
  faults.seed = kSeed;
  faults.fail_update = 0.3;
  faults.repeat_decide = 0.3;
  const auto store = storage::NewFaultyStore(storage::NewMemoryStore(), faults);
  const auto catalog = std::move(Catalog::Open(*store)).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&catalog, i] {
      for (int j = 0; j < 100; ++j) {
        const std::string name = "table-" + std::to_string((i + j) % 2);
        // Some of these fail; they must leave nothing behind.
        (void)catalog->Change(
            name, [&name](const TableDefinition* current, uint32_t id) -> Catalog::Decision {
              if (current != nullptr) return std::optional<TableDefinition>();
              TableDefinition created;
              created.id = id;
              created.name = name;
              created.key.hash = {{"PK", item::Type::kString}};
              return std::optional(std::move(created));
            });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto reopened = Catalog::Open(*store);
  ASSERT_TRUE(reopened);
  EXPECT_EQ((*reopened)->Names(), catalog->Names());
  for (const std::string& name : catalog->Names()) {
    EXPECT_EQ(*(*reopened)->Find(name), *catalog->Find(name));
  }
}

}  // namespace
}  // namespace monotable::engine
