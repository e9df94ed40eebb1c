#include "backup/table_audit.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "encoding/keyspace.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/index_entries.h"
#include "engine/test_clock.h"
#include "engine/write.h"
#include "storage/memory/memory_store.h"

namespace monotable::backup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A table with both kinds of index and time to live, and what an audit says after somebody has
// tampered with the store below it.
class AuditTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    Call("CreateTable", R"({"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
          {"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"day","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
          {"AttributeName":"sk","KeyType":"RANGE"}],
        "LocalSecondaryIndexes":[{"IndexName":"mine","KeySchema":[
          {"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"day","KeyType":"RANGE"}],
          "Projection":{"ProjectionType":"KEYS_ONLY"}}],
        "GlobalSecondaryIndexes":[{"IndexName":"days","KeySchema":[
          {"AttributeName":"day","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})");
    Call("UpdateTimeToLive", R"({"TableName":"orders","TimeToLiveSpecification":
        {"Enabled":true,"AttributeName":"until"}})");
    engine_->housekeeping().WaitUntilIdle();
    for (int i = 0; i < 6; ++i) {
      const std::string day = i == 5 ? "" : fmt::format(R"(,"day":{{"S":"d{}"}})", i % 2);
      Call("PutItem",
           fmt::format(R"({{"TableName":"orders","Item":{{"pk":{{"S":"p{}"}},"sk":{{"N":"{}"}},
              "until":{{"N":"1800000000"}}{}}}}})",
                       i / 3, i, day));
    }
    Call("DeleteItem", R"({"TableName":"orders","Key":{"pk":{"S":"p0"},"sk":{"N":"1"}}})");
  }

  void Call(std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(*engine_, operation, body);
    ASSERT_TRUE(answer) << answer.error().message();
  }

  const table::TableDefinition& Table() {
    table_ = engine_->catalog().Find("orders");
    return *table_;
  }
  uint16_t IndexId(std::string_view name) { return Table().FindIndex(name)->id; }

  void Tamper(const std::function<void(storage::Batch*)>& change) {
    ASSERT_TRUE(storage::UpdateAndWait(
        *store_, {}, [&](auto, const auto&, storage::Batch* batch) { change(batch); }));
  }

  TableAudit Audit() {
    auto audit = AuditTable(*store_->Snapshot(), Table());
    EXPECT_TRUE(audit) << audit.error().message();
    return audit ? *std::move(audit) : TableAudit();
  }

  // The stored key and value of the first item, or entry of an index.
  std::pair<std::string, std::string> First(uint16_t index_id) {
    const auto range = encoding::ItemsRange(Table().id, index_id);
    const auto snapshot = store_->Snapshot();
    const auto cursor = snapshot->Scan(range, storage::Direction::kForward);
    return {std::string(cursor->key()), std::string(cursor->value())};
  }

  engine::TestClock clock_{1'763'000'000'000};
  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  std::unique_ptr<engine::Engine> engine_;
  engine::TablePtr table_;
};

TEST_F(AuditTest, FindsNothingWrongWithWhatTheEngineWrote) {
  const TableAudit audit = Audit();
  EXPECT_THAT(audit.problems, IsEmpty());
  EXPECT_EQ(audit.items, 5);
  EXPECT_EQ(audit.index_entries, 8) << "the last item has no day";
  const auto digest = DigestOf(*store_->Snapshot(), Table(), {});
  ASSERT_TRUE(digest) << digest.error().message();
  EXPECT_EQ(audit.digest, *digest);
  EXPECT_EQ(audit.digest.size(), 32u);
}

TEST_F(AuditTest, DigestsTellItemsApart) {
  const std::string before = Audit().digest;
  Call("UpdateItem", R"({"TableName":"orders","Key":{"pk":{"S":"p0"},"sk":{"N":"0"}},
      "UpdateExpression":"SET x = :x","ExpressionAttributeValues":{":x":{"N":"1"}}})");
  EXPECT_NE(Audit().digest, before);
  Call("UpdateItem", R"({"TableName":"orders","Key":{"pk":{"S":"p0"},"sk":{"N":"0"}},
      "UpdateExpression":"REMOVE x"})");
  EXPECT_EQ(Audit().digest, before) << "it depends on nothing but the items";
}

