#include "model/route/route.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/load/load.h"
#include "model/shop_for_tests.h"

namespace monotable::model {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

Model LoadText(std::string_view text) {
  Findings findings;
  std::optional<Model> model = LoadModel(text, &findings);
  for (const Finding& finding : findings.all()) {
    if (!model) ADD_FAILURE() << FormatFinding("text", finding);
  }
  return model.value_or(Model());
}

std::string Text(const Route& route) {
  std::string text = route.method + " " + route.path;
  for (size_t i = 0; i < route.query.size(); ++i) {
    text += (i == 0 ? "?" : "&") + route.query[i] + "=";
  }
  return text;
}

std::vector<std::string> Texts(const std::vector<Route>& routes) {
  std::vector<std::string> texts;
  for (const Route& route : routes) texts.push_back(Text(route));
  return texts;
}

const Route* Find(const std::vector<Route>& routes, std::string_view text) {
  const auto found = std::find_if(routes.begin(), routes.end(),
                                  [&](const Route& route) { return Text(route) == text; });
  return found == routes.end() ? nullptr : &*found;
}

std::vector<std::string> KeyOf(const Model& model, std::string_view entity) {
  return RouteKey(model, *model.FindEntity(entity));
}

TEST(RouteKeyTest, IsThePrimaryKeyWithTheParentsFirst) {
  const Model orders = LoadDesign("orders");
  EXPECT_THAT(KeyOf(orders, "Order"), ElementsAre("cnpj", "order_id"));
  EXPECT_THAT(KeyOf(orders, "OrderItem"), ElementsAre("cnpj", "order_id", "product_id"));
  const Model trading = LoadDesign("trading");
  EXPECT_THAT(KeyOf(trading, "Order"), ElementsAre("client_id", "created_at", "order_id"));
}

TEST(RouteKeyTest, AnOnlyChildIsNamedByItsParent) {
  const Model orders = LoadDesign("orders");
  EXPECT_THAT(KeyOf(orders, "OrderStatus"), ElementsAre("cnpj", "order_id"));
  EXPECT_THAT(KeyOf(LoadDesign("sales"), "InvoiceMetadata"), ElementsAre("SaleId"));
}

TEST(RouteKeyTest, TheTenantIsLeftOutUnlessItIsAll) {
  const Model chat = LoadDesign("chat");
  EXPECT_THAT(KeyOf(chat, "Tenant"), ElementsAre("tenantId"));
  EXPECT_THAT(KeyOf(chat, "User"), ElementsAre("cognitoId"));
  EXPECT_THAT(KeyOf(chat, "Conversation"), ElementsAre("conversationId"));
  EXPECT_THAT(KeyOf(chat, "Message"), ElementsAre("conversationId", "createdAt"));
}

TEST(RoutesTest, AreInTheOrderOfTheFile) {
  const Model shop = LoadShop();
  EXPECT_THAT(
      Texts(RoutesOf(shop)),
      ElementsAre(
          "POST /buyers", "GET /buyers/{BuyerId}", "PUT /buyers/{BuyerId}",
          "PATCH /buyers/{BuyerId}", "DELETE /buyers/{BuyerId}", "POST /buyers:batchGet",
          "POST /buyers:batchWrite", "POST /sales", "GET /sales/{SaleId}", "PUT /sales/{SaleId}",
          "PATCH /sales/{SaleId}", "DELETE /sales/{SaleId}", "POST /sales:batchGet",
          "POST /sales:batchWrite", "POST /sales/{SaleId}/lines",
          "GET /sales/{SaleId}/lines/{LineNumber}", "PUT /sales/{SaleId}/lines/{LineNumber}",
          "PATCH /sales/{SaleId}/lines/{LineNumber}", "DELETE /sales/{SaleId}/lines/{LineNumber}",
          "POST /sales/{SaleId}/lines:batchGet", "POST /sales/{SaleId}/lines:batchWrite",
          "GET /patterns/getSale", "GET /patterns/listSales", "GET /buyers/{BuyerId}/sales",
          "GET /patterns/salesOfBuyer", "GET /patterns/saleFull", "GET /patterns/salesOfSeller",
          "GET /patterns/linesOfSale", "GET /patterns/getBuyer", "POST /sales:withLines",
          "POST /transact"));
}

TEST(RoutesTest, SegmentsAreTextAndParameters) {
  const Model sales = LoadDesign("sales");
  const std::vector<Route> routes = RoutesOf(sales);
  const Route* rename = Find(routes, "POST /buyers/{BuyerId}:rename");
  ASSERT_NE(rename, nullptr);
  EXPECT_THAT(rename->segments,
              ElementsAre(PathSegment{"", "buyers"}, PathSegment{"BuyerId", ":rename"}));
  EXPECT_EQ(rename->action, Route::Action::kOperation);
  ASSERT_NE(rename->operation, nullptr);
  EXPECT_EQ(rename->operation->name, "renameBuyer");
  const Route* dates = Find(routes, "GET /sales?from=&to=");
  ASSERT_NE(dates, nullptr);
  EXPECT_EQ(dates->path, "/sales");
  EXPECT_THAT(dates->query, ElementsAre("from", "to"));
  ASSERT_NE(dates->pattern, nullptr);
  EXPECT_EQ(dates->pattern->name, "salesByDate");
  ASSERT_NE(dates->entity, nullptr);
  EXPECT_EQ(dates->entity->name, "Sale");
}

TEST(RoutesTest, ADeclaredRouteReplacesThatOfAnEntity) {
  const Model orders = LoadDesign("orders");
  const std::vector<Route> routes = RoutesOf(orders);
  const Route* status = Find(routes, "GET /orders/{cnpj}/{order_id}/status");
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->action, Route::Action::kPattern);
  const Route* change = Find(routes, "POST /orders/{cnpj}/{order_id}/status");
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->action, Route::Action::kOperation);
  const Route* patch = Find(routes, "PATCH /orders/{cnpj}/{order_id}/status");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->action, Route::Action::kPatch);
  EXPECT_EQ(Find(routes, "POST /orders/{cnpj}/{order_id}/status:batchGet"), nullptr);
}

