#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/service_fixture.h"

namespace monotable::api::rest {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServiceReadTest : public ServiceFixture {
 protected:
  void SetUp() override { Serve("sales"); }

  void PutSale(const std::string& id, const std::string& status, const std::string& date,
               int total) {
    item::Map sale = Texts({{"SaleId", id},
                            {"BuyerId", "BUYER001"},
                            {"ProducerId", "PRODUCER001"},
                            {"Status", status},
                            {"SaleDate", date},
                            {"PaymentTerms", "CASH"}});
    sale.Set("Total", N(total));
    PutRecord("Sale", std::move(sale));
  }

  // The ids in a list, in order.
  static std::string Ids(const std::string& body) {
    const auto tree = json::Tree::Parse(body);
    const json::Node* items = tree ? tree->root().Find("items") : nullptr;
    if (items == nullptr) return body;
    std::string ids;
    for (const json::Node& item : items->items) {
      if (!ids.empty()) ids += " ";
      ids += item.is_null() ? "null" : std::string(item.Find("SaleId")->text);
    }
    return ids;
  }
};

// No page of another site may show, load or read what this server sends.
TEST_F(ServiceReadTest, TellsBrowsersToKeepAnswersFromOtherSites) {
  const std::vector<std::pair<std::string, int>> all = {{"/docs", 200},
                                                        {"/api/v1/sales/docs", 200},
                                                        {"/api/v1/sales/openapi.json", 200},
                                                        {"/problems/invalid", 200},
                                                        {"/sales/SALE001", 200},
                                                        {"/sales/NONE", 404},
                                                        {"/sales?x=1", 400},
                                                        {"/healthz", 200}};
  for (const auto& [target, status] : all) {
    const http::Response response = Send({.target = target});
    EXPECT_EQ(response.status, status) << target;
    EXPECT_EQ(Header(response, "X-Content-Type-Options"), "nosniff") << target;
    EXPECT_EQ(Header(response, "Cross-Origin-Resource-Policy"), "same-origin") << target;
  }
  for (const std::string target : {"/docs", "/api/v1/sales/docs", "/api/v1/sales/model.yaml"}) {
    const http::Response response = Send({.target = target});
    EXPECT_EQ(Header(response, "X-Frame-Options"), "DENY") << target;
    EXPECT_EQ(Header(response, "Referrer-Policy"), "no-referrer") << target;
    EXPECT_THAT(Header(response, "Content-Security-Policy"),
                AllOf(StartsWith("default-src 'none'; "), HasSubstr("frame-ancestors 'none'"),
                      Not(HasSubstr("unsafe"))))
        << target;
  }
  EXPECT_THAT(Header(Send({.target = "/docs"}), "Content-Security-Policy"),
              HasSubstr("script-src 'sha256-"));
}

TEST_F(ServiceReadTest, GetsAnItemWithItsTag) {
  const http::Response response = Send({.target = "/sales/SALE001"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_THAT(response.body,
              AllOf(HasSubstr(R"("SaleId":"SALE001")"), HasSubstr(R"("Total":27550)"),
                    Not(HasSubstr("GSI1PK")), Not(HasSubstr("EntityType"))));
  EXPECT_EQ(Header(response, "Model-Version"), "1.0.0");
  EXPECT_EQ(Header(response, "X-Consumed-Capacity"), "0.5");
  EXPECT_NE(Header(response, "x-request-id"), "(none)");
  const std::string tag = Header(response, "ETag");
  const http::Response again =
      Send({.target = "/sales/SALE001", .headers = {{"If-None-Match", "\"x\", W/" + tag}}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(Header(again, "ETag"), tag);
  EXPECT_EQ(Get("/api/v1/sales/sales/SALE001"), response.body);
}

TEST_F(ServiceReadTest, ShowsFieldsAndNumbersAsWished) {
  EXPECT_EQ(Get("/sales/SALE001?fields=SaleId,Total"), R"({"SaleId":"SALE001","Total":27550})");
  EXPECT_EQ(Expect({.target = "/sales/SALE001?fields=Total",
                    .headers = {{"Prefer", "return=minimal, numbers=string"}}},
                   200),
            R"({"Total":"27550"})");
  EXPECT_EQ(Get("/buyers/BUYER001?fields=Address.City,BuyerId"),
            R"({"Address":{"City":"São Paulo"},"BuyerId":"BUYER001"})");
  EXPECT_THAT(Get("/sales/SALE001?fields=Totl", 400), HasSubstr("Did you mean Total?"));
}

TEST_F(ServiceReadTest, SaysWhatIsNotThere) {
  EXPECT_THAT(Get("/sales/NONE", 404), HasSubstr(R"("code":"not_found")"));
  EXPECT_THAT(Get("/sale/SALE001", 404), HasSubstr("Did you mean /sales/{SaleId}?"));
  const http::Response response = Send({.method = "DELETE", .target = "/sales"});
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(Header(response, "Allow"), "GET, HEAD, POST, OPTIONS");
  const http::Response options = Send({.method = "OPTIONS", .target = "/pipeline"});
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(Header(options, "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_THAT(Get("/api/v1/blog/posts", 404), HasSubstr("/api/v1/{model}: sales"));
}

TEST_F(ServiceReadTest, ListsWithMeta) {
  PutSale("SALE002", "DRAFT", "2026-02-01T10:00:00Z", 100);
  const std::string body = Get("/buyers/BUYER001/sales");
  EXPECT_EQ(Ids(body), "SALE002 SALE001");
  EXPECT_THAT(body, HasSubstr(R"(],"next":null,"meta":{"count":2,"scanned":2,"consumed":{"rcu":)"));
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?order=asc")), "SALE001 SALE002");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?from=2026-02-01&to=2026-02-01")), "SALE002");
  EXPECT_EQ(Ids(Get("/sales?Status=DRAFT")), "SALE002");
  EXPECT_EQ(Ids(Get("/sales?from=2026-01-30&to=2026-01-30")), "SALE001");
  EXPECT_EQ(Ids(Get("/patterns/salesOfBuyer?BuyerId=BUYER001&limit=1")), "SALE002");
  EXPECT_EQ(Ids(Get("/buyers/NONE/sales")), "");
}

TEST_F(ServiceReadTest, FiltersAfterTheKeys) {
  PutSale("SALE002", "DRAFT", "2026-02-01T10:00:00Z", 100);
  PutSale("SALE003", "CONFIRMED", "2026-02-02T10:00:00Z", 200);
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?Total=gte.200")), "SALE003 SALE001");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?Total=gte.100&Total=lt.200")), "SALE002");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?Status=in.(DRAFT,CONFIRMED)")), "SALE003 SALE002");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?or=(Status.eq.DRAFT,Total.gt.1000)")),
            "SALE002 SALE001");
  EXPECT_THAT(Get("/buyers/BUYER001/sales?Total=gte.x", 400), HasSubstr(R"("path":"Total")"));
  // As generated clients write them.
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?filters%5BTotal%5D=gte.200")), "SALE003 SALE001");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?filters[Total]=gte.100&filters[Total]=lt.200")),
            "SALE002");
  EXPECT_EQ(Ids(Get("/buyers/BUYER001/sales?filters[or]=(Total.ge.300,Total.lt.200)")),
            Ids(Get("/buyers/BUYER001/sales?or=(Total.ge.300,Total.lt.200)")));
  EXPECT_THAT(Get("/buyers/BUYER001/sales?filters[Total]=gte.x", 400),
              HasSubstr(R"("path":"Total")"));
  EXPECT_THAT(Get("/buyers/BUYER001/sales?filters[Nonsense]=1", 400), HasSubstr("Nonsense"));
}

