#include "operations/query_fixture.h"
#include "operations/query_scan.h"

namespace monotable::operations {
namespace {

using expression::ComparisonOperator;
using item::Type;

using QueryTest = QueryFixture;

TEST_F(QueryTest, PagesInBothDirections) {
  const Strings sorted = {"A", "B#1", "B#2", "B#3", "C"};
  for (const std::string& sk : sorted) PutOrder("p", sk.c_str(), "1");
  PutOrder("q", "B#1", "1");
  for (int64_t limit = 1; limit <= 6; ++limit) {
    QueryRequest request = ByPk("p");
    request.limit = limit;
    EXPECT_EQ(All(request, "SK"), sorted) << limit;
    request.scan_index_forward = false;
    EXPECT_EQ(All(request, "SK"), Strings(sorted.rbegin(), sorted.rend())) << limit;

    QueryRequest begins =
        ByExpression("PK = :pk AND begins_with(SK, :b)", {{":pk", S("p")}, {":b", S("B#")}});
    begins.limit = limit;
    EXPECT_EQ(All(begins, "SK"), (Strings{"B#1", "B#2", "B#3"})) << limit;
    begins.scan_index_forward = false;
    EXPECT_EQ(All(begins, "SK"), (Strings{"B#3", "B#2", "B#1"})) << limit;
  }
  EXPECT_EQ(All(ByExpression("PK = :pk AND SK BETWEEN :a AND :b",
                             {{":pk", S("p")}, {":a", S("B")}, {":b", S("B#2")}}),
                "SK"),
            (Strings{"B#1", "B#2"}));
  EXPECT_EQ(All(ByExpression("PK = :pk AND SK = :s", {{":pk", S("p")}, {":s", S("C")}}), "SK"),
            (Strings{"C"}));
}

TEST_F(QueryTest, TiesOnAnIndexKeyAcrossPages) {
  for (const char* pk : {"a", "b", "c"}) {
    for (const char* sk : {"1", "2"}) PutOrder(pk, sk, "-5");
  }
  PutOrder("z", "1", "-50");
  PutOrder("z", "2", "7");
  Put(table_, MakeItem({{"PK", S("sparse")}, {"SK", S("1")}, {"due", N("0")}}));
  for (int64_t limit = 1; limit <= 9; ++limit) {
    QueryRequest request = ByStatus();
    request.limit = limit;
    Strings keys = All(request, "PK");
    ASSERT_EQ(keys.size(), 8u) << limit;
    EXPECT_EQ(keys.front(), "z");  // -50 comes before -5
    EXPECT_EQ(keys.back(), "z");
    request.scan_index_forward = false;
    Strings reversed = All(request, "PK");
    EXPECT_EQ(reversed, Strings(keys.rbegin(), keys.rend())) << limit;

    // An index without a range key has nothing but ties.
    QueryRequest hash_only = request;
    hash_only.index_name = "StatusOnly";
    EXPECT_EQ(All(hash_only, "SK").size(), 8u) << limit;
  }
  QueryRequest bounded = ByExpression("#s = :s AND due < :d", {{":s", S("open")}, {":d", N("-5")}},
                                      {{"#s", "order-status"}});
  bounded.index_name = "Status";
  EXPECT_EQ(All(bounded, "SK"), (Strings{"1"}));
}

TEST_F(QueryTest, InvertedIndex) {
  for (const char* pk : {"c", "a", "b"}) PutOrder(pk, "META", "1");
  QueryRequest request =
      ByExpression("SK = :sk AND PK >= :pk", {{":sk", S("META")}, {":pk", S("b")}});
  request.index_name = "Inverted";
  request.limit = 1;
  EXPECT_EQ(All(request, "PK"), (Strings{"b", "c"}));
  EXPECT_EQ(Decode(*Run(request).last_evaluated_key),
            MakeItem({{"PK", S("b")}, {"SK", S("META")}}));
}

TEST_F(QueryTest, SeveralKeyAttributes) {
  int i = 0;
  for (const char* month : {"2", "10"}) {
    for (const char* day : {"1", "15", "30"}) {
      Put(table_, MakeItem({{"PK", S("p")},
                            {"SK", S(std::to_string(i++))},
                            {"region", S("eu")},
                            {"year", N("2026")},
                            {"month", N(month)},
                            {"day", N(day)}}));
    }
  }
  QueryRequest request =
      ByExpression("#r = :r AND #y = :y AND #m = :m AND #d > :d",
                   {{":r", S("eu")}, {":y", N("2026")}, {":m", N("2")}, {":d", N("1")}},
                   {{"#r", "region"}, {"#y", "year"}, {"#m", "month"}, {"#d", "day"}});
  request.index_name = "Multi";
  request.limit = 1;
  EXPECT_EQ(All(request, "SK"), (Strings{"1", "2"}));
  QueryRequest whole = ByExpression("#r = :r AND #y = :y", {{":r", S("eu")}, {":y", N("2026")}},
                                    {{"#r", "region"}, {"#y", "year"}});
  whole.index_name = "Multi";
  whole.limit = 4;
  EXPECT_EQ(All(whole, "SK"), (Strings{"0", "1", "2", "3", "4", "5"}));
}

TEST_F(QueryTest, HashOnlyTable) {
  const auto users = Create("Users", {{{"user-id", Type::kNumber}}, {}});
  Put(users, MakeItem({{"user-id", N("-1")}, {"x", S("y")}}));
  QueryRequest request = ByExpression("#u = :u", {{":u", N("-1.0")}}, {{"#u", "user-id"}});
  request.table_name = "Users";
  EXPECT_EQ(All(request, "x"), (Strings{"y"}));
  request.limit = 1;
  EXPECT_EQ(Decode(*Run(request).last_evaluated_key), MakeItem({{"user-id", N("-1")}}));
  request.exclusive_start_key = MakeItem({{"user-id", N("-1")}});
  EXPECT_EQ(Run(request).count, 0);
}

TEST_F(QueryTest, FilterLeavesPagesEmpty) {
  for (const char* sk : {"1", "2", "3", "4"}) PutOrder("p", sk, sk);
  QueryRequest request = ByExpression("PK = :pk", {{":pk", S("p")}, {":four", N("4")}});
  request.filter_expression = "due = :four";
  request.limit = 3;
  const PageResponse page = Run(request);
  EXPECT_EQ(page.count, 0);
  EXPECT_EQ(page.scanned_count, 3);
  EXPECT_TRUE(page.with_items);
  ASSERT_TRUE(page.last_evaluated_key);
  request.exclusive_start_key = Decode(*page.last_evaluated_key);
  EXPECT_EQ(Run(request).count, 1);

  QueryRequest legacy;
  legacy.table_name = "T";
  legacy.key_conditions = {{"PK", {ComparisonOperator::kEq, {S("p")}}},
                           {"SK", {ComparisonOperator::kGt, {S("1")}}}};
  legacy.query_filter = {{"due", {ComparisonOperator::kIn, {N("1"), N("4")}}},
                         {"title", {ComparisonOperator::kNull, {}}}};
  legacy.conditional_operator = expression::ConditionalOperator::kOr;
  legacy.attributes_to_get = Strings{"SK"};
  const PageResponse filtered = Run(legacy);
  EXPECT_EQ(filtered.scanned_count, 3);
  ASSERT_EQ(filtered.items.size(), 1u);
  EXPECT_EQ(Decode(filtered.items[0]), MakeItem({{"SK", S("4")}}));
}

TEST_F(QueryTest, Counts) {
  for (const char* sk : {"1", "2"}) PutOrder("p", sk, sk);
  QueryRequest request = ByPk("p");
  request.select = Select::kCount;
  const PageResponse page = Run(request);
  EXPECT_FALSE(page.with_items);
  EXPECT_TRUE(page.items.empty());
  EXPECT_EQ(page.count, 2);
  EXPECT_EQ(page.scanned_count, 2);
}

TEST_F(QueryTest, AttributesOfIndexes) {
  PutOrder("p", "1", "3");
  QueryRequest request = ByStatus();
  EXPECT_FALSE(Decode(Run(request).items[0]).Contains("body"));
  request.select = Select::kAllProjectedAttributes;
  EXPECT_EQ(Decode(Run(request).items[0]).size(), 5u);
  request.select = Select::kAllAttributes;
  EXPECT_EQ(Failure(request),
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
            "supported for global secondary index Status because its projection type is not ALL");
  request.select.reset();
  request.projection_expression = "title, body, PK, x.y";
  EXPECT_EQ(Failure(request),
            "One or more parameter values were invalid: Global secondary index Status does not "
            "project [body, x]");
  request.projection_expression = "title, PK";
  EXPECT_EQ(Decode(Run(request).items[0]), MakeItem({{"title", S("t")}, {"PK", S("p")}}));
}

TEST_F(QueryTest, LocalIndexReachesBack) {
  for (const char* sk : {"1", "2"}) {
    Put(table_, Padded(MakeItem({{"PK", S("p")}, {"SK", S(sk)}, {"due", N(sk)}}), 5000));
  }
  QueryRequest request = ByPk("p");
  request.index_name = "LSI";
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  const PageResponse projected = Run(request);
  EXPECT_FALSE(Decode(projected.items[0]).Contains("filler"));
  EXPECT_EQ(projected.consumed_capacity->total.total, 0.5);
  EXPECT_EQ(projected.consumed_capacity->table.total, 0);
  EXPECT_EQ(projected.consumed_capacity->local_indexes.at("LSI").total, 0.5);

  request.consistent_read = true;  // local indexes can
  request.select = Select::kAllAttributes;
  const PageResponse all = Run(request);
  EXPECT_TRUE(Decode(all.items[1]).Contains("filler"));
  EXPECT_EQ(all.consumed_capacity->local_indexes.at("LSI").total, 1);
  EXPECT_EQ(all.consumed_capacity->table.total, 4);
  EXPECT_EQ(all.consumed_capacity->total.total, 5);

  request.consistent_read = false;
  request.select.reset();
  request.projection_expression = "filler";
  request.limit = 1;
  const PageResponse pad = Run(request);
  EXPECT_EQ(Decode(pad.items[0]).size(), 1u);
  EXPECT_EQ(pad.consumed_capacity->table.total, 1);
  EXPECT_EQ(Decode(*pad.last_evaluated_key),
            MakeItem({{"PK", S("p")}, {"SK", S("1")}, {"due", N("1")}}));
}

TEST_F(QueryTest, ChargesTheSumOfWhatIsEvaluated) {
  QueryRequest request = ByPk("p");
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  EXPECT_EQ(Run(request).consumed_capacity->total.total, 0.5);
  request.consistent_read = true;
  EXPECT_EQ(Run(request).consumed_capacity->total.total, 1.0);
  request.consistent_read = false;
  for (const char* sk : {"1", "2", "3"}) {
    Put(table_, Padded(MakeItem({{"PK", S("p")}, {"SK", S(sk)}}), 3000));
  }
  EXPECT_EQ(Run(request).consumed_capacity->table.total, 1.5);  // 9,000 bytes are three steps
  request.filter_expression = "attribute_exists(nothing)";
  request.projection_expression = "SK";
  EXPECT_EQ(Run(request).consumed_capacity->total.total, 1.5);

  QueryRequest index = ByStatus();
  index.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  const PageResponse empty = Run(index);
  EXPECT_EQ(empty.consumed_capacity->total.total, 0.5);
  EXPECT_EQ(empty.consumed_capacity->table.total, 0);
  EXPECT_EQ(empty.consumed_capacity->global_indexes.at("Status").total, 0.5);
}

// A start key need not belong to an item: reading goes on after its place.
TEST_F(QueryTest, StartKeyWithoutItem) {
  for (const char* sk : {"a", "c", "e"}) PutOrder("p", sk, "1");
  QueryRequest request = ByPk("p");
  request.exclusive_start_key = MakeItem({{"PK", S("p")}, {"SK", S("b")}});
  EXPECT_EQ(All(request, "SK"), (Strings{"c", "e"}));
  request.scan_index_forward = false;
  EXPECT_EQ(All(request, "SK"), (Strings{"a"}));
}

}  // namespace
}  // namespace monotable::operations
