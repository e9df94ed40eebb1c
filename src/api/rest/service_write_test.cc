#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/service_fixture.h"

namespace monotable::api::rest {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServiceWriteTest : public ServiceFixture {
 protected:
  void SetUp() override { Serve("sales"); }

  static std::string Buyer(const std::string& document, const std::string& more = "") {
    return R"({"Name":"Ana Comércio","Document":")" + document + R"(","PaymentTerms":"CASH")" +
           more + "}";
  }
  static Ask Json(const std::string& method, const std::string& target, std::string body,
                  std::map<std::string, std::string> headers = {}) {
    headers.emplace("Content-Type", "application/json; charset=utf-8");
    return {method, target, std::move(body), std::move(headers)};
  }
  std::string CreateBuyer(const std::string& document) {
    return Member(Write("POST", "/buyers", Buyer(document), 201), "BuyerId");
  }
};

TEST_F(ServiceWriteTest, CreatesAndSaysWhere) {
  const http::Response response =
      Send(Json("POST", "/buyers", Buyer("111.222.333-44", R"(,"CreditLimit":1000.50)")));
  ASSERT_EQ(response.status, 201) << response.body;
  const std::string id = Member(response.body, "BuyerId");
  EXPECT_EQ(Header(response, "Location"), "/buyers/" + id);
  EXPECT_EQ(Header(response, "ETag"), "\"v1\"");
  EXPECT_THAT(response.body,
              AllOf(HasSubstr(R"("CreditLimit":1000.5)"), HasSubstr(R"("Status":"ACTIVE")"),
                    HasSubstr(R"("CreatedBy":"anonymous")")));
  EXPECT_EQ(Get("/buyers/" + id), response.body);
  const http::Response prefixed = Send(Json("POST", "/api/v1/sales/buyers", Buyer("111.222.333-55"),
                                            {{"Prefer", "return=minimal"}}));
  EXPECT_EQ(prefixed.status, 201);
  EXPECT_EQ(prefixed.body, "");
  EXPECT_THAT(Header(prefixed, "Location"), StartsWith("/api/v1/sales/buyers/"));
}

TEST_F(ServiceWriteTest, RefusesWhatTheModelForbids) {
  EXPECT_THAT(Write("POST", "/buyers", R"({"Name":7,"Document":"x"})", 400),
              AllOf(HasSubstr(R"("path":"/Name")"), HasSubstr(R"("path":"/Document")")));
  EXPECT_THAT(Write("POST", "/buyers", "{", 400), HasSubstr("The body is no JSON"));
  EXPECT_THAT(Write("POST", "/buyers", "[]", 400), HasSubstr(R"("code":"invalid")"));
  CreateBuyer("111.222.333-44");
  EXPECT_THAT(Write("POST", "/buyers", Buyer("111.222.333-44"), 409),
              HasSubstr(R"("code":"not_unique")"));
  EXPECT_THAT(Write("PATCH", "/sales/SALE001", R"({"Status":"DRAFT"})", 409),
              AllOf(HasSubstr(R"("code":"illegal_transition")"),
                    HasSubstr(R"("allowed":["SHIPPED","CANCELLED"])")));
  EXPECT_THAT(Write("PATCH", "/sales/NONE", R"({"Notes":"x"})", 404), HasSubstr("not_found"));
  EXPECT_THAT(Write("POST", "/buyers?x=1", Buyer("111.222.333-99"), 400),
              HasSubstr("There is no parameter x here."));
  Ask form = Json("POST", "/buyers", "Name=Ana");
  form.headers["Content-Type"] = "application/x-www-form-urlencoded";
  EXPECT_THAT(Expect(form, 415), HasSubstr("unsupported_media_type"));
}

// A page of another site can make a browser send these bodies without asking the server first.
TEST_F(ServiceWriteTest, TakesOnlyBodiesThatSayTheyAreJson) {
  Ask rename = Json("POST", "/buyers/BUYER001:rename", R"({"Name":"Eve"})");
  for (const char* type : {"text/plain", "text/plain; charset=utf-8", "multipart/form-data", "",
                           "application/x-www-form-urlencoded", "application/jsonx"}) {
    rename.headers["Content-Type"] = type;
    EXPECT_THAT(Expect(rename, 415), HasSubstr("unsupported_media_type")) << type;
  }
  rename.headers.clear();
  EXPECT_THAT(Expect(rename, 415), HasSubstr("with Content-Type: application/json"));
  EXPECT_THAT(Get("/buyers/BUYER001"), Not(HasSubstr("Eve")));
  // What has no body needs no type.
  const std::string path = "/buyers/" + CreateBuyer("111.222.333-44");
  EXPECT_EQ(Send({.method = "DELETE", .target = path}).status, 204);
}

TEST_F(ServiceWriteTest, ChangesOnlyWhatWasSeen) {
  const std::string path = "/buyers/" + CreateBuyer("111.222.333-44");
  const http::Response changed =
      Send({.method = "PATCH",
            .target = path,
            .body = R"({"Phone":"1"})",
            .headers = {{"Content-Type", "application/merge-patch+json"}, {"If-Match", "\"v1\""}}});
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(Header(changed, "ETag"), "\"v2\"");
  EXPECT_THAT(Expect(Json("PATCH", path, R"({"Phone":"2"})", {{"If-Match", "\"v1\""}}), 412),
              HasSubstr("version_mismatch"));
  EXPECT_THAT(Expect(Json("PATCH", path, R"({"Phone":"2"})", {{"If-Match", "W/\"v2\""}}), 412),
              HasSubstr("version_mismatch"));
  Expect(Json("PUT", path, Buyer("111.222.333-44"), {{"If-None-Match", "*"}}), 412);
  Expect(Json("PATCH", path, R"({"Phone":"2"})", {{"If-Match", "*"}}), 200);
  Expect(Json("PATCH", path, R"({"Phone":"2"})", {{"If-Match", "\"v1\", \"v2\""}}), 400);
  EXPECT_EQ(Send(Json("PATCH", path, R"({"Phone":"3"})", {{"Prefer", "return=minimal"}})).status,
            204);
}

TEST_F(ServiceWriteTest, ReplacesAndDeletes) {
  const http::Response put = Send(Json("PUT", "/buyers/NEW", Buyer("111.222.333-44")));
  EXPECT_EQ(put.status, 201) << put.body;
  EXPECT_EQ(Header(put, "Location"), "/buyers/NEW");
  EXPECT_EQ(Member(Write("PUT", "/buyers/NEW", Buyer("111.222.333-55"), 200), "Document"),
            "111.222.333-55");
  EXPECT_THAT(Write("PUT", "/buyers/NEW", Buyer("111.222.333-55", R"(,"BuyerId":"OTHER")"), 400),
              HasSubstr("BuyerId is not what the path says."));
  EXPECT_EQ(Expect({.method = "DELETE", .target = "/buyers/NEW"}, 204), "");
  Expect({.method = "DELETE", .target = "/buyers/NEW"}, 404);
  EXPECT_THAT(Expect({.method = "DELETE", .target = "/buyers/BUYER001"}, 409),
              HasSubstr("restricted"));
  EXPECT_THAT(Expect({.method = "DELETE", .target = "/sales/SALE001?cascade=all"}, 400),
              HasSubstr("cascade takes collection."));
  Expect({.method = "DELETE", .target = "/sales/SALE001?cascade=collection"}, 204);
  Get("/sales/SALE001/lines/1", 404);
}

TEST_F(ServiceWriteTest, RunsOperations) {
  const std::string body = Write("POST", "/sales:withLines", R"({
      "sale":{"BuyerId":"BUYER001","ProducerId":"PRODUCER001","SaleDate":"2026-03-01T12:00:00Z"},
      "lines":[{"LineNumber":1,"ProductCode":"A","ProductName":"Soy","Quantity":2,"Unit":"KG",
                "UnitPrice":10.25}]})",
                                 200);
  EXPECT_THAT(body, AllOf(StartsWith(R"({"results":[{"status":201,"entity":"Sale","etag":"\"v1\"",)"
                                     R"("location":"/sales/)"),
                          HasSubstr(R"("Total":20.5)"), HasSubstr(R"("entity":"SaleLine")")));
  const auto tree = json::Tree::Parse(body);
  const std::string path(tree->root().Find("results")->items[0].Find("location")->text);
  Write("POST", path + "/status", R"({"to":"CONFIRMED"})", 200);
  EXPECT_EQ(Member(Get(path), "Status"), "CONFIRMED");
  Write("POST", path + "/lines/1:change",
        R"({"Quantity":4,"UnitPrice":10.25,"Discount":1,"Tax":0})", 200);
  EXPECT_EQ(Member(Get(path), "Total"), "40");
  EXPECT_THAT(Write("POST", path + "/status", R"({"to":"DELIVERED"})", 409),
              HasSubstr("illegal_transition"));
  EXPECT_THAT(Write("POST", path + "/status", "", 400), HasSubstr(R"("path":"/to")"));
}

