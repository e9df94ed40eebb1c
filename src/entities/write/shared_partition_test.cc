#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

// Parents that share a partition, so that the partition does not tell whose children they are.
namespace monotable::entities {
namespace {

class SharedPartitionTest : public WriteFixture {
 protected:
  SharedPartitionTest() {
    OpenModel(R"yaml(format: stm/1
model: shop
tables:
  main: {name: shop, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Order:
    path: orders
    id: {attribute: order}
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "ORDER#{order}"}}
    attributes: {customer: string!, order: string!, lines: {type: integer, derive: count(rows)}}
    delete: {cascade: collection}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "LINE#{order}#{number:03}"}}
    attributes: {customer: string!, order: string!, number: integer!}
  Note:
    parent: Order
    path: note
    cardinality: one
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "NOTE#{order}#{number:03}"}}
    attributes: {customer: string!, order: string!, number: integer!}
collections:
  OrderFull: {root: Order, members: {rows: "Line[]"}, partition: "CUSTOMER#{customer}"}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    for (const char* order : {"1", "2"}) {
      EXPECT_TRUE(Write(Change::Kind::kCreate, "Order", Order(order), "{}"));
    }
  }

  static item::Map Order(const std::string& order) {
    return Texts({{"customer", "c"}, {"order", order}});
  }
  Result<WriteAnswer> Add(std::string_view child, const std::string& order, int number) {
    return Write(Change::Kind::kCreate, child, Order(order),
                 R"({"number": )" + std::to_string(number) + "}");
  }
};

TEST_F(SharedPartitionTest, ACascadeLeavesTheChildrenOfOthers) {
  for (const char* order : {"1", "2"}) ASSERT_TRUE(Add("Line", order, 1));
  ASSERT_TRUE(Remove("Order", Order("1"), true));
  EXPECT_EQ(CountItems(), 2u);
  ExpectProblem(Remove("Order", Order("2")), ProblemCode::kRestricted);
}

TEST_F(SharedPartitionTest, ChildrenOfOthersDoNotRestrict) {
  ASSERT_TRUE(Add("Line", "1", 1));
  const auto removed = Remove("Order", Order("2"));
  EXPECT_TRUE(removed) << removed.error().message();
}

TEST_F(SharedPartitionTest, EachParentMayHaveItsOnlyChild) {
  ASSERT_TRUE(Add("Note", "1", 1));
  const auto second = Add("Note", "2", 2);
  ASSERT_TRUE(second) << second.error().message();
  ExpectProblem(Add("Note", "2", 3), ProblemCode::kAlreadyExists);
  EXPECT_EQ(TextOf("Note", Order("1"), "number"), "1");
  EXPECT_EQ(TextOf("Note", Order("2"), "number"), "2");
}

TEST_F(SharedPartitionTest, ParentsCountTheirOwnChildren) {
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(Add("Line", "1", i));
  ASSERT_TRUE(Add("Line", "2", 1));
  EXPECT_EQ(TextOf("Order", Order("1"), "lines"), "3");
  EXPECT_EQ(TextOf("Order", Order("2"), "lines"), "1");
}

}  // namespace
}  // namespace monotable::entities
