#include "encoding/stored_definition.h"

#include <gtest/gtest.h>

#include "encoding/item.h"
#include "item/value.h"

namespace monotable::encoding {
namespace {

using item::Item;
using item::Number;
using item::Type;
using item::Value;

table::IndexDefinition LocalIndex() {
  table::IndexDefinition index;
  index.id = 1;
  index.name = "by-date";
  index.kind = table::IndexKind::kLocal;
  index.key.hash = {{"PK", Type::kString}};
  index.key.range = {{"date", Type::kNumber}};
  index.projection = {table::ProjectionType::kInclude, {"amount", "currency"}};
  return index;
}

table::IndexDefinition GlobalIndex() {
  table::IndexDefinition index;
  index.id = 65535;
  index.name = "GSI1";
  index.key.hash = {{"region", Type::kString}, {"shard", Type::kBinary}};
  index.key.range = {{"date", Type::kNumber}, {"SK", Type::kString}};
  index.projection.type = table::ProjectionType::kKeysOnly;
  index.status = table::IndexStatus::kCreating;
  index.throughput = {7, 8};
  index.on_demand_throughput = {100, std::nullopt};
  index.warm_throughput = {std::nullopt, 4000};
  return index;
}

// Every member differs from its default, so that one that is forgotten shows.
table::TableDefinition FullDefinition() {
  table::TableDefinition d;
  d.id = 4000000000;
  d.name = "orders";
  d.uuid = "6d3b8a4e-0a53-4c7b-9d1e-27a4a4f3e001";
  d.created_at_ms = 1763116200123;
  d.status = table::TableStatus::kUpdating;
  d.attributes = {{"PK", Type::kString},
                  {"SK", Type::kString},
                  {"date", Type::kNumber},
                  {"region", Type::kString},
                  {"shard", Type::kBinary}};
  d.key.hash = {{"PK", Type::kString}};
  d.key.range = {{"SK", Type::kString}};
  d.indexes = {LocalIndex(), GlobalIndex()};
  d.next_index_id = 3;
  d.billing_mode = table::BillingMode::kPayPerRequest;
  d.pay_per_request_since_ms = 1763116200999;
  d.throughput = {5, 6};
  d.throughput_increased_at_ms = 11;
  d.throughput_decreased_at_ms = 12;
  d.decreases_today = 4;
  d.on_demand_throughput = {-1, 2000};
  d.warm_throughput = {12000, 4000};
  d.stream = {true, table::StreamViewType::kOldImage, 1763116200456};
  d.latest_stream_label = "2025-11-14T10:30:00.456";
  d.sse = {true, "arn:aws:kms:us-east-1:000000000000:key/abc"};
  d.table_class = table::TableClass::kStandardInfrequentAccess;
  d.table_class_changed_at_ms = 13;
  d.deletion_protection = true;
  d.streams = {{"2025-11-13T10:30:00.456",
                table::StreamViewType::kKeysOnly,
                1763029800456,
                {{1763029800456, 7}, {1763044200456, 70}},
                table::LogMoment{1763100000000, 700}},
               {"2025-11-14T10:30:00.456",
                table::StreamViewType::kOldImage,
                1763116200456,
                {{1763116200456, 7000}},
                std::nullopt}};
  d.point_in_time_recovery = {true, 7, 1763116200456};
  d.restored_from = {"arn:backup", "arn:table", 1763116200456};
  d.time_to_live = {true, "expires", 14, true};
  d.tags = {{"team", "trading"}, {"empty", ""}};
  return d;
}

TEST(DefinitionTest, KeepsEveryMember) {
  const table::TableDefinition definition = FullDefinition();
  const auto read = DecodeDefinition(EncodeDefinition(definition));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, definition);
}

TEST(DefinitionTest, KeepsEveryWordOfEveryEnumeration) {
  table::TableDefinition d = FullDefinition();
  for (const auto view :
       {table::StreamViewType::kKeysOnly, table::StreamViewType::kNewImage,
        table::StreamViewType::kOldImage, table::StreamViewType::kNewAndOldImages}) {
    for (const auto status : {table::IndexStatus::kCreating, table::IndexStatus::kActive,
                              table::IndexStatus::kUpdating, table::IndexStatus::kDeleting}) {
      d.stream.view_type = view;
      d.indexes[1].status = status;
      const auto read = DecodeDefinition(EncodeDefinition(d));
      ASSERT_TRUE(read);
      EXPECT_EQ(*read, d);
    }
  }
}

// A record of an older version lacks attributes, one of a newer version has more.
TEST(DefinitionTest, ToleratesMissingAndUnknownAttributes) {
  Item attribute;
  attribute.Set("name", Value("id"));
  attribute.Set("type", Value("N"));
  Item key;
  key.Set("hash", Value(item::List{Value(attribute)}));
  Item record;
  record.Set("id", Value(Number::FromInt(9)));
  record.Set("name", Value("small"));
  record.Set("key", Value(key));
  record.Set("invented_later", Value("whatever"));

  const auto read = DecodeDefinition(EncodeItem(record).bytes);
  ASSERT_TRUE(read) << read.error().message();
  table::TableDefinition expected;
  expected.id = 9;
  expected.name = "small";
  expected.key.hash = {{"id", Type::kNumber}};
  EXPECT_EQ(*read, expected);
}

TEST(DefinitionTest, ReportsDamage) {
  const auto cut = EncodeDefinition(FullDefinition());
  EXPECT_FALSE(DecodeDefinition(""));
  EXPECT_FALSE(DecodeDefinition(std::string_view(cut).substr(0, cut.size() / 2)));

  const Item good = *DecodeItem(cut);
  for (const auto& [name, value] :
       {std::pair{"id", Value("not a number")}, std::pair{"id", Value(Number::FromInt(-1))},
        std::pair{"next_index_id", Value(Number::FromInt(65536))},
        std::pair{"billing_mode", Value("FREE")}, std::pair{"tags", Value("not a list")},
        std::pair{"indexes", Value(item::List{Value("not a map")})},
        std::pair{"stream", Value(true)}, std::pair{"name", Value("")}}) {
    Item bad = good;
    bad.Set(name, value);
    const auto read = DecodeDefinition(EncodeItem(bad).bytes);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code(), ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace monotable::encoding
