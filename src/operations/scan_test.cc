#include <set>

#include "operations/query_scan.h"
#include "operations/read_fixture.h"

namespace monotable::operations {
namespace {

using expression::ComparisonOperator;
using item::Type;
using table::ProjectionType;

class ScanTest : public ReadFixture {
 protected:
  ScanTest()
      : table_(Create(
            "T", {{{"PK", Type::kString}}, {{"SK", Type::kNumber}}},
            {LocalIndex("LSI", {{{"PK", Type::kString}}, {{"x", Type::kString}}},
                        {ProjectionType::kKeysOnly, {}}),
             GlobalIndex("GSI", {{{"x", Type::kString}}, {}}, {ProjectionType::kKeysOnly, {}})})) {}

  // Two items in each of so many partitions; every second partition is in the indexes.
  void PutPartitions(int count) {
    for (int i = 0; i < count; ++i) {
      for (const char* sk : {"1", "2"}) {
        item::Item item = MakeItem({{"PK", S("p" + std::to_string(i))}, {"SK", N(sk)}});
        if (i % 2 == 0) item.Set("x", S("x" + std::to_string(i % 6)));
        Put(table_, item);
      }
    }
  }

  static ScanRequest Request() {
    ScanRequest request;
    request.table_name = "T";
    return request;
  }

  PageResponse Run(const ScanRequest& request) {
    auto response = Scan(engine(), request);
    EXPECT_TRUE(response) << response.error().message();
    return response ? *std::move(response) : PageResponse{};
  }

  Strings All(ScanRequest request) {
    Strings keys;
    for (;;) {
      const PageResponse page = Run(request);
      for (const auto& item : page.items) {
        const encoding::ItemView view(item);
        keys.push_back(std::string(view.Find("PK")->scalar()) + "/" +
                       std::string(view.Find("SK")->scalar()));
      }
      if (!page.last_evaluated_key) return keys;
      request.exclusive_start_key = Decode(*page.last_evaluated_key);
    }
  }

  std::string Failure(const ScanRequest& request) { return ErrorText(Scan(engine(), request)); }

  engine::TablePtr table_;
};

TEST_F(ScanTest, ReadsEverythingOnceWithAnyPageSize) {
  PutPartitions(20);
  const Strings whole = All(Request());
  EXPECT_EQ(whole.size(), 40u);
  EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), 40u);
  for (int64_t limit = 1; limit <= 41; ++limit) {
    ScanRequest request = Request();
    request.limit = limit;
    EXPECT_EQ(All(request), whole) << limit;
    request.index_name = "GSI";
    EXPECT_EQ(All(request).size(), 20u) << limit;
    request.index_name = "LSI";
    EXPECT_EQ(All(request).size(), 20u) << limit;
  }
}

TEST_F(ScanTest, SegmentsPartitionTheTable) {
  PutPartitions(50);
  const Strings whole = All(Request());
  for (const int64_t total : {1, 2, 3, 4, 7, 16, 100, 777}) {
    ScanRequest request = Request();
    request.total_segments = total;
    request.limit = 3;
    Strings together;
    for (int64_t segment = 0; segment < total; ++segment) {
      request.segment = segment;
      const Strings part = All(request);
      together.insert(together.end(), part.begin(), part.end());
    }
    EXPECT_EQ(together, whole) << total;
  }
}

TEST_F(ScanTest, SegmentTexts) {
  ScanRequest request = Request();
  request.table_name = "Missing";
  request.segment = 0;
  EXPECT_EQ(Failure(request),
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present");
  request.segment.reset();
  request.total_segments = 4;
  EXPECT_EQ(Failure(request),
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present");
  request.segment = 5;
  request.total_segments = 5;
  EXPECT_EQ(Failure(request),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 5 is not less than TotalSegments: 5");
}

TEST_F(ScanTest, StartKeys) {
  PutPartitions(20);
  ScanRequest request = Request();
  const std::string mismatch =
      "The provided starting key is invalid: The provided key element does not match the schema";
  request.exclusive_start_key = MakeItem({{"PK", S("p")}});
  EXPECT_EQ(Failure(request), mismatch);
  request.exclusive_start_key = MakeItem({{"PK", S("p")}, {"SK", S("1")}});
  EXPECT_EQ(Failure(request), mismatch);
  request.exclusive_start_key = MakeItem({{"PK", S("p")}, {"SK", N("1")}});
  EXPECT_EQ(Failure(request), "(no error)");
  request.index_name = "GSI";
  EXPECT_EQ(Failure(request), mismatch);

  // An item of one segment is refused as the start of the other.
  ScanRequest first = Request();
  first.total_segments = 2;
  first.segment = 0;
  first.limit = 1;
  ScanRequest second = first;
  second.segment = 1;
  second.exclusive_start_key = Decode(*Run(first).last_evaluated_key);
  EXPECT_EQ(Failure(second),
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            "ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 1");
}

TEST_F(ScanTest, FiltersAlsoOnKeys) {
  PutPartitions(4);
  ScanRequest request = Request();
  request.filter_expression = "SK = :one";
  request.attributes.values = Values{{":one", N("1")}};
  request.projection_expression = "PK";
  const PageResponse page = Run(request);
  EXPECT_EQ(page.count, 4);
  EXPECT_EQ(page.scanned_count, 8);
  for (const auto& item : page.items) EXPECT_EQ(Decode(item).size(), 1u);

  ScanRequest legacy = Request();
  legacy.scan_filter = {{"SK", {ComparisonOperator::kEq, {N("1")}}}};
  EXPECT_EQ(Run(legacy).count, 4);
  legacy.select = Select::kCount;
  EXPECT_EQ(Run(legacy).count, 4);
  EXPECT_FALSE(Run(legacy).with_items);
}

TEST_F(ScanTest, Capacity) {
  for (const char* pk : {"a", "b", "c"}) {
    Put(table_, Padded(MakeItem({{"PK", S(pk)}, {"SK", N("1")}, {"x", S("x")}}), 4000));
  }
  ScanRequest request = Request();
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  EXPECT_EQ(Run(request).consumed_capacity->table.total, 1.5);
  request.consistent_read = true;
  EXPECT_EQ(Run(request).consumed_capacity->total.total, 3.0);
  request.index_name = "GSI";
  EXPECT_EQ(Failure(request), "Consistent reads are not supported on global secondary indexes");
  request.consistent_read = false;
  const auto consumed = *Run(request).consumed_capacity;
  EXPECT_EQ(consumed.global_indexes.at("GSI").total, 0.5);
  EXPECT_EQ(consumed.table.total, 0);
  request.index_name = "LSI";
  request.select = Select::kAllAttributes;
  EXPECT_EQ(Run(request).consumed_capacity->table.total, 1.5);
  EXPECT_EQ(Run(request).consumed_capacity->total.total, 2.0);
}

TEST_F(ScanTest, FullPagesEndAtOneMegabyte) {
  for (int i = 0; i < 6; ++i) {
    Put(table_, Padded(MakeItem({{"PK", S(std::to_string(i))}, {"SK", N("1")}}), 300000));
  }
  const PageResponse page = Run(Request());
  EXPECT_EQ(page.scanned_count, 3);
  EXPECT_TRUE(page.last_evaluated_key);
  EXPECT_EQ(All(Request()).size(), 6u);
}

}  // namespace
}  // namespace monotable::operations
