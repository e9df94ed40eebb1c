#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/application_fixture.h"
#include "entities/codec/codec.h"
#include "entities/record.h"

// The items of the five designs, out to JSON and back.
namespace monotable::entities {
namespace {

using ::testing::HasSubstr;

class SamplesTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string Shown(const Entity& entity, const item::Item& item) {
    const encoding::EncodedItem encoded = encoding::EncodeItem(item);
    std::string out;
    AppendJson(entity, encoding::ItemView(encoded), {}, &out);
    return out;
  }
};

TEST_P(SamplesTest, GoOutAndComeBack) {
  const auto application = LoadDesign(GetParam());
  const auto samples = LoadSamples(GetParam());
  ASSERT_FALSE(samples.empty());
  for (const SampleItem& sample : samples) {
    const model::TableModel* table = application->model().FindTable(sample.table);
    ASSERT_NE(table, nullptr);
    const Entity* entity = application->Recognise(*table, sample.item);
    ASSERT_NE(entity, nullptr);
    const std::string shown = Shown(*entity, sample.item);
    SCOPED_TRACE(shown);
    const auto record = RecordOf(*entity, sample.item);
    ASSERT_TRUE(record);
    const auto problems = CheckAttributes(*entity, record->attributes);
    EXPECT_TRUE(problems.empty()) << problems[0].path << ": " << problems[0].message;

    const auto tree = json::Tree::Parse(shown);
    ASSERT_TRUE(tree) << tree.error().message();
    for (const json::Member& member : tree->root().members) {
      EXPECT_NE(entity->model->Find(member.name), nullptr) << member.name;
    }
    const auto decoded = DecodeAttributes(*entity, tree->root(), {});
    ASSERT_TRUE(decoded) << decoded.error().message();
    // What the server fills in is not heeded; everything else is as it was stored.
    item::Map expected;
    for (const item::Attribute& attribute : record->attributes) {
      EXPECT_NE(tree->root().Find(attribute.name), nullptr) << attribute.name;
      if (!entity->IsReadOnly(attribute.name)) expected.Set(attribute.name, attribute.value);
    }
    EXPECT_TRUE(*decoded == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, SamplesTest,
                         ::testing::Values("sales", "orders", "blog", "trading", "chat"),
                         [](const auto& design) { return design.param; });

TEST(Samples, LookAsTheDocumentsSay) {
  const auto shown = [](const std::string& design, size_t index) {
    const auto application = LoadDesign(design);
    const SampleItem sample = LoadSamples(design).at(index);
    const Entity* entity =
        application->Recognise(*application->model().FindTable(sample.table), sample.item);
    const encoding::EncodedItem encoded = encoding::EncodeItem(sample.item);
    std::string out;
    AppendJson(*entity, encoding::ItemView(encoded), {}, &out);
    return out;
  };
  EXPECT_EQ(
      shown("trading", 0),
      R"({"client_id":"client_123","created_at":"2025-11-14T10:30:00Z",)"
      R"("master_order_id":"master_789","order_id":"order_456","order_type":"LIMIT",)"
      R"("price":45000,"product_id":"prod_001","quantity":1.5,"side":"BUY","status":"FILLED",)"
      R"("symbol":"BTCUSDT","updated_at":"2025-11-14T10:31:15Z"})");
  EXPECT_EQ(shown("blog", 0),
            R"({"createdAt":"2026-01-05T09:00:00.000Z","email":"user@example.com",)"
            R"("name":"Ana Souza","userId":"user-123","updatedAt":"2026-01-05T09:00:00.000Z"})");
  EXPECT_THAT(shown("orders", 0), HasSubstr(R"({"cnpj":"12.345.678/0001-99",)"));
}

}  // namespace
}  // namespace monotable::entities
