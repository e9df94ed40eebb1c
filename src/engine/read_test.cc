#include "engine/read.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "encoding/ordered_key.h"
#include "engine/engine_fixture.h"
#include "engine/index_entries.h"
#include "expression/condition.h"
#include "storage/memory/memory_store.h"
#include "work/meter.h"

namespace monotable::engine {
namespace {

using item::Type;
using item::Value;
using storage::Direction;

// A table with the key (p, s), a global index on (g, t) and a local index on (p, l) that keeps
// keys only, in a store without an engine around it.
class ReadPageTest : public testing::Test {
 protected:
  ReadPageTest() {
    table_.id = 1;
    table_.key.hash = {{"p", Type::kString}};
    table_.key.range = {{"s", Type::kNumber}};
    table::IndexDefinition local;
    local.id = 1;
    local.name = "local";
    local.kind = table::IndexKind::kLocal;
    local.key.hash = {{"p", Type::kString}};
    local.key.range = {{"l", Type::kNumber}};
    local.projection.type = table::ProjectionType::kKeysOnly;
    table::IndexDefinition global;
    global.id = 2;
    global.name = "global";
    global.key.hash = {{"g", Type::kString}};
    global.key.range = {{"t", Type::kNumber}};
    table_.indexes = {local, global};
  }

  static item::Item Key(const char* partition, int64_t sort) {
    item::Item key;
    key.Set("p", Value(partition));
    key.Set("s", N(sort));
    return key;
  }

  void Put(const item::Item& item) {
    const auto encoded = encoding::EncodeItem(item);
    const std::string key = encoding::ItemKey(table_, item);
    const auto written = storage::UpdateAndWait(
        *store_, {key}, [&](auto, const storage::Commit&, storage::Batch* batch) {
          batch->Put(key, encoded.bytes);
          for (const auto& index : table_.indexes) {
            const encoding::AttributeLookup lookup{encoding::ItemView(encoded)};
            UpdateIndex(table_, index, nullptr, &lookup, batch);
          }
        });
    ASSERT_TRUE(written);
  }

  // Items (x, 0), …, (x, count - 1); n is the sort key, and t the same for each three in a row.
  void PutMany(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      item::Item item = Key("x", i);
      item.Set("n", N(i));
      item.Set("l", N(-i));
      item.Set("g", Value("y"));
      item.Set("t", N(i / 3));
      Put(item);
    }
  }

  PageRequest Request(const table::IndexDefinition* index = nullptr) const {
    const Value partition(index != nullptr && index->key.hash[0].name == "g" ? "y" : "x");
    const Value* hash[] = {&partition};
    const std::string prefix =
        encoding::PartitionPrefix(table_.id, index == nullptr ? 0 : index->id, hash);
    return {.table = table_, .index = index, .range = {prefix, encoding::PrefixEnd(prefix)}};
  }

  const table::IndexDefinition& local() const { return table_.indexes[0]; }
  const table::IndexDefinition& global() const { return table_.indexes[1]; }

  Page Read(const PageRequest& request) const {
    auto page = ReadPage(store_->Latest(), request);
    EXPECT_TRUE(page) << page.error().message();
    return page ? *std::move(page) : Page{};
  }

  static int64_t Attribute(const encoding::EncodedItem& item, const char* name) {
    int64_t number = -1;
    const auto value = encoding::ItemView(item).Find(name);
    EXPECT_TRUE(value) << name;
    if (!value) return -1;
    EXPECT_TRUE(value->Decode()->number().ToInt64(&number));
    return number;
  }

  // Reads page after page until the range is exhausted.
  std::vector<int64_t> ReadAll(PageRequest request, int* pages) const {
    std::vector<int64_t> numbers;
    for (*pages = 1;; ++*pages) {
      const Page page = Read(request);
      for (const auto& item : page.items) numbers.push_back(Attribute(item, "n"));
      if (!page.last_evaluated_key) return numbers;
      const auto key = encoding::DecodeItem(page.last_evaluated_key->bytes);
      EXPECT_TRUE(key);
      const std::string stored = request.index == nullptr
                                     ? encoding::ItemKey(table_, *key)
                                     : *encoding::IndexKey(table_, *request.index, *key);
      StartAfter(stored, request.direction, &request.range);
    }
  }

  table::TableDefinition table_;
  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
};

TEST_F(ReadPageTest, PointReads) {
  item::Item item = Key("x", 5);
  item.Set("a", Value("text"));
  Put(item);
  const auto found = ReadItem(store_->Latest(), encoding::ItemKey(table_, Key("x", 5)));
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(**found, encoding::EncodeItem(item));
  const auto absent = ReadItem(store_->Latest(), encoding::ItemKey(table_, Key("x", 6)));
  ASSERT_TRUE(absent);
  EXPECT_FALSE(absent->has_value());
}

TEST_F(ReadPageTest, EveryPageSizeInBothDirections) {
  constexpr int64_t kItems = 10;
  PutMany(kItems);
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    for (const auto* index : {static_cast<const table::IndexDefinition*>(nullptr), &global()}) {
      for (int64_t limit = 1; limit <= kItems + 1; ++limit) {
        PageRequest request = Request(index);
        request.direction = direction;
        request.limit = limit;
        int pages = 0;
        std::vector<int64_t> numbers = ReadAll(request, &pages);
        if (direction == Direction::kBackward) std::reverse(numbers.begin(), numbers.end());
        EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << limit;
        EXPECT_EQ(pages, kItems / limit + 1) << limit;
      }
    }
  }
}