TEST_F(AuditTest, FindsIndexEntriesThatLackOrDiffer) {
  const auto [key, value] = First(IndexId("days"));
  Tamper([&, k = key](storage::Batch* batch) { batch->Delete(k); });
  ASSERT_EQ(Audit().problems.size(), 1u);
  EXPECT_THAT(Audit().problems[0], testing::MatchesRegex("index days lacks \\{.*\"pk\".*\\}"));
  Tamper([&, k = key](storage::Batch* batch) {
    batch->Put(k, First(encoding::kTableItems).second + "x");
  });
  EXPECT_THAT(Audit().problems[0], testing::StartsWith("index days has another image of {"));
}

TEST_F(AuditTest, FindsIndexEntriesWithoutTheirItem) {
  item::Item gone;
  gone.Set("pk", item::Value("nobody"));
  gone.Set("sk", item::Value(item::Number::FromInt(7)));
  gone.Set("day", item::Value("d7"));
  const encoding::EncodedItem encoded = encoding::EncodeItem(gone);
  const auto entry =
      engine::IndexEntry::Of(Table(), *Table().FindIndex("days"), encoding::ItemView(encoded));
  Tamper([&](storage::Batch* batch) { batch->Put(entry->key(), entry->value()); });
  EXPECT_THAT(Audit().problems,
              ElementsAre(R"(index days has {"pk":{"S":"nobody"},"sk":{"N":"7"}}, which should )"
                          "not be there"));
}

TEST_F(AuditTest, FindsCountersThatAreWrong) {
  Tamper([&](storage::Batch* batch) {
    batch->Increment(encoding::ItemCountKey(Table().id, encoding::kTableItems), 2);
    batch->Increment(encoding::ItemBytesKey(Table().id, IndexId("mine")), -1);
    item::Item key;
    key.Set("pk", item::Value("p1"));
    batch->Increment(engine::CollectionKey(Table(), key), 10);
  });
  const TableAudit audit = Audit();
  EXPECT_THAT(audit.problems, testing::UnorderedElementsAre(
                                  testing::StartsWith("the table counts 7 items and"),
                                  testing::StartsWith("index mine counts 4 items and"),
                                  testing::StartsWith(R"(the collection of {"pk":{"S":"p1"})")));
}

TEST_F(AuditTest, FindsExpiriesThatLackOrAreTooMany) {
  const auto [key, value] = First(encoding::kTableItems);
  const std::string listed = encoding::ExpiryKey(Table().id, 1'800'000'000, key);
  Tamper([&](storage::Batch* batch) { batch->Delete(listed); });
  EXPECT_THAT(Audit().problems,
              ElementsAre(testing::MatchesRegex("the expiry of .* is not listed")));
  Tamper([&](storage::Batch* batch) {
    batch->Put(listed, "");
    batch->Put(encoding::ExpiryKey(Table().id, 1'800'000'001, "1234567nobody"), "");
  });
  EXPECT_THAT(Audit().problems, ElementsAre("6 expiries are listed, but 5 items expire"));
}

TEST_F(AuditTest, FindsDamagedItemsAndStopsCounting) {
  const std::string key = First(encoding::kTableItems).first;
  Tamper([&](storage::Batch* batch) { batch->Put(key + "x", "no item"); });
  EXPECT_THAT(Audit().problems[0], testing::EndsWith("is damaged or not under its own key"));
  Tamper([&](storage::Batch* batch) {
    for (int i = 0; i < 50; ++i) batch->Put(fmt::format("{}{}", key, i), "no item");
  });
  EXPECT_EQ(Audit().problems.size(), 10u);
}

}  // namespace
}  // namespace monotable::backup
