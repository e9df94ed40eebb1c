#include "document/describe/describe_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/describe/diagrams.h"
#include "model/shop_for_tests.h"
#include "model/type.h"

namespace monotable::document {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DescribeModelTest, HasTheEntityChart) {
  const std::string text = DescribeModel(model::LoadShop());
  EXPECT_THAT(text, HasSubstr("# Shop | Sales\n"));
  EXPECT_THAT(text, HasSubstr("| Entity | `PK` | `SK` | GSI1 | GSI2 | GSI3 |\n"));
  EXPECT_THAT(text,
              HasSubstr("| Sale (Venda) | `SALE#{SaleId}` | `#METADATA#sale` | `BUYER#{BuyerId}` / "
                        "`SALE#{SaleDate}` | `SELLER#{SellerId}` / `{SaleDate}#{SaleId}` | "
                        "`PROGRESS#{Progress}` / `SALE#{SaleDate}` |\n"));
  EXPECT_THAT(text, HasSubstr("| SaleLine | `SALE#{SaleId}` | `LINE#{LineNumber:03}` | | | |\n"));
}

TEST(DescribeModelTest, HasAttributesAndRules) {
  const std::string text = DescribeModel(model::LoadShop());
  EXPECT_THAT(text, HasSubstr("| `BuyerId` | string | yes | refers to Buyer |\n"));
  EXPECT_THAT(text, HasSubstr("| `LineNumber` | integer, 1 to 999 | yes | |\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| `Amount` | Money: decimal(14, 2) | | In reais; derived: `Subtotal - Discount` |\n"));
  EXPECT_THAT(text, HasSubstr("default `0`"));
  EXPECT_THAT(text, HasSubstr("- `Amount >= 0` (`amount_is_positive`).\n"));
}

TEST(DescribeModelTest, HasThePatternsWithTheirRequests) {
  const std::string text = DescribeModel(model::LoadShop());
  EXPECT_THAT(text, HasSubstr("| AP1 getSale | one Sale | `{TableName}_{environment}` | "));
  EXPECT_THAT(text, HasSubstr("| 3 Queries |"));
  EXPECT_THAT(text, HasSubstr("| 1 Query + BatchGetItem |"));
  EXPECT_THAT(text, HasSubstr("| `GET /buyers/{BuyerId}/sales` | R-1 |"));
  EXPECT_THAT(text, HasSubstr("```json\n"));
  EXPECT_THAT(text, HasSubstr("\"IndexName\": \"GSI1\""));
  EXPECT_THAT(text, HasSubstr("One request for each `Progress`: `DRAFT`, `CONFIRMED`, `DONE`"));
}

TEST(DescribeModelTest, HasEnvironmentsCollectionsOperationsAndAlarms) {
  const std::string text = DescribeModel(model::LoadShop());
  EXPECT_THAT(text, HasSubstr("| `prod` | 35 days | yes | daily at 03:00Z, kept 35 days |\n"));
  EXPECT_THAT(text, HasSubstr("| SaleFull | `SALE#{SaleId}` | Sale | `lines: SaleLine[]` |\n"));
  EXPECT_THAT(text, HasSubstr("1. put SaleLine for each of `lines`\n"));
  EXPECT_THAT(text, HasSubstr("1. update Sale: `Progress = CONFIRMED`\n"));
  EXPECT_THAT(text, HasSubstr("| Sum \\> 10 in 2 periods of 300 s |\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n\n\n")));
  EXPECT_TRUE(text.ends_with("|\n")) << text.substr(text.size() - 40);
}

TEST(DiagramTest, DrawsStates) {
  const model::Model model = model::LoadShop();
  EXPECT_EQ(StateDiagram(*model.FindEnum("Progress")),
            "```mermaid\nstateDiagram-v2\n  [*] --> DRAFT\n  DRAFT --> CONFIRMED\n"
            "  CONFIRMED --> DONE\n  DONE --> [*]\n```\n\n");
  EXPECT_EQ(StateDiagram(*model.FindEnum("Terms")), "");
}

TEST(DiagramTest, NamesStatesThatMermaidCouldNotRead) {
  const model::Model model =
      model::LoadShop("    transitions: any\n",
                      "    initial: CASH\n"
                      "    transitions: {CASH: [\"15_DAYS\"], \"15_DAYS\": []}\n");
  EXPECT_THAT(StateDiagram(*model.FindEnum("Terms")),
              HasSubstr("  state \"15_DAYS\" as _15_DAYS\n  [*] --> CASH\n  CASH --> _15_DAYS\n"));
}

TEST(DiagramTest, DrawsEntitiesWithTheirRelations) {
  const std::string diagram = EntityDiagram(model::LoadShop());
  EXPECT_THAT(diagram, HasSubstr("  Sale {\n    string SaleId PK\n    string BuyerId FK\n"));
  EXPECT_THAT(diagram, HasSubstr("  Sale ||--o{ SaleLine : \"lines\"\n"));
  EXPECT_THAT(diagram, HasSubstr("  Buyer ||--o{ Sale : \"BuyerId\"\n"));
  EXPECT_THAT(diagram, Not(HasSubstr("Amount")));
}

TEST(DiagramTest, DrawsWhereThePatternsRead) {
  const model::Model model = model::LoadShop();
  std::vector<model::ReadPlan> plans;
  for (const model::PatternModel& pattern : model.patterns)
    plans.push_back(model::PlanPattern(model, pattern));
  const std::string diagram = AccessDiagram(model, plans);
  EXPECT_THAT(diagram, HasSubstr("  main_GSI1[(\"GSI1: GSI1PK / GSI1SK\")]\n"));
  EXPECT_THAT(diagram, HasSubstr("  API -->|\"AP3 salesOfBuyer\"| main_GSI1\n"));
  EXPECT_THAT(diagram, HasSubstr("  API -->|\"AP1 getSale\"| main\n"));
  EXPECT_THAT(diagram, Not(HasSubstr("unserved")));
  const std::string unserved = AccessDiagram(model, std::vector<model::ReadPlan>(1));
  EXPECT_THAT(unserved, HasSubstr("  API -.->|\"AP1 getSale\"| unserved\n"));
}

TEST(DescribeTypeTest, SpellsTypes) {
  model::TypeModel text;
  EXPECT_EQ(model::DescribeType(text), "string");
  text.max_length = 8;
  EXPECT_EQ(model::DescribeType(text), "string, at most 8 characters");
  model::TypeModel list;
  list.kind = model::TypeKind::kList;
  list.min_length = 1;
  list.element = std::make_shared<model::TypeModel>();
  EXPECT_EQ(model::DescribeType(list), "string[], at least 1 members");
  model::TypeModel instant;
  instant.kind = model::TypeKind::kInstant;
  instant.stored = model::InstantForm::kBrazilian;
  EXPECT_EQ(model::DescribeType(instant), "instant (DD/MM/YYYY HH:mm:ss)");
}

}  // namespace
}  // namespace monotable::document