TEST_F(ServiceReadTest, PagesWithCursors) {
  for (int i = 2; i <= 9; ++i) {
    PutSale("SALE00" + std::to_string(i), "DRAFT", "2026-02-0" + std::to_string(i) + "T10:00:00Z",
            i);
  }
  std::string all;
  std::string after;
  std::string first_cursor;
  for (int page = 0; page < 10; ++page) {
    const std::string body =
        Get("/sales?limit=2&order=asc" + (after.empty() ? "" : "&after=" + after));
    all += Ids(body) + "|";
    after = Member(body, "next");
    if (first_cursor.empty()) first_cursor = after;
    if (after == "null") break;
  }
  EXPECT_THAT(all, StartsWith("SALE001 SALE002|SALE003 SALE004|SALE005 SALE006|"));
  EXPECT_EQ(Ids(Get("/sales?limit=5&order=asc&after=" + first_cursor)),
            "SALE003 SALE004 SALE005 SALE006 SALE007");
  for (const std::string& target : {"/sales?limit=2&order=desc&after=" + first_cursor,
                                    "/sales?limit=2&order=asc&Status=DRAFT&after=" + first_cursor,
                                    "/buyers/BUYER001/sales?order=asc&after=" + first_cursor,
                                    "/sales?limit=2&order=asc&after=" + first_cursor.substr(1)}) {
    EXPECT_THAT(Get(target, 400), HasSubstr(R"("code":"bad_cursor")")) << target;
  }
}

