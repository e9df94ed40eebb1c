#include "engine/engine.h"

#include "encoding/varint.h"
#include "engine/engine_fixture.h"
#include "storage/store.h"

namespace monotable::engine {
namespace {

class EngineTest : public EngineFixture {
 protected:
  void WriteFormat(const std::string& record) {
    ASSERT_TRUE(storage::UpdateAndWait(store(), {encoding::FormatKey()},
                                       [&record](auto, const auto&, storage::Batch* batch) {
                                         batch->Put(encoding::FormatKey(), record);
                                       }));
  }
};

TEST_F(EngineTest, FindsTablesByNameAndArn) {
  ASSERT_TRUE(Create(catalog(), Definition("orders")));
  for (const char* name :
       {"orders", "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
        "arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/by-date",
        "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/orders/stream/2025"}) {
    const auto found = engine().FindTable(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ((*found)->name, "orders");
  }
  for (const char* name : {"order", "", "arn:aws:dynamodb:us-east-1:000000000000:backup/orders",
                           "arn:aws:dynamodb:us-east-1:000000000000:table/"}) {
    const auto missing = engine().FindTable(name);
    ASSERT_FALSE(missing) << name;
    EXPECT_EQ(missing.error().code(), ErrorCode::kResourceNotFound);
    EXPECT_EQ(missing.error().message(), "Requested resource not found");
  }
}

TEST_F(EngineTest, NamesTablesByArn) {
  EngineOptions options;
  options.region = "eu-west-2";
  options.account_id = "123456789012";
  CloseEngine();
  const auto opened = Engine::Open(store(), clock_, options);
  ASSERT_TRUE(opened);
  const std::string arn = (*opened)->TableArn("orders");
  EXPECT_EQ(arn, "arn:aws:dynamodb:eu-west-2:123456789012:table/orders");
  EXPECT_EQ(Engine::TableNameOf(arn), "orders");
}

TEST_F(EngineTest, RefusesANewerFormat) {
  CloseEngine();
  std::string newer;
  encoding::AppendVarint(700, &newer);
  WriteFormat(newer);
  const auto opened = Engine::Open(store(), clock_, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message(),
            "The data folder was written by a newer version (format 700); this one reads up to 2. "
            "Start the newer version, or use another data folder.");
}

// Its change log was in another order, and had no reader.
TEST_F(EngineTest, TakesOverAFolderOfFormat1) {
  ASSERT_TRUE(Create(catalog(), Definition("orders")));
  CloseEngine();
  std::string format;
  encoding::AppendVarint(1, &format);
  WriteFormat(format);
  const std::string old_change = encoding::ChangesRange(1).begin + "twelve bytes";
  ASSERT_TRUE(storage::UpdateAndWait(store(), {}, [&](auto, const auto&, storage::Batch* batch) {
    batch->Put(old_change, "a record");
  }));
  OpenEngine();
  EXPECT_NE(catalog().Find("orders"), nullptr);
  EXPECT_EQ(CountKeys(encoding::ChangesRange()), 0u);
}

TEST_F(EngineTest, RefusesADamagedFormat) {
  CloseEngine();
  WriteFormat("");
  EXPECT_FALSE(Engine::Open(store(), clock_, {}));
}

TEST_F(EngineTest, ReadsCounters) {
  EXPECT_EQ(engine().Counter("count"), 0);
  for (const int64_t delta : {int64_t{5}, int64_t{-300}, int64_t{1} << 40}) {
    ASSERT_TRUE(storage::UpdateAndWait(
        store(), {},
        [delta](auto, const auto&, storage::Batch* batch) { batch->Increment("count", delta); }));
  }
  EXPECT_EQ(engine().Counter("count"), 5 - 300 + (int64_t{1} << 40));
}

}  // namespace
}  // namespace monotable::engine