TEST_F(ServiceWriteTest, RunsTransactionsAllOrNothing) {
  EXPECT_THAT(Write("POST", "/transact", R"({"writes":[
                  {"patch":"Sale","key":{"SaleId":"SALE001"},"body":{"Notes":"seen"}},
                  {"create":"Buyer",
                   "body":{"BuyerId":"B2","Name":"Bia","Document":"111.222.333-44"}},
                  {"check":"Buyer","key":{"BuyerId":"BUYER001"}}]})",
                    200),
              AllOf(HasSubstr(R"("entity":"Sale")"), HasSubstr(R"("location":"/buyers/B2")")));
  EXPECT_THAT(Write("POST", "/transact", R"({"writes":[
                  {"patch":"Sale","key":{"SaleId":"SALE001"},"body":{"Notes":"again"}},
                  {"delete":"Buyer","key":{"BuyerId":"NONE"}}]})",
                    404),
              HasSubstr("not_found"));
  EXPECT_EQ(Member(Get("/sales/SALE001"), "Notes"), "seen");
  Get("/buyers/B2");
  EXPECT_THAT(Write("POST", "/transact", R"({"writes":[{"patch":"Sal","key":{},"body":{}}]})", 400),
              AllOf(HasSubstr("Did you mean Sale?"), HasSubstr(R"("path":"/writes/0/patch")")));
  for (const char* body : {R"({})", R"({"writes":[]})", R"({"writes":[1]})", R"({"writes":[{}]})",
                           R"({"writes":[{"put":"Sale","delete":"Sale","key":{"SaleId":"x"}}]})",
                           R"({"writes":[{"delete":"Sale"}]})",
                           R"({"writes":[{"delete":"Sale","key":{"SaleId":"x"},"body":{}}]})",
                           R"({"writes":[{"delete":"Sale","key":{"SaleId":"x"},"if":"v1"}]})"}) {
    Write("POST", "/transact", body, 400);
  }
}