TEST_F(ServiceReadTest, Counts) {
  PutSale("SALE002", "DRAFT", "2026-02-01T10:00:00Z", 100);
  PutSale("SALE003", "DRAFT", "2026-02-02T10:00:00Z", 200);
  EXPECT_THAT(Get("/pipeline"), AllOf(HasSubstr(R"("DRAFT":2)"), HasSubstr(R"("INVOICED":1)"),
                                      HasSubstr(R"("total":3)")));
  EXPECT_THAT(Get("/sales?limit=1&count=exact"), HasSubstr(R"("count":1,"total":3)"));
  EXPECT_THAT(Get("/sales?count=about", 400), HasSubstr("count takes exact"));
}

TEST_F(ServiceReadTest, NestsCollections) {
  const std::string body = Get("/sales/SALE001/full");
  EXPECT_THAT(body, AllOf(StartsWith(R"({)"), HasSubstr(R"("SaleId":"SALE001")"),
                          HasSubstr(R"("invoice":{)"), HasSubstr(R"("lines":[{)"),
                          HasSubstr(R"("next":null,"complete":true})")));
  EXPECT_THAT(Get("/sales/NONE/full", 404), HasSubstr("not_found"));
  const std::string lines = Get("/sales/SALE001?expand=lines&fields=SaleId,lines.LineNumber");
  EXPECT_EQ(lines,
            R"({"SaleId":"SALE001","lines":[{"LineNumber":1}],"next":null,"complete":true})");
  EXPECT_THAT(Get("/sales/SALE001?expand=line", 400), HasSubstr("there are: invoice, lines"));
  EXPECT_THAT(Get("/buyers/BUYER001?expand=x", 400), HasSubstr("there are: none"));
}

TEST_F(ServiceReadTest, RefusesParametersThatItDoesNotKnow) {
  EXPECT_THAT(Get("/sales?limt=5", 400), AllOf(HasSubstr(R"("path":"limt","code":"unknown")"),
                                               HasSubstr("Did you mean limit?")));
  EXPECT_THAT(Get("/sales?limit=0", 400), HasSubstr("limit is a number from 1 to 1000."));
  EXPECT_THAT(Get("/sales?limit=1001", 400), HasSubstr("limit is a number"));
  EXPECT_THAT(Get("/sales?limit=1&limit=2", 400), HasSubstr("limit is given twice."));
  EXPECT_THAT(Get("/sales?order=up&limit=x", 400),
              AllOf(HasSubstr("order takes desc or asc."), HasSubstr("limit is a number")));
  EXPECT_THAT(Get("/sales/SALE001?limit=5", 400), HasSubstr("say which with expand."));
  EXPECT_THAT(Get("/patterns/salesOfBuyer", 400), HasSubstr("BuyerId must be given."));
  EXPECT_THAT(Get("/sales?x=%", 400), HasSubstr("percent-encoded"));
}

TEST_F(ServiceReadTest, OffersPatternsInsteadOfScans) {
  EXPECT_THAT(Get("/sales?from=2026-01-01", 400),
              AllOf(HasSubstr(R"("code":"no_access_pattern")"),
                    HasSubstr(R"({"name":"salesByDate","route":"GET /sales?from=&to="})")));
}

TEST_F(ServiceReadTest, DescribesItself) {
  EXPECT_EQ(Get("/healthz"), R"({"status":"ok"})");
  EXPECT_THAT(Get("/api/v1"), AllOf(StartsWith(R"({"models":[{"name":"sales")"),
                                    HasSubstr("/api/v1/sales/openapi.json")));
  EXPECT_THAT(Get("/api/v1/sales"), HasSubstr(R"("title":"Sale Module")"));
  EXPECT_THAT(Get("/api/v1/sales/openapi.json"), HasSubstr(R"("openapi":)"));
  EXPECT_EQ(Get("/model.yaml"), entities::ReadModelsFile("sales.model.yaml"));
  EXPECT_THAT(Get("/api/v1/sales/model.json"),
              AllOf(HasSubstr(R"("model": "sales")"), HasSubstr(R"("min": 0)")));
  EXPECT_THAT(Get("/docs"), HasSubstr("<html"));
  EXPECT_THAT(Get("/api/v1/sales/docs"), HasSubstr("<html"));
  EXPECT_THAT(Get("/problems/illegal_transition"), StartsWith("illegal_transition (409)"));
  EXPECT_THAT(Get("/problems/none", 404), HasSubstr("not_found"));
}

class BlogServiceTest : public ServiceFixture {
 protected:
  void SetUp() override { Serve("blog"); }
};

TEST_F(BlogServiceTest, ListsThatNoPatternAnswersAreRefused) {
  EXPECT_THAT(Get("/categories", 400),
              AllOf(HasSubstr(R"("code":"no_access_pattern")"),
                    HasSubstr(R"({"name":"categoryBySlug","route":"GET /categories?slug="})"),
                    Not(HasSubstr("listCategories"))));
}

}  // namespace
}  // namespace monotable::api::rest