TEST_F(ReadPageTest, LimitOnTheLastEntryStillGivesAKey) {
  PutMany(3);
  PageRequest request = Request();
  request.limit = 3;
  const Page full = Read(request);
  EXPECT_EQ(full.scanned_count, 3);
  ASSERT_TRUE(full.last_evaluated_key);
  EXPECT_EQ(*full.last_evaluated_key, encoding::EncodeItem(Key("x", 2)));
  request.limit = 4;
  EXPECT_FALSE(Read(request).last_evaluated_key);
}

TEST_F(ReadPageTest, KeyOfAnIndexPageHasBothKeys) {
  PutMany(4);
  PageRequest request = Request(&global());
  request.limit = 2;
  item::Item expected = Key("x", 1);
  expected.Set("g", Value("y"));
  expected.Set("t", N(0));
  EXPECT_EQ(Read(request).last_evaluated_key, encoding::EncodeItem(expected));
}

TEST_F(ReadPageTest, LimitCountsWhatTheFilterDrops) {
  PutMany(9);
  item::Value seven = N(7);
  expression::Substitutions substitutions(std::nullopt, {{{":seven", seven}}});
  const auto filter =
      expression::ParseCondition("n = :seven", expression::ConditionKind::kFilter, substitutions);
  ASSERT_TRUE(filter) << filter.error().message();
  PageRequest request = Request();
  request.filter = &*filter;
  request.limit = 4;
  const Page empty = Read(request);
  EXPECT_TRUE(empty.items.empty());
  EXPECT_EQ(empty.count, 0);
  EXPECT_EQ(empty.scanned_count, 4);
  EXPECT_EQ(empty.last_evaluated_key, encoding::EncodeItem(Key("x", 3)));
  int pages = 0;
  EXPECT_EQ(ReadAll(request, &pages), (std::vector<int64_t>{7}));
  EXPECT_EQ(pages, 3);
}

TEST_F(ReadPageTest, CountingKeepsNoItems) {
  PutMany(5);
  PageRequest request = Request();
  request.keep_items = false;
  const Page page = Read(request);
  EXPECT_TRUE(page.items.empty());
  EXPECT_EQ(page.count, 5);
  EXPECT_EQ(page.scanned_count, 5);
  EXPECT_GT(page.bytes, 0u);
  request.limit = 2;
  EXPECT_EQ(Read(request).last_evaluated_key, encoding::EncodeItem(Key("x", 1)));
}

TEST_F(ReadPageTest, Projects) {
  PutMany(2);
  expression::Substitutions substitutions;
  const auto projection = expression::ParseProjection("n, nothing", substitutions);
  ASSERT_TRUE(projection) << projection.error().message();
  PageRequest request = Request();
  request.projection = &*projection;
  request.limit = 2;
  const Page page = Read(request);
  ASSERT_EQ(page.items.size(), 2u);
  item::Item expected;
  expected.Set("n", N(1));
  EXPECT_EQ(page.items[1], encoding::EncodeItem(expected));
  // Charged and positioned by the whole entry, not by what is left of it.
  EXPECT_GT(page.bytes, 2 * encoding::ItemView(page.items[0]).ChargedSize());
  EXPECT_EQ(page.last_evaluated_key, encoding::EncodeItem(Key("x", 1)));
}

