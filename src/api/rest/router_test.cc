#include "api/rest/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/application_fixture.h"

namespace monotable::api::rest {
namespace {

using Outcome = RouteMatch::Outcome;
using testing::ElementsAre;

// Routers of designs; each keeps the model that its routes point into.
class RouterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sales_ = entities::LoadDesign("sales").release();
    blog_ = entities::LoadDesign("blog").release();
  }
  static void TearDownTestSuite() {
    delete sales_;
    delete blog_;
  }

  // What a request finds: GET salesOfBuyer(BuyerId=B1), POST Sale, 404, 405, 400.
  static std::string Find(const entities::Application* design, std::string_view method,
                          std::string_view target) {
    const Router router(model::RoutesOf(design->model()));
    const auto query = ParseQuery(QueryOf(target));
    const auto match = router.Find(method, PathOf(target), *query);
    if (!match) return "broken";
    switch (match->outcome) {
      case Outcome::kUnknownPath:
        return "404";
      case Outcome::kWrongMethod:
        return "405 " + AllowedMethods(match->here);
      case Outcome::kNoAccessPattern:
        return "400";
      case Outcome::kFound:
        break;
    }
    const model::Route& route = *match->route;
    std::string text = route.pattern     ? route.pattern->name
                       : route.operation ? route.operation->name
                       : route.entity    ? route.method + " " + route.entity->name
                                         : route.path;
    text += "(";
    for (const PathValue& value : match->values) {
      text += std::string(value.name) + "=" + value.text + ";";
    }
    return text + ")";
  }
  static std::string Sales(std::string_view method, std::string_view target) {
    return Find(sales_, method, target);
  }

  static entities::Application* sales_;
  static entities::Application* blog_;
};
entities::Application* RouterTest::sales_ = nullptr;
entities::Application* RouterTest::blog_ = nullptr;

TEST_F(RouterTest, FindsItemsListsAndOperations) {
  EXPECT_EQ(Sales("GET", "/sales/SALE001"), "getSale(SaleId=SALE001;)");
  EXPECT_EQ(Sales("HEAD", "/sales/SALE001"), "getSale(SaleId=SALE001;)");
  EXPECT_EQ(Sales("PATCH", "/sales/SALE001"), "PATCH Sale(SaleId=SALE001;)");
  EXPECT_EQ(Sales("DELETE", "/sales/S/lines/7"), "DELETE SaleLine(SaleId=S;LineNumber=7;)");
  EXPECT_EQ(Sales("GET", "/sales/S/lines"), "linesOfSale(SaleId=S;)");
  EXPECT_EQ(Sales("GET", "/sales/S/invoice"), "getInvoice(SaleId=S;)");
  EXPECT_EQ(Sales("PUT", "/sales/S/invoice"), "PUT InvoiceMetadata(SaleId=S;)");
  EXPECT_EQ(Sales("POST", "/transact"), "/transact()");
  EXPECT_EQ(Sales("GET", "/patterns/pipeline"), "pipeline()");
}

