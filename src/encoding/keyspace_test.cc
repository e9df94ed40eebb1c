#include "encoding/keyspace.h"

#include <set>

#include <gtest/gtest.h>

namespace monotable::encoding {
namespace {

using item::Value;
using table::KeyAttribute;

table::TableDefinition Orders() {
  table::TableDefinition table;
  table.id = 7;
  table.name = "orders";
  table.key = {{KeyAttribute{"PK", item::Type::kString}},
               {KeyAttribute{"SK", item::Type::kString}}};
  table::IndexDefinition inverted;
  inverted.id = 1;
  inverted.name = "GSI1";
  inverted.key = {{KeyAttribute{"SK", item::Type::kString}},
                  {KeyAttribute{"PK", item::Type::kString}}};
  table::IndexDefinition by_number;
  by_number.id = 2;
  by_number.name = "by-amount";
  by_number.key = {{KeyAttribute{"GSI2-PK", item::Type::kString}},
                   {KeyAttribute{"amount", item::Type::kNumber}}};
  table.indexes = {inverted, by_number};
  return table;
}

item::Item Order(const std::string& pk, const std::string& sk) {
  item::Item item;
  item.Set("PK", Value(pk));
  item.Set("SK", Value(sk));
  return item;
}

bool Holds(const storage::Range& range, const std::string& key) {
  return key >= range.begin && (range.end.empty() || key < range.end);
}

TEST(KeyspaceTest, APartitionIsOneRangeSortedBySortKey) {
  const auto table = Orders();
  const Value pk("COMPANY#1/ç");
  const Value* const hash[] = {&pk};
  const std::string prefix = PartitionPrefix(table.id, kTableItems, hash);
  std::string last;
  for (const char* sk : {"ITEM#1", "ITEM#10", "ITEM#2", "META"}) {
    const std::string key = ItemKey(table, Order(pk.string(), sk));
    EXPECT_TRUE(key.starts_with(prefix));
    EXPECT_LT(last, key);
    last = key;
  }
  EXPECT_FALSE(ItemKey(table, Order("COMPANY#1/ç2", "ITEM#1")).starts_with(prefix));
}

TEST(KeyspaceTest, IndexEntriesAreSparse) {
  const auto table = Orders();
  item::Item item = Order("a", "b");
  EXPECT_TRUE(IndexKey(table, table.indexes[0], item));
  EXPECT_FALSE(IndexKey(table, table.indexes[1], item));
  item.Set("GSI2-PK", Value("x"));
  EXPECT_FALSE(IndexKey(table, table.indexes[1], item));
  item.Set("amount", Value("of another type"));
  EXPECT_FALSE(IndexKey(table, table.indexes[1], item));
  item.Set("amount", Value(item::Number::FromInt(5)));
  const auto key = IndexKey(table, table.indexes[1], item);
  ASSERT_TRUE(key);
  EXPECT_EQ(IndexKey(table, table.indexes[1], AttributeLookup(ItemView(EncodeItem(item)))), key);
  item.Set("GSI2-PK", Value(""));
  EXPECT_FALSE(IndexKey(table, table.indexes[1], item));
  item.Set("GSI2-PK", Value(std::string(2049, 'x')));
  EXPECT_FALSE(IndexKey(table, table.indexes[1], item));
}

TEST(KeyspaceTest, EntriesWithEqualIndexKeysStayApart) {
  const auto table = Orders();
  std::set<std::string> keys;
  for (const char* pk : {"a", "b"}) {
    for (const char* sk : {"1", "2"}) {
      item::Item item = Order(pk, sk);
      item.Set("GSI2-PK", Value("same"));
      item.Set("amount", Value(item::Number::FromInt(1)));
      keys.insert(*IndexKey(table, table.indexes[1], item));
    }
  }
  EXPECT_EQ(keys.size(), 4);
}

TEST(KeyspaceTest, SegmentsDivideATableExactly) {
  const auto table = Orders();
  for (const uint32_t total : {1U, 2U, 3U, 7U, 64U, 1000000U}) {
    const storage::Range all = ItemsRange(table.id, kTableItems);
    std::string at = all.begin;
    const uint32_t step = total > 1000 ? total / 1000 : 1;
    EXPECT_EQ(SegmentRange(table.id, kTableItems, 0, total).begin, all.begin);
    EXPECT_EQ(SegmentRange(table.id, kTableItems, total - 1, total).end, all.end);
    for (uint32_t segment = 0; segment + 1 < total; segment += step) {
      EXPECT_EQ(SegmentRange(table.id, kTableItems, segment, total).end,
                SegmentRange(table.id, kTableItems, segment + 1, total).begin);
    }
  }
  std::vector<int> found(4);
  for (int i = 0; i < 4000; ++i) {
    const std::string key = ItemKey(table, Order("p" + std::to_string(i), "s"));
    for (uint32_t segment = 0; segment < 4; ++segment) {
      if (Holds(SegmentRange(table.id, kTableItems, segment, 4), key)) ++found[segment];
    }
  }
  EXPECT_EQ(found[0] + found[1] + found[2] + found[3], 4000);
  for (const int count : found) EXPECT_GT(count, 800);  // the hash spreads
}

TEST(KeyspaceTest, TablesAndAreasDoNotOverlap) {
  auto table = Orders();
  const std::string key = ItemKey(table, Order("a", "b"));
  EXPECT_TRUE(Holds(TableRange(7), key));
  EXPECT_FALSE(Holds(TableRange(8), key));
  EXPECT_FALSE(Holds(TableRange(6), key));
  EXPECT_TRUE(Holds(ChangesRange(7), ChangeKey(7, 3, {5, UINT64_MAX, 99})));
  EXPECT_FALSE(Holds(ChangesRange(7), ChangeKey(8, 0, {})));
  EXPECT_FALSE(Holds(ChangesRange(7, 1), ChangeKey(7, 2, {})));
  EXPECT_TRUE(Holds(ChangesRange(7, 2), ChangeKey(7, 2, {})));
  EXPECT_LT(ChangeKey(7, 0, {1, 1, 2}), ChangeKey(7, 0, {1, 1, 10}));
  EXPECT_LT(ChangeKey(7, 0, {1, 255, 0}), ChangeKey(7, 0, {1, 256, 0}));
  EXPECT_LT(ChangeKey(7, 0, {255, 9, 0}), ChangeKey(7, 0, {256, 1, 0}));
  const ChangePosition position{1'700'000'000'123, 1ULL << 50, 77};
  EXPECT_EQ(DecodeChangeKey(ChangeKey(7, 1, position)), position);
  EXPECT_FALSE(DecodeChangeKey(ChangeKey(7, 1, position).substr(1)));
  EXPECT_TRUE(Holds(CountersRange(7), ItemCountKey(7, 3)));
  EXPECT_TRUE(Holds(CountersRange(7), CollectionBytesKey(7, key)));
  EXPECT_TRUE(Holds(TokensBefore(10), TokenKey(9, "zzz")));
  EXPECT_FALSE(Holds(TokensBefore(10), TokenKey(10, "a")));
}

}  // namespace
}  // namespace monotable::encoding