// A page of a filter that looks at much stops where its meter says, whatever the filter keeps.
TEST_F(ReadPageTest, StopsWhenItsWorkIsStopped) {
  for (int64_t i = 0; i < 20; ++i) {
    item::Item item = Key("x", i);
    item.Set("letters", Value(std::string(10'000, 'a')));
    Put(item);
  }
  expression::Substitutions substitutions(std::nullopt, {{{":b", Value("b")}}});
  const auto filter = expression::ParseCondition("contains(letters, :b) OR contains(letters, :b)",
                                                 expression::ConditionKind::kFilter, substitutions);
  ASSERT_TRUE(filter) << filter.error().message();
  PageRequest request = Request();
  request.filter = &*filter;
  uint64_t whole = 0;
  {
    const work::Meter meter(size_t{1} << 40);
    EXPECT_EQ(Read(request).scanned_count, 20);
    whole = meter.used();
    EXPECT_FALSE(meter.stopped());
  }
  // Each entry is read once and looked at twice.
  EXPECT_GT(whole, 20u * 30'000);
  EXPECT_LT(whole, 20u * 70'000);
  {
    const work::Meter meter(whole / 2);
    EXPECT_FALSE(ReadPage(store_->Latest(), request));
    EXPECT_TRUE(meter.stopped());
    // It stops near its limit and does not walk to the end.
    EXPECT_LT(meter.used(), whole / 2 + 100'000);
  }
  {
    const work::Meter meter(500);
    EXPECT_FALSE(ReadItem(store_->Latest(), encoding::ItemKey(table_, Key("x", 1))));
    EXPECT_TRUE(meter.stopped());
  }
}

class PageSizeTest : public ReadPageTest {
 protected:
  // An item of exactly so many charged bytes.
  item::Item Sized(int64_t sort, size_t bytes) const {
    item::Item item = Key("x", sort);
    const size_t rest = encoding::ItemView(encoding::EncodeItem(item)).ChargedSize() + 3;
    item.Set("pad", Value(std::string(bytes - rest, 'z')));
    return item;
  }
};

TEST_F(PageSizeTest, LeavesOutTheEntryThatWouldCross) {
  for (int64_t i = 1; i <= 3; ++i) Put(Sized(i, 400000));
  for (const bool keep : {true, false}) {
    PageRequest request = Request();
    request.keep_items = keep;
    const Page page = Read(request);
    EXPECT_EQ(page.scanned_count, 2);
    EXPECT_EQ(page.bytes, 800000u);
    EXPECT_EQ(page.last_evaluated_key, encoding::EncodeItem(Key("x", 2)));
  }
}

TEST_F(PageSizeTest, EndsWithTheEntryThatReachesTheLimit) {
  Put(Sized(1, 400000));
  Put(Sized(2, 400000));
  Put(Sized(3, kMaxPageBytes - 800000));
  const Page full = Read(Request());
  EXPECT_EQ(full.scanned_count, 3);
  EXPECT_EQ(full.bytes, kMaxPageBytes);
  EXPECT_EQ(full.last_evaluated_key, encoding::EncodeItem(Key("x", 3)));

  Put(Sized(3, kMaxPageBytes - 800000 - 1));
  EXPECT_FALSE(Read(Request()).last_evaluated_key);
  Put(Sized(3, kMaxPageBytes - 800000 + 1));
  EXPECT_EQ(Read(Request()).scanned_count, 2);
}

TEST_F(PageSizeTest, FetchesFromTheTableForALocalIndex) {
  for (int64_t i = 1; i <= 3; ++i) {
    item::Item item = Sized(i, 300000);
    item.Set("l", N(-i));
    Put(item);
  }
  PageRequest request = Request(&local());
  const Page keys_only = Read(request);
  ASSERT_EQ(keys_only.items.size(), 3u);
  EXPECT_LT(keys_only.bytes, 100u);
  EXPECT_TRUE(keys_only.fetched_bytes.empty());

  request.fetch_from_table = true;
  const auto snapshot = store_->Snapshot();
  const auto fetched = ReadPage(*snapshot, request);
  ASSERT_TRUE(fetched) << fetched.error().message();
  ASSERT_EQ(fetched->items.size(), 3u);
  EXPECT_EQ(Attribute(fetched->items[0], "s"), 3);
  EXPECT_TRUE(encoding::ItemView(fetched->items[0]).Find("pad"));
  EXPECT_EQ(fetched->bytes, keys_only.bytes);
  ASSERT_EQ(fetched->fetched_bytes.size(), 3u);
  EXPECT_GT(fetched->fetched_bytes[0], 300000u);

  // Fetched items count towards the size of a page, too.
  for (int64_t i = 4; i <= 6; ++i) {
    item::Item item = Sized(i, 300000);
    item.Set("l", N(-i));
    Put(item);
  }
  const auto later = store_->Snapshot();
  const auto page = ReadPage(*later, request);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->scanned_count, 4);
  EXPECT_TRUE(page->last_evaluated_key);
}

TEST_F(PageSizeTest, FetchesForTheFilterAlone) {
  item::Item item = Sized(1, 1000);
  item.Set("l", N(1));
  Put(item);
  PageRequest request = Request(&local());
  const Page keys_only = Read(request);

  expression::Substitutions substitutions({{{"#pad", "pad"}}}, std::nullopt);
  const auto filter = expression::ParseCondition("attribute_exists(#pad)",
                                                 expression::ConditionKind::kFilter, substitutions);
  ASSERT_TRUE(filter) << filter.error().message();
  request.filter = &*filter;
  EXPECT_TRUE(Read(request).items.empty());
  request.fetch_from_table = true;
  request.keep_fetched = false;
  const auto snapshot = store_->Snapshot();
  const auto page = ReadPage(*snapshot, request);
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->items, keys_only.items);
  EXPECT_EQ(page->fetched_bytes.size(), 1u);
}

TEST_F(ReadPageTest, DamagedEntriesAreErrors) {
  const std::string key = encoding::ItemKey(table_, Key("x", 1));
  ASSERT_TRUE(storage::UpdateAndWait(
      *store_, {key}, [&](auto, const auto&, storage::Batch* batch) { batch->Put(key, "\x05"); }));
  PageRequest request = Request();
  request.limit = 1;
  const auto page = ReadPage(store_->Latest(), request);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code(), ErrorCode::kInternal);
}

}  // namespace
}  // namespace monotable::engine
