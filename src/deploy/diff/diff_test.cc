#include "deploy/diff/diff.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/shop_for_tests.h"

namespace monotable::deploy {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Lines(const std::vector<Change>& changes) {
  std::vector<std::string> lines;
  for (const Change& change : changes) {
    EXPECT_TRUE(change.reason.ends_with(".")) << change.reason;
    lines.push_back(
        fmt::format("{}: {} {}", ChangeKindName(change.kind), change.subject, change.what));
  }
  return lines;
}

// The changes when some text of the shop becomes another; the other way round if `back`.
std::vector<std::string> Changed(std::string_view from, std::string_view to, bool back = false) {
  const model::Model before = model::LoadShop();
  const model::Model after = model::LoadShop(from, to);
  return Lines(back ? DiffModels(after, before) : DiffModels(before, after));
}

TEST(DiffTest, AModelDoesNotDifferFromItself) {
  EXPECT_THAT(Lines(DiffModels(model::LoadShop(), model::LoadShop())), IsEmpty());
  EXPECT_EQ(ReportChanges({}), "The models do not differ.\n");
}

TEST(DiffTest, WordsForPeopleAreNoChanges) {
  EXPECT_THAT(Changed("description: In reais", "description: In euros"), IsEmpty());
  EXPECT_THAT(Changed("title: By buyer", "title: Of a buyer"), IsEmpty());
}

// Each change, with what it is and, the other way round, what that is.
struct Case {
  std::string from;
  std::string to;
  std::string there;
  std::string back;
};

TEST(DiffTest, TellsWhatEachChangeMeans) {
  const std::vector<Case> cases = {
      {"    billing: on_demand", "    billing: provisioned",
       "needs deploy: tables.main billing: on demand → provisioned",
       "needs deploy: tables.main billing: provisioned → on demand"},
      {"name: \"{TableName}_{environment}\"", "name: \"{TableName}-{environment}\"",
       "needs data rewrite: tables.main name: {TableName}_{environment} → "
       "{TableName}-{environment}",
       "needs data rewrite: tables.main name: {TableName}-{environment} → "
       "{TableName}_{environment}"},
      {"project: keys}", "project: all}",
       "needs deploy: tables.main.indexes.GSI2 projection: keys only → all attributes",
       "needs deploy: tables.main.indexes.GSI2 projection: all attributes → keys only"},
      {"    indexes:\n", "    indexes:\n      GSI4: {hash: \"SellerId S\", project: all}\n",
       "needs deploy: tables.main.indexes.GSI4 is new (SellerId S; all attributes)",
       "needs deploy: tables.main.indexes.GSI4 is gone"},
      {"    indexes:\n", "    indexes:\n      LSI1: {local: true, range: \"SellerId S\"}\n",
       "needs data rewrite: tables.main.indexes.LSI1 is new (PK S, SellerId S; all attributes)",
       "needs data rewrite: tables.main.indexes.LSI1 is gone"},
      {"type_attribute: EntityType", "type_attribute: Kind",
       "needs data rewrite: tables.main type_attribute: EntityType → Kind",
       "needs data rewrite: tables.main type_attribute: Kind → EntityType"},
      {"  staging: {pitr: {days: 7}}\n", "", "breaking for clients: environments.staging is gone",
       "needs deploy: environments.staging is new"},
      {"default: shop_data", "default: shop",
       "needs deploy: parameters.TableName default: "
       "shop_data → shop",
       "needs deploy: parameters.TableName default: shop → shop_data"},
      {"transitions: {DRAFT: [CONFIRMED]", "transitions: {DRAFT: [CONFIRMED, DONE]",
       "harmless: enums.Progress allows DRAFT → DONE",
       "breaking for clients: enums.Progress no longer allows DRAFT → DONE"},
      {"values: [CASH, \"15_DAYS\"]", "values: [CASH, \"15_DAYS\", CARD]",
       "harmless: enums.Terms has a new value CARD",
       "breaking for clients: enums.Terms has no value CARD"},
      {"GSI1SK: \"SALE#{SaleDate}\"", "GSI1SK: \"{SaleDate}\"",
       "needs data rewrite: entities.Sale.keys.GSI1 template: GSI1PK = BUYER#{BuyerId}, GSI1SK = "
       "SALE#{SaleDate} → GSI1PK = BUYER#{BuyerId}, GSI1SK = {SaleDate}",
       "needs data rewrite: entities.Sale.keys.GSI1 template: GSI1PK = BUYER#{BuyerId}, GSI1SK = "
       "{SaleDate} → GSI1PK = BUYER#{BuyerId}, GSI1SK = SALE#{SaleDate}"},
      {"      BuyerName: string", "      BuyerName: string\n      Notes: string",
       "harmless: entities.Sale.attributes.Notes is new",
       "breaking for clients: entities.Sale.attributes.Notes is gone"},
      {"      BuyerName: string", "      BuyerName: string\n      Notes: string!",
       "breaking for clients: entities.Sale.attributes.Notes is new and required",
       "breaking for clients: entities.Sale.attributes.Notes is gone"},
      {"DeliveryDate: date", "DeliveryDate: date!",
       "breaking for clients: entities.Sale.attributes.DeliveryDate required: no → yes",
       "harmless: entities.Sale.attributes.DeliveryDate required: yes → no"},
      {"max: 120}", "max: 200}", "harmless: entities.Buyer.attributes.FullName type: ",
       "breaking for clients: entities.Buyer.attributes.FullName type: "},
      {"path: buyers", "path: customers",
       "breaking for clients: entities.Buyer path: buyers → customers",
       "breaking for clients: entities.Buyer path: customers → buyers"},
      {"that: \"Amount >= 0\"", "that: \"Amount > 0\"",
       "breaking for clients: entities.Sale.assert.amount_is_positive that: Amount >= 0 → Amount > "
       "0",
       "breaking for clients: entities.Sale.assert.amount_is_positive that: Amount > 0 → Amount >= "
       "0"},
      {"    order: desc\n", "", "breaking for clients: patterns.salesOfBuyer descending: yes → no",
       "breaking for clients: patterns.salesOfBuyer descending: no → yes"},
      {"    page: 20\n", "    page: 50\n", "harmless: patterns.listSales page: 20 → 50",
       "harmless: patterns.listSales page: 50 → 20"},
      {"GET /buyers/{BuyerId}/sales", "GET /buyers/{BuyerId}/orders",
       "breaking for clients: patterns.salesOfBuyer route: ",
       "breaking for clients: patterns.salesOfBuyer route: "},
      {"input: {SaleId: string!}", "input: {SaleId: string!, Reason: string!}",
       "breaking for clients: operations.confirmSale.input.Reason is new and required",
       "breaking for clients: operations.confirmSale.input.Reason is gone"},
      {"set: {Progress: CONFIRMED}", "set: {Progress: DONE}",
       "breaking for clients: operations.confirmSale writes something else",
       "breaking for clients: operations.confirmSale writes something else"},
      {"enums:\n  Progress:", "tenancy: {attribute: BuyerId, claim: buyer}\nenums:\n  Progress:",
       "breaking for clients: tenancy is new", "breaking for clients: tenancy is gone"},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(Changed(each.from, each.to), Contains(HasSubstr(each.there)));
    EXPECT_THAT(Changed(each.from, each.to, true), Contains(HasSubstr(each.back)));
  }
}

TEST(DiffTest, OneChangeIsToldOnce) {
  EXPECT_EQ(Changed("max: 120}", "max: 200}").size(), 1u);
  EXPECT_EQ(Changed("path: buyers", "path: customers").size(), 1u);
  EXPECT_EQ(Changed("{TableName}_{environment}", "{TableName}-{environment}").size(), 1u);
  EXPECT_EQ(Changed("    page: 20\n", "    page: 50\n").size(), 1u);
}

TEST(DiffTest, ReportsTheWorstFirst) {
  EXPECT_EQ(ReportChanges({{ChangeKind::kHarmless, "a", "is new", "Fine."},
                           {ChangeKind::kBreaking, "b", "is gone", "Bad."},
                           {ChangeKind::kHarmless, "c", "is new", "Fine, too."}}),
            R"(3 changes: 1 breaking for clients, 2 harmless.

## Breaking for clients

- `b` is gone. Bad.

## Harmless

- `a` is new. Fine.
- `c` is new. Fine, too.
)");
}

}  // namespace
}  // namespace monotable::deploy