constexpr std::string_view kNotes = R"(format: stm/1
model: notes
tables:
  main:
    name: notes
    keys: {hash: "PK S", range: "SK S"}
entities:
  Hidden:
    keys: {primary: {PK: "H#{Id}", SK: H}}
    attributes: {Id: string!}
  Note:
    path: notes
    keys: {primary: {PK: "NOTE#{Id}", SK: NOTE}}
    attributes: {Id: string!}
  Page:
    parent: Hidden
    path: pages
    keys: {primary: {PK: "H#{Id}", SK: "PAGE#{Number}"}}
    attributes: {Id: string!, Number: string!}
patterns:
  - {name: other, get: Note, by: [Id], route: "GET /notes/{Id}?Id="}
  - {name: all, list: Note, served: false, route: GET /notes}
)";

TEST(RoutesTest, OneThatNeedsTheQueryReplacesNothing) {
  const Model notes = LoadText(kNotes);
  const std::vector<Route> routes = RoutesOf(notes);
  const Route* get = Find(routes, "GET /notes/{Id}");
  ASSERT_NE(get, nullptr);
  EXPECT_EQ(get->action, Route::Action::kGet);
  EXPECT_NE(Find(routes, "GET /notes/{Id}?Id="), nullptr);
}

TEST(RoutesTest, WhatHasNoPathOrIsNotServedHasNoRoute) {
  const Model notes = LoadText(kNotes);
  const std::vector<std::string> texts = Texts(RoutesOf(notes));
  EXPECT_THAT(texts, Not(Contains("GET /notes")));
  EXPECT_THAT(texts, Not(Contains("GET /patterns/all")));
  for (const std::string& text : texts) {
    EXPECT_EQ(text.find("pages"), std::string::npos) << text;
  }
  EXPECT_THAT(ItemPath(notes, *notes.FindEntity("Page")), IsEmpty());
  EXPECT_EQ(ItemPath(notes, *notes.FindEntity("Note")), "/notes/{Id}");
}

// The route without the names of its parameters, with what must be in the query.
std::string ShapeOf(const Route& route) {
  std::string shape = route.method;
  for (const PathSegment& segment : route.segments) {
    shape += "/" + std::string(segment.parameter.empty() ? "" : "{}") + segment.text;
  }
  std::vector<std::string> query = route.query;
  std::sort(query.begin(), query.end());
  for (const std::string& name : query) shape += "?" + name;
  return shape;
}

class DesignRoutesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DesignRoutesTest, NoTwoAreTheSame) {
  const Model model = LoadDesign(GetParam());
  std::set<std::string> shapes;
  for (const Route& route : RoutesOf(model)) {
    EXPECT_TRUE(shapes.insert(ShapeOf(route)).second) << Text(route);
  }
}

TEST_P(DesignRoutesTest, EveryDeclaredOneIsThere) {
  const Model model = LoadDesign(GetParam());
  const std::vector<Route> routes = RoutesOf(model);
  for (const PatternModel& pattern : model.patterns) {
    const Route* named = Find(routes, "GET /patterns/" + pattern.name);
    EXPECT_EQ(named != nullptr, !pattern.expected_unserved) << pattern.name;
    if (pattern.expected_unserved || pattern.route.empty()) continue;
    const Route* declared = Find(routes, pattern.method + " " + pattern.route);
    ASSERT_NE(declared, nullptr) << pattern.name;
    EXPECT_EQ(declared->pattern, &pattern);
  }
  for (const OperationModel& operation : model.operations) {
    const Route* declared = Find(routes, operation.method + " " + operation.route);
    ASSERT_NE(declared, nullptr) << operation.name;
    EXPECT_EQ(declared->operation, &operation);
  }
  EXPECT_EQ(Text(routes.back()), "POST /transact");
}

TEST_P(DesignRoutesTest, EveryEntityCanBeWritten) {
  const Model model = LoadDesign(GetParam());
  const std::vector<Route> routes = RoutesOf(model);
  for (const EntityModel& entity : model.entities) {
    const std::string item = ItemPath(model, entity);
    for (const std::string method : {"GET ", "PUT ", "PATCH ", "DELETE "}) {
      EXPECT_NE(Find(routes, method + item), nullptr) << method << item;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, DesignRoutesTest,
                         ::testing::Values("orders", "sales", "blog", "trading", "chat"),
                         [](const auto& design) { return std::string(design.param); });

}  // namespace
}  // namespace monotable::model