TEST_F(RouterTest, TellsVerbsFromNames) {
  EXPECT_EQ(Sales("POST", "/sales:withLines"), "createSale()");
  EXPECT_EQ(Sales("POST", "/sales%3AwithLines"), "createSale()");
  EXPECT_EQ(Sales("POST", "/sales:batchGet"), "POST Sale()");
  EXPECT_EQ(Sales("POST", "/sales/S1:revise"), "updateSale(SaleId=S1;)");
  EXPECT_EQ(Sales("POST", "/sales/S:1:revise"), "updateSale(SaleId=S:1;)");
  // An escaped colon is part of the name, and there is nothing to POST to an item.
  EXPECT_EQ(Sales("POST", "/sales/S1%3Arevise"), "405 GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(Sales("GET", "/sales/S1%3Arevise"), "getSale(SaleId=S1:revise;)");
  EXPECT_EQ(Sales("POST", "/sales/S/lines/3:remove"), "removeLine(SaleId=S;LineNumber=3;)");
}

TEST_F(RouterTest, DecodesEachSegmentByItself) {
  EXPECT_EQ(Sales("GET", "/buyers/12.345.678%2F0001-99"), "getBuyer(BuyerId=12.345.678/0001-99;)");
  EXPECT_EQ(Sales("GET", "/buyers/a%20b+c%C3%A7"), "getBuyer(BuyerId=a b+cç;)");
  EXPECT_EQ(Sales("GET", "/buyers/%zz"), "broken");
  EXPECT_EQ(Sales("GET", "/buyers/%4"), "broken");
  EXPECT_EQ(Sales("GET", "/buyers/%ff"), "broken");
}

TEST_F(RouterTest, ChoosesThePatternThatTakesMostParameters) {
  EXPECT_EQ(Sales("GET", "/sales"), "listSales()");
  EXPECT_EQ(Sales("GET", "/sales?limit=3"), "listSales()");
  EXPECT_EQ(Sales("GET", "/sales?from=a&to=b"), "salesByDate()");
  EXPECT_EQ(Sales("GET", "/sales?from=a"), "listSales()");
  EXPECT_EQ(Sales("GET", "/sales?Status=DRAFT"), "salesByStatus()");
  EXPECT_EQ(Sales("GET", "/sales?from=a&to=b&Status=DRAFT"), "salesByStatus()");
}

TEST_F(RouterTest, KnowsWhatIsNotThere) {
  EXPECT_EQ(Sales("GET", "/sale"), "404");
  EXPECT_EQ(Sales("GET", "/"), "404");
  EXPECT_EQ(Sales("GET", ""), "404");
  EXPECT_EQ(Sales("GET", "sales"), "404");
  EXPECT_EQ(Sales("GET", "/sales/"), "404");
  EXPECT_EQ(Sales("GET", "//sales"), "404");
  EXPECT_EQ(Sales("GET", "/sales/S/lines/1/more"), "404");
  EXPECT_EQ(Sales("GET", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r"), "404");
  EXPECT_EQ(Sales("DELETE", "/sales"), "405 GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(Sales("OPTIONS", "/pipeline"), "405 GET, HEAD, OPTIONS");
  EXPECT_EQ(Sales("GET", "/transact"), "405 POST, OPTIONS");
}

TEST_F(RouterTest, ListsWithoutAPatternAreNoScans) {
  EXPECT_EQ(Find(blog_, "GET", "/categories"), "400");
  EXPECT_EQ(Find(blog_, "GET", "/categories?name=x"), "400");
  EXPECT_EQ(Find(blog_, "GET", "/categories?slug=x"), "categoryBySlug()");
  // Text is meant rather than a parameter, for the methods that it has.
  EXPECT_EQ(Find(blog_, "GET", "/users/u/bookmarks/by-post"), "bookmarksByPost(userId=u;)");
  EXPECT_EQ(Find(blog_, "DELETE", "/users/u/bookmarks/by-post"),
            "DELETE Bookmark(userId=u;postId=by-post;)");
}

TEST_F(RouterTest, SuggestsWhatWasLikelyMeant) {
  const Router router(model::RoutesOf(sales_->model()));
  EXPECT_EQ(router.SuggestPath("/sale"), "/sales");
  EXPECT_EQ(router.SuggestPath("/sales/SALE001/line"), "/sales/{SaleId}/lines");
  EXPECT_EQ(router.SuggestPath("/weather/today/in/Recife"), std::nullopt);
}

TEST(QueryStringTest, ReadsParametersInOrder) {
  const auto query = ParseQuery("a=1&b=x%20y+z&&c&a=%3D");
  ASSERT_TRUE(query);
  std::vector<std::string> texts;
  for (const auto& [name, value] : *query) texts.push_back(name + ":" + value);
  EXPECT_THAT(texts, ElementsAre("a:1", "b:x y z", "c:", "a:="));
  EXPECT_EQ(*FindParameter(*query, "a"), "1");
  EXPECT_EQ(FindParameter(*query, "d"), nullptr);
  EXPECT_FALSE(ParseQuery("a=%g1"));
  EXPECT_FALSE(ParseQuery("a=%e7"));
}

}  // namespace
}  // namespace monotable::api::rest
