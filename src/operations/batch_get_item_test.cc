#include "operations/batches.h"
#include "operations/read_fixture.h"

namespace monotable::operations {
namespace {

using item::Type;

class BatchGetItemTest : public ReadFixture {
 protected:
  BatchGetItemTest()
      : one_(Create("One", {{{"p", Type::kString}}, {}})),
        two_(Create("Two", {{{"p", Type::kString}}, {{"s", Type::kString}}})) {}

  static item::Item One(int i) { return MakeItem({{"p", S("k" + std::to_string(i))}}); }
  static item::Item Two(const char* s) { return MakeItem({{"p", S("k")}, {"s", S(s)}}); }

  engine::TablePtr one_;
  engine::TablePtr two_;
};

TEST_F(BatchGetItemTest, ReadsTablesWithTheirOwnProjections) {
  Put(one_, MakeItem({{"p", S("k1")}, {"a", S("1")}}));
  Put(two_, MakeItem({{"p", S("k")}, {"s", S("x")}, {"a", S("2")}}));
  BatchGetItemRequest request;
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  KeysAndAttributes one;
  one.keys = {One(1), One(2)};
  KeysAndAttributes two;
  two.keys = {Two("x")};
  two.consistent_read = true;
  two.projection_expression = "#a";
  two.attributes.names = Names{{"#a", "a"}};
  request.tables = {{"One", one}, {"Two", two}};
  const auto response = BatchGetItem(engine(), request);
  ASSERT_TRUE(response) << response.error().message();
  ASSERT_EQ(response->responses.size(), 2u);
  EXPECT_EQ(response->responses[0].first, "One");
  ASSERT_EQ(response->responses[0].second.size(), 1u);  // the absent item is left out
  EXPECT_EQ(Decode(response->responses[0].second[0]), MakeItem({{"p", S("k1")}, {"a", S("1")}}));
  EXPECT_EQ(Decode(response->responses[1].second[0]), MakeItem({{"a", S("2")}}));
  EXPECT_TRUE(response->unprocessed.empty());
  ASSERT_EQ(response->consumed_capacity.size(), 2u);
  EXPECT_EQ(response->consumed_capacity[0].total.total, 1.0);  // absent items are charged, too
  EXPECT_EQ(response->consumed_capacity[1].total.total, 1.0);
}

TEST_F(BatchGetItemTest, RefusesDuplicatesAlsoByArn) {
  BatchGetItemRequest request;
  KeysAndAttributes keys;
  keys.keys = {One(1), One(2), One(1)};
  request.tables = {{"One", keys}};
  EXPECT_EQ(ErrorText(BatchGetItem(engine(), request)),
            "Provided list of item keys contains duplicates");
  keys.keys = {One(1)};
  request.tables = {{"One", keys}, {engine().TableArn("One"), keys}};
  EXPECT_EQ(ErrorText(BatchGetItem(engine(), request)),
            "Provided list of item keys contains duplicates");
  request.tables[1].second.keys = {One(2)};
  Put(one_, One(2));
  const auto response = BatchGetItem(engine(), request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->responses[1].first, engine().TableArn("One"));
  EXPECT_EQ(response->responses[1].second.size(), 1u);
}

TEST_F(BatchGetItemTest, Errors) {
  BatchGetItemRequest request;
  KeysAndAttributes keys;
  keys.keys = {One(1)};
  request.tables = {{"One", keys}, {"Missing", keys}};
  EXPECT_EQ(ErrorText(BatchGetItem(engine(), request), ErrorCode::kResourceNotFound),
            "Requested resource not found");
  request.tables = {{"Two", keys}};
  EXPECT_EQ(ErrorText(BatchGetItem(engine(), request)),
            "The provided key element does not match the schema");
  keys.keys.clear();
  for (int i = 0; i < 60; ++i) keys.keys.push_back(One(i));
  request.tables = {{"One", keys}, {"Missing", keys}};
  EXPECT_EQ(ErrorText(BatchGetItem(engine(), request)),
            "Too many items requested for the BatchGetItem call");
}

// 41 items of 400 KB are 16.8 MB decimal: the last ones do not fit and come back.
TEST_F(BatchGetItemTest, GivesBackWhatDoesNotFit) {
  constexpr size_t kItemBytes = 409600;
  constexpr size_t kFitting = 16 * 1024 * 1024 / kItemBytes;
  KeysAndAttributes keys;
  for (int i = 0; i < 43; ++i) {
    Put(one_, Padded(One(i), kItemBytes));
    keys.keys.push_back(One(i));
  }
  keys.consistent_read = true;
  keys.attributes_to_get = Strings{"p"};
  KeysAndAttributes after;
  after.keys = {Two("x")};
  BatchGetItemRequest request;
  request.tables = {{"One", keys}, {"Two", after}};
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = BatchGetItem(engine(), request);
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->responses[0].second.size(), kFitting);
  EXPECT_EQ(response->consumed_capacity[0].total.total, 100.0 * kFitting);
  EXPECT_EQ(response->consumed_capacity[1].total.total, 0.0);
  ASSERT_EQ(response->unprocessed.size(), 2u);
  const KeysAndAttributes& rest = response->unprocessed[0].second;
  EXPECT_EQ(rest.keys, std::vector<item::Item>(keys.keys.begin() + kFitting, keys.keys.end()));
  EXPECT_TRUE(rest.consistent_read);
  EXPECT_EQ(rest.attributes_to_get, keys.attributes_to_get);
  EXPECT_EQ(response->unprocessed[1].second.keys, after.keys);

  request.tables = response->unprocessed;
  const auto again = BatchGetItem(engine(), request);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->responses[0].second.size(), 43 - kFitting);
  EXPECT_TRUE(again->unprocessed.empty());
}

}  // namespace
}  // namespace monotable::operations