TEST_F(ServiceWriteTest, GetsAndWritesBatchesInOrder) {
  const std::string written = Write("POST", "/buyers:batchWrite", R"({"writes":[
      {"put":{"BuyerId":"B1","Name":"Bia","Document":"111.222.333-11"}},
      {"put":{"Name":"Cid","Document":"111.222.333-22"}},
      {"patch":{"BuyerId":"BUYER001","Phone":"7"}},
      {"delete":{"BuyerId":"NONE"}},
      {"put":{"BuyerId":"B3","Name":"","Document":"?"}}]})",
                                    200);
  const auto tree = json::Tree::Parse(written);
  std::string statuses;
  for (const json::Node& result : tree->root().Find("results")->items) {
    statuses += std::string(result.Find("status")->text) + " ";
  }
  EXPECT_EQ(statuses, "201 201 200 404 400 ") << written;
  EXPECT_THAT(written, HasSubstr(R"("path":"/writes/4/put/Document")"));
  const std::string read = Write("POST", "/buyers:batchGet", R"({"keys":[{"BuyerId":"BUYER001"},
      {"BuyerId":"NONE"},{"BuyerId":"B1"}]})",
                                 200);
  EXPECT_THAT(read, AllOf(StartsWith(R"({"items":[{)"), HasSubstr(R"("Phone":"7")"),
                          HasSubstr(R"(},null,{)"), HasSubstr(R"("Name":"Bia")")));
  EXPECT_THAT(Write("POST", "/buyers:batchGet", R"({"keys":[{}]})", 400),
              HasSubstr(R"("path":"/keys/0/BuyerId")"));
  EXPECT_THAT(Write("POST", "/sales/SALE001/lines:batchGet", R"({"keys":[{"LineNumber":1}]})", 200),
              HasSubstr(R"("LineNumber":1)"));
}

