#include "engine/key_check.h"

#include <gtest/gtest.h>

namespace monotable::engine {
namespace {

using item::Value;
using table::KeyAttribute;

table::TableDefinition Table() {
  table::TableDefinition table;
  table.key = {{KeyAttribute{"PK", item::Type::kString}},
               {KeyAttribute{"SK", item::Type::kNumber}}};
  table::IndexDefinition index;
  index.name = "GSI2";
  index.key = {{KeyAttribute{"GSI2-PK", item::Type::kString}},
               {KeyAttribute{"when", item::Type::kBinary}}};
  table.indexes = {index};
  return table;
}

item::Item Key(Value pk, Value sk) {
  item::Item key;
  key.Set("PK", std::move(pk));
  key.Set("SK", std::move(sk));
  return key;
}

const Value kOne(item::Number::FromInt(1));

std::string KeyError(const item::Item& key) {
  const Status status = CheckKey(Table(), key);
  return status ? "" : status.error().message();
}

std::string ItemError(const item::Item& item) {
  const Status status = CheckItem(Table(), item);
  return status ? "" : status.error().message();
}

TEST(KeyCheckTest, AKeyIsExactlyTheKeyAttributes) {
  const std::string mismatch = "The provided key element does not match the schema";
  EXPECT_EQ(KeyError(Key(Value("a"), kOne)), "");
  EXPECT_EQ(KeyError(Key(Value("a"), Value("1"))), mismatch);
  item::Item half;
  half.Set("PK", Value("a"));
  EXPECT_EQ(KeyError(half), mismatch);
  item::Item more = Key(Value("a"), kOne);
  more.Set("x", kOne);
  EXPECT_EQ(KeyError(more), mismatch);
  item::Item other = half;
  other.Set("sk", kOne);
  EXPECT_EQ(KeyError(other), mismatch);
}

TEST(KeyCheckTest, KeysAreNeitherEmptyNorTooLong) {
  EXPECT_EQ(KeyError(Key(Value(""), kOne)),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: PK");
  EXPECT_EQ(KeyError(Key(Value(std::string(2048, 'x')), kOne)), "");
  EXPECT_EQ(KeyError(Key(Value(std::string(2049, 'x')), kOne)),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit of2048 bytes");
}

TEST(KeyCheckTest, AnItemIsToldWhatItsKeyLacks) {
  item::Item item;
  item.Set("PK", Value("a"));
  EXPECT_EQ(ItemError(item),
            "One or more parameter values were invalid: Missing the key SK in the item");
  item.Set("SK", Value("a"));
  EXPECT_EQ(ItemError(item),
            "One or more parameter values were invalid: Type mismatch for key SK expected: N "
            "actual: S");
}

TEST(KeyCheckTest, IndexKeysMayBeAbsentButNotWrong) {
  item::Item item = Key(Value("a"), kOne);
  EXPECT_EQ(ItemError(item), "");
  item.Set("GSI2-PK", kOne);
  EXPECT_EQ(ItemError(item),
            "One or more parameter values were invalid: Type mismatch for Index Key GSI2-PK "
            "Expected: S Actual: N IndexName: GSI2");
  EXPECT_TRUE(CheckUpdatedIndexKeys(Table(), item, item));  // as wrong as it was before
  EXPECT_EQ(CheckUpdatedIndexKeys(Table(), {}, item).error().message(),
            "The update expression attempted to update the secondary index key to unsupported "
            "type");
  item.Set("GSI2-PK", Value(""));
  EXPECT_EQ(ItemError(item),
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value. IndexName: GSI2, IndexKey: GSI2-PK");
  item.Set("GSI2-PK", Value("x"));
  item.Set("when", Value(item::Binary{std::string(1025, 'x')}));
  EXPECT_EQ(ItemError(item),
            "One or more parameter values were invalid: Aggregated size of all range keys has "
            "exceeded the size limit of 1024 bytes");
}

TEST(KeyCheckTest, KeyOfTakesTheKeyAlone) {
  item::Item item = Key(Value("a"), kOne);
  item.Set("x", Value("y"));
  EXPECT_EQ(KeyOf(Table(), item), Key(Value("a"), kOne));
}

}  // namespace
}  // namespace monotable::engine
