#include "operations/items.h"
#include "operations/read_fixture.h"

namespace monotable::operations {
namespace {

using item::Type;

class GetItemTest : public ReadFixture {
 protected:
  GetItemTest() : table_(Create("Music", {{{"PK", Type::kString}}, {{"SK", Type::kNumber}}})) {}

  static GetItemRequest Request() {
    GetItemRequest request;
    request.table_name = "Music";
    request.key = MakeItem({{"PK", S("a")}, {"SK", N("1")}});
    return request;
  }

  engine::TablePtr table_;
};

TEST_F(GetItemTest, AnswersTheStoredBytes) {
  const auto item = MakeItem({{"PK", S("a")}, {"SK", N("1.0")}, {"x", S("y")}});
  Put(table_, item);
  const auto response = GetItem(engine(), Request());
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->item, encoding::EncodeItem(item));
  EXPECT_FALSE(response->consumed_capacity);
}

TEST_F(GetItemTest, AbsentItemIsNoError) {
  auto request = Request();
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = GetItem(engine(), request);
  ASSERT_TRUE(response);
  EXPECT_FALSE(response->item);
  EXPECT_EQ(response->consumed_capacity->total.total, 0.5);
}

TEST_F(GetItemTest, TakesTheArnAndAnswersItBack) {
  Put(table_, Request().key);
  auto request = Request();
  request.table_name = engine().TableArn("Music");
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = GetItem(engine(), request);
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->item);
  EXPECT_EQ(response->consumed_capacity->table_name, request.table_name);
}

TEST_F(GetItemTest, ChargesByFourKilobytes) {
  const struct {
    size_t bytes;
    double eventual;
  } cases[] = {{100, 0.5}, {4096, 0.5}, {4097, 1}, {8192, 1}, {8193, 1.5}};
  for (const auto& [bytes, eventual] : cases) {
    Put(table_, Padded(Request().key, bytes));
    auto request = Request();
    request.projection_expression = "SK";  // does not make it cheaper
    request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
    EXPECT_EQ(GetItem(engine(), request)->consumed_capacity->total.total, eventual) << bytes;
    EXPECT_EQ(GetItem(engine(), request)->consumed_capacity->table.total, eventual) << bytes;
    request.consistent_read = true;
    EXPECT_EQ(GetItem(engine(), request)->consumed_capacity->total.total, 2 * eventual) << bytes;
  }
}

TEST_F(GetItemTest, Projects) {
  Put(table_, MakeItem({{"PK", S("a")}, {"SK", N("1")}, {"x-y", S("1")}, {"z", S("2")}}));
  auto request = Request();
  request.projection_expression = "#x, nothing";
  request.attributes.names = Names{{"#x", "x-y"}};
  const auto response = GetItem(engine(), request);
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->item, encoding::EncodeItem(MakeItem({{"x-y", S("1")}})));

  auto legacy = Request();
  legacy.attributes_to_get = Strings{"x-y"};
  EXPECT_EQ(GetItem(engine(), legacy)->item, response->item);

  auto nothing = Request();
  nothing.projection_expression = "nothing";
  EXPECT_EQ(GetItem(engine(), nothing)->item, encoding::EncodeItem({}));
}

TEST_F(GetItemTest, ChecksTheRequestBeforeTheTable) {
  auto request = Request();
  request.table_name = "Missing";
  EXPECT_EQ(ErrorText(GetItem(engine(), request), ErrorCode::kResourceNotFound),
            "Requested resource not found");

  request.projection_expression = "a b";
  EXPECT_EQ(ErrorText(GetItem(engine(), request)),
            "Invalid ProjectionExpression: Syntax error; token: \"b\", near: \"a b\"");

  request.projection_expression = "a";
  request.attributes.names = Names{{"#unused", "x"}};
  EXPECT_EQ(ErrorText(GetItem(engine(), request)),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}");
}

TEST_F(GetItemTest, ChecksTheKey) {
  auto request = Request();
  request.key = MakeItem({{"PK", S("a")}});
  EXPECT_EQ(ErrorText(GetItem(engine(), request)),
            "The provided key element does not match the schema");
  request.key = MakeItem({{"PK", S("a")}, {"SK", S("1")}});
  EXPECT_EQ(ErrorText(GetItem(engine(), request)),
            "The provided key element does not match the schema");
  request.key = MakeItem({{"PK", S("")}, {"SK", N("1")}});
  EXPECT_EQ(ErrorText(GetItem(engine(), request)),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: PK");
}

}  // namespace
}  // namespace monotable::operations