TEST_F(ServiceWriteTest, DoesNotWriteTwiceForOneKey) {
  const Ask ask = Json("POST", "/buyers", Buyer("111.222.333-44"), {{"Idempotency-Key", "k1"}});
  const http::Response first = Send(ask);
  ASSERT_EQ(first.status, 201) << first.body;
  const http::Response second = Send(ask);
  EXPECT_EQ(second.status, 201) << second.body;
  EXPECT_EQ(Header(second, "Location"), Header(first, "Location"));
  EXPECT_EQ(Header(second, "Idempotency-Replayed"), "true");
  EXPECT_EQ(Member(second.body, "BuyerId"), Member(first.body, "BuyerId"));
  Ask other = ask;
  other.body = Buyer("111.222.333-55");
  EXPECT_THAT(Expect(other, 422), HasSubstr("idempotency_mismatch"));
  other.headers["Idempotency-Key"] = std::string(256, 'k');
  Expect(other, 400);
  other.headers["Idempotency-Key"] = "k2";
  EXPECT_EQ(Header(Send(other), "Idempotency-Replayed"), "(none)");
}

TEST_F(ServiceWriteTest, RefusesReadOnlyAttributesOnlyIfAsked) {
  const std::string body = Buyer("111.222.333-44", R"(,"CreatedBy":"me")");
  EXPECT_THAT(Expect(Json("POST", "/buyers", body, {{"Prefer", "handling=strict"}}), 400),
              HasSubstr(R"("code":"read_only")"));
  EXPECT_THAT(Write("POST", "/buyers", body, 201), Not(HasSubstr("\"me\"")));
}

// The server sets the moment in the key of a message, and yet clients name messages by it.
TEST_F(ServiceFixture, NamesItemsByWhatTheServerSets) {
  Serve("chat");
  const std::string path = "/conversations/conversation-1/messages";
  const auto post = [&](const std::string& verb, const std::string& body, int status) {
    return Expect(
        {"POST", path + verb, body, {{"Content-Type", "application/json"}, {"Tenant", "tenant-1"}}},
        status);
  };
  const std::string sent = post(
      "", R"({"id":"4f8c1f5e-3c1b-4c53-9a52-0d5e9a7b1c11","role":"USER","content":"hi"})", 201);
  const std::string at = Member(sent, "createdAt");
  const std::string key = R"({"createdAt":")" + at + "\"}";
  EXPECT_THAT(post(":batchGet", R"({"keys":[)" + key + "]}", 200), HasSubstr(R"("content":"hi")"));
  EXPECT_THAT(post(":batchWrite",
                   R"({"writes":[{"patch":{"createdAt":")" + at + R"(","content":"ho"}}]})", 200),
              AllOf(HasSubstr(R"({"status":200,)"), HasSubstr(R"("content":"ho")")));
  EXPECT_THAT(post(":batchWrite", R"({"writes":[{"delete":)" + key + "}]}", 200),
              HasSubstr(R"({"status":204,)"));
  EXPECT_THAT(post(":batchGet", R"({"keys":[{"createdAt":"x"}]})", 400),
              HasSubstr(R"("path":"/keys/0/createdAt")"));
  EXPECT_THAT(post(":batchGet", R"({"keys":[{"content":"x"}]})", 400),
              HasSubstr("is no part of the key"));
}

TEST_F(ServiceFixture, ThrottlesWhenTheWorkersAreFull) {
  Serve("sales", {}, {}, {.max_queued = 0});
  const http::Response response =
      Send({"POST", "/buyers", "{}", {{"Content-Type", "application/json"}}});
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(Header(response, "Retry-After"), "1");
}

}  // namespace
}  // namespace monotable::api::rest
