#include "operations/query_fixture.h"

namespace monotable::operations {
namespace {

using expression::ComparisonOperator;
using item::Type;

using QueryErrorsTest = QueryFixture;

TEST_F(QueryErrorsTest, SelectTexts) {
  QueryRequest request = ByPk("p");
  request.table_name = "Missing";  // these checks come first
  request.projection_expression = "a";
  request.select = Select::kAllAttributes;
  EXPECT_EQ(Failure(request),
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES");
  request.select = Select::kCount;
  EXPECT_EQ(Failure(request),
            "Cannot specify the ProjectionExpression when choosing to get only the Count");
  request.projection_expression.reset();
  request.select = Select::kSpecificAttributes;
  EXPECT_EQ(Failure(request),
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES");
  request.select = Select::kAllProjectedAttributes;
  EXPECT_EQ(Failure(request),
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");

  QueryRequest legacy;
  legacy.table_name = "Missing";
  legacy.key_conditions = {{"PK", {ComparisonOperator::kEq, {S("p")}}}};
  legacy.attributes_to_get = Strings{"a"};
  legacy.select = Select::kCount;
  EXPECT_EQ(Failure(legacy),
            "Cannot specify the AttributesToGet when choosing to get only the Count");
}

TEST_F(QueryErrorsTest, ParametersBeforeTheTable) {
  QueryRequest request = ByPk("p");
  request.table_name = "Missing";
  EXPECT_EQ(ErrorText(Query(engine(), request), ErrorCode::kResourceNotFound),
            "Requested resource not found");
  request.key_condition_expression.reset();
  request.attributes.values.reset();
  EXPECT_EQ(Failure(request),
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request.");
  request = ByPk("p");
  request.table_name = "Missing";
  request.key_condition_expression = "PK = ";
  EXPECT_EQ(Failure(request),
            "Invalid KeyConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\"");
  request = ByPk("p");
  request.table_name = "Missing";
  request.attributes.values->emplace(":unused", S("x"));
  EXPECT_EQ(Failure(request),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}");
  request = ByPk("p");
  request.table_name = "Missing";
  request.filter_expression = "due = :undefined";
  EXPECT_EQ(Failure(request),
            "Invalid FilterExpression: An expression attribute value used in expression is not "
            "defined; attribute value: :undefined");
}

TEST_F(QueryErrorsTest, Indexes) {
  QueryRequest request = ByStatus();
  request.index_name = "Other";
  EXPECT_EQ(Failure(request), "The table does not have the specified index: Other");
  request.index_name = "Status";
  request.consistent_read = true;
  EXPECT_EQ(Failure(request), "Consistent reads are not supported on global secondary indexes");

  // Once idle, the background work looks for indexes to fill only when it is woken.
  engine().housekeeping().WaitUntilIdle();
  auto filling = GlobalIndex("New", {{{"g", Type::kString}}, {}});
  filling.status = table::IndexStatus::kCreating;
  Create("Growing", {{{"PK", Type::kString}}, {}}, {filling});
  request = ByExpression("g = :g", {{":g", S("x")}});
  request.table_name = "Growing";
  request.index_name = "New";
  EXPECT_EQ(Failure(request), "Cannot read from backfilling global secondary index: New");
}

TEST_F(QueryErrorsTest, KeyConditionAgainstTheSchema) {
  QueryRequest request = ByExpression("SK = :v", {{":v", S("x")}});
  EXPECT_EQ(Failure(request), "Query condition missed key schema element: PK");
  request = ByPk("p");
  request.index_name = "Inverted";
  EXPECT_EQ(Failure(request), "Query condition missed key schema element: SK");
}

TEST_F(QueryErrorsTest, FilterOnKeyAttributes) {
  QueryRequest request = ByExpression("PK = :pk", {{":pk", S("p")}, {":x", S("x")}});
  request.filter_expression = "title = :x OR SK = :x";
  EXPECT_EQ(Failure(request),
            "Filter Expression can only contain non-primary key attributes: Primary key "
            "attribute: SK");
  request = ByStatus();
  request.filter_expression = "due > :n";
  request.attributes.values->emplace(":n", N("1"));
  EXPECT_EQ(Failure(request),
            "Filter Expression can only contain non-primary key attributes: Primary key "
            "attribute: due");
  request.filter_expression = "SK > :n";
  EXPECT_TRUE(Query(engine(), request));

  QueryRequest legacy;
  legacy.table_name = "T";
  legacy.key_conditions = {{"PK", {ComparisonOperator::kEq, {S("p")}}}};
  legacy.query_filter = {{"SK", {ComparisonOperator::kEq, {S("p")}}}};
  EXPECT_EQ(Failure(legacy),
            "QueryFilter can only contain non-primary key attributes: Primary key attribute: SK");
}

TEST_F(QueryErrorsTest, StartKeys) {
  QueryRequest request = ByExpression("PK = :pk AND SK > :sk", {{":pk", S("p")}, {":sk", S("b")}});
  const auto fails = [&](std::vector<item::Attribute> key) {
    request.exclusive_start_key = MakeItem(std::move(key));
    return Failure(request);
  };
  const std::string invalid = "The provided starting key is invalid";
  EXPECT_EQ(fails({{"PK", S("p")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", N("1")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}, {"x", S("c")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"other", S("c")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("q")}, {"SK", S("c")}}),
            "The provided starting key is outside query boundaries based on provided conditions");
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("b")}}),
            "The provided starting key does not match the range key predicate");
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}}), "(no error)");

  request = ByStatus();
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}}), invalid);
  EXPECT_EQ(fails({{"order-status", S("open")}, {"due", N("1")}}), invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}, {"order-status", S("open")}, {"due", S("1")}}),
            invalid);
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}, {"order-status", S("shut")}, {"due", N("1")}}),
            "The provided starting key is outside query boundaries based on provided conditions");
  EXPECT_EQ(fails({{"PK", S("p")}, {"SK", S("c")}, {"order-status", S("open")}, {"due", N("1")}}),
            "(no error)");
}

}  // namespace
}  // namespace monotable::operations
