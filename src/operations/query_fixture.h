#pragma once

#include <string>
#include <utility>

#include "operations/query_scan.h"
#include "operations/read_fixture.h"

namespace monotable::operations {

// A single-table design: PK and SK, an inverted index, a sparse index by status that keeps some
// attributes, and one by two plus two attributes. Attribute names have hyphens where they can.
class QueryFixture : public ReadFixture {
 protected:
  QueryFixture()
      : table_(Create(
            "T", {{{"PK", item::Type::kString}}, {{"SK", item::Type::kString}}},
            {LocalIndex("LSI", {{{"PK", item::Type::kString}}, {{"due", item::Type::kNumber}}},
                        {table::ProjectionType::kInclude, {"title"}}),
             GlobalIndex("Inverted",
                         {{{"SK", item::Type::kString}}, {{"PK", item::Type::kString}}}),
             GlobalIndex("Status",
                         {{{"order-status", item::Type::kString}}, {{"due", item::Type::kNumber}}},
                         {table::ProjectionType::kInclude, {"title"}}),
             GlobalIndex("StatusOnly", {{{"order-status", item::Type::kString}}, {}},
                         {table::ProjectionType::kKeysOnly, {}}),
             GlobalIndex("Multi",
                         {{{"region", item::Type::kString}, {"year", item::Type::kNumber}},
                          {{"month", item::Type::kNumber}, {"day", item::Type::kNumber}}})})) {}

  void PutOrder(const char* pk, const char* sk, const char* due) {
    Put(table_, MakeItem({{"PK", S(pk)},
                          {"SK", S(sk)},
                          {"due", N(due)},
                          {"order-status", S("open")},
                          {"title", S("t")},
                          {"body", S("b")}}));
  }

  static QueryRequest ByExpression(std::string expression, Values values, Names names = {}) {
    QueryRequest request;
    request.table_name = "T";
    request.key_condition_expression = std::move(expression);
    request.attributes.values = std::move(values);
    if (!names.empty()) request.attributes.names = std::move(names);
    return request;
  }

  static QueryRequest ByPk(const char* pk) { return ByExpression("PK = :pk", {{":pk", S(pk)}}); }

  static QueryRequest ByStatus() {
    QueryRequest request = ByExpression("#s = :s", {{":s", S("open")}}, {{"#s", "order-status"}});
    request.index_name = "Status";
    return request;
  }

  PageResponse Run(const QueryRequest& request) {
    auto response = Query(engine(), request);
    EXPECT_TRUE(response) << response.error().message();
    return response ? *std::move(response) : PageResponse{};
  }

  // The values of a string attribute over all pages.
  Strings All(QueryRequest request, const char* attribute) {
    Strings values;
    for (;;) {
      const PageResponse page = Run(request);
      EXPECT_EQ(page.count, static_cast<int64_t>(page.items.size()));
      for (const auto& item : page.items) {
        values.emplace_back(encoding::ItemView(item).Find(attribute)->scalar());
      }
      if (!page.last_evaluated_key) return values;
      request.exclusive_start_key = Decode(*page.last_evaluated_key);
    }
  }

  std::string Failure(const QueryRequest& request) { return ErrorText(Query(engine(), request)); }

  engine::TablePtr table_;
};

}  // namespace monotable::operations
