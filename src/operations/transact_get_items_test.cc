#include "operations/read_fixture.h"
#include "operations/transactions.h"

namespace monotable::operations {
namespace {

using item::Type;

class TransactGetItemsTest : public ReadFixture {
 protected:
  TransactGetItemsTest()
      : one_(Create("One", {{{"p", Type::kString}}, {}})),
        two_(Create("Two", {{{"p", Type::kString}}, {}})) {}

  static TransactGet Get(std::string table, const char* key) {
    TransactGet get;
    get.table_name = std::move(table);
    get.key = MakeItem({{"p", S(key)}});
    return get;
  }

  engine::TablePtr one_;
  engine::TablePtr two_;
};

TEST_F(TransactGetItemsTest, AnswersInOrderWithCapacityByTable) {
  Put(one_, MakeItem({{"p", S("a")}, {"x", S("1")}, {"y", S("2")}}));
  Put(two_, Padded(MakeItem({{"p", S("b")}}), 5000));
  TransactGetItemsRequest request;
  request.gets = {Get("Two", "b"), Get("One", "a"), Get("One", "absent")};
  request.gets[1].projection_expression = "y";
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  const auto response = TransactGetItems(engine(), request);
  ASSERT_TRUE(response) << response.error().message();
  ASSERT_EQ(response->items.size(), 3u);
  EXPECT_TRUE(response->items[0]);
  EXPECT_EQ(Decode(*response->items[1]), MakeItem({{"y", S("2")}}));
  EXPECT_FALSE(response->items[2]);
  ASSERT_EQ(response->consumed_capacity.size(), 2u);
  EXPECT_EQ(response->consumed_capacity[0].table_name, "Two");
  EXPECT_EQ(response->consumed_capacity[0].total.total, 4.0);
  EXPECT_EQ(response->consumed_capacity[0].total.read, 4.0);
  EXPECT_TRUE(response->consumed_capacity[0].print_split);
  EXPECT_EQ(response->consumed_capacity[1].table.total, 4.0);
  EXPECT_EQ(response->consumed_capacity[1].table.read, 4.0);
}

TEST_F(TransactGetItemsTest, RefusesTheSameItemTwice) {
  TransactGetItemsRequest request;
  request.gets = {Get("One", "a"), Get("Two", "a"), Get(engine().TableArn("One"), "a")};
  EXPECT_EQ(ErrorText(TransactGetItems(engine(), request)),
            "Transaction request cannot include multiple operations on one item");
  request.gets.pop_back();
  EXPECT_TRUE(TransactGetItems(engine(), request));
}

TEST_F(TransactGetItemsTest, WrongKeysCancel) {
  TransactGetItemsRequest request;
  request.gets = {Get("One", "a"), Get("One", "b")};
  request.gets[1].key = MakeItem({{"q", S("b")}});
  const auto response = TransactGetItems(engine(), request);
  EXPECT_EQ(ErrorText(response, ErrorCode::kTransactionCanceled),
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[None, ValidationError]");
  const auto* detail =
      dynamic_cast<const TransactionCanceledDetail*>(response.error().detail().get());
  ASSERT_NE(detail, nullptr);
  ASSERT_EQ(detail->reasons.size(), 2u);
  EXPECT_EQ(detail->reasons[0].code, "None");
  EXPECT_EQ(detail->reasons[1].message, "The provided key element does not match the schema");
}

TEST_F(TransactGetItemsTest, ExpressionsBeforeTablesBeforeKeys) {
  TransactGetItemsRequest request;
  request.gets = {Get("One", "a"), Get("Missing", "b")};
  request.gets[0].key = MakeItem({{"q", S("b")}});
  EXPECT_EQ(ErrorText(TransactGetItems(engine(), request), ErrorCode::kResourceNotFound),
            "Requested resource not found");
  request.gets[1].attributes.names = Names{{"#a", "a"}};
  EXPECT_EQ(ErrorText(TransactGetItems(engine(), request)),
            "ExpressionAttributeNames can only be specified when using expressions");
}

TEST_F(TransactGetItemsTest, ReadsAtMostFourMegabytes) {
  TransactGetItemsRequest request;
  for (int i = 0; i < 11; ++i) {
    const std::string key = "k" + std::to_string(i);
    Put(one_, Padded(MakeItem({{"p", S(key)}}), 400000));
    request.gets.push_back(Get("One", key.c_str()));
  }
  EXPECT_EQ(ErrorText(TransactGetItems(engine(), request)),
            "The aggregate size of the items in the transaction exceeds 4 MB");
  request.gets.pop_back();
  EXPECT_TRUE(TransactGetItems(engine(), request));
}

}  // namespace
}  // namespace monotable::operations
