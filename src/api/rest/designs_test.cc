#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/service_fixture.h"
#include "model/route/route.h"

namespace monotable::api::rest {
namespace {

using model::PatternModel;

// The examples that the designs give of their own patterns, asked over their routes.
class DesignsTest : public ServiceFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    clock_.now_ms = 1'770'000'000'000;  // 2026-02-02, before the trading samples expire
    Serve(GetParam());
  }

  // A route with the values of an example: those of its path in their places, others behind it.
  static std::string TargetOf(const model::Route& route, const PatternModel::Example& example) {
    std::string path;
    std::string query;
    for (const model::PathSegment& segment : route.segments) {
      path += "/";
      for (const auto& [name, value] : example.given) {
        if (name == segment.parameter) path += EscapeSegment(value);
      }
      path += segment.text;
    }
    for (const auto& [name, value] : example.given) {
      const bool in_path =
          std::any_of(route.segments.begin(), route.segments.end(),
                      [&, given = &name](const auto& each) { return each.parameter == *given; });
      if (in_path) continue;
      query += (query.empty() ? "?" : "&") + name + "=" + EscapeSegment(value);
    }
    return path + query;
  }

  // How many items an answer has: of a list those in it, otherwise the object itself.
  static size_t Count(const std::string& body) {
    const auto tree = json::Tree::Parse(body);
    EXPECT_TRUE(tree) << body;
    if (!tree) return 0;
    const json::Node* items = tree->root().Find("items");
    return items == nullptr ? 1 : items->items.size();
  }
};

TEST_P(DesignsTest, ExamplesAreAnsweredOverEveryRoute) {
  int answered = 0;
  for (const model::Route& route : model::RoutesOf(application().model())) {
    if (route.pattern == nullptr) continue;
    for (const PatternModel::Example& example : route.pattern->examples) {
      const std::string target = TargetOf(route, example);
      SCOPED_TRACE(target);
      const std::string body = Get(target);
      // A collection may have members that are called items.
      if (route.pattern->kind != PatternModel::Kind::kCollection) {
        EXPECT_EQ(Count(body), example.returns.size()) << body;
      }
      for (const std::string& id : example.returns) EXPECT_THAT(body, testing::HasSubstr(id));
      ++answered;
    }
  }
  EXPECT_GE(answered, 10);
}

// Nothing that a client can send to a route may be a fault of the server.
TEST_P(DesignsTest, NoRouteFailsInside) {
  for (const model::Route& route : model::RoutesOf(application().model())) {
    for (const char* value : {"x", "1", "2026-01-30T10:00:00Z", "2026-01-30", "%23"}) {
      std::string target;
      for (const model::PathSegment& segment : route.segments) {
        target += "/";
        if (!segment.parameter.empty()) target += value;
        target += segment.text;
      }
      for (const char* body : {"", "{}", "[]", R"({"keys":[{}]})", R"({"writes":[{"put":{}}]})"}) {
        const http::Response response =
            Send({.method = route.method, .target = target, .body = body});
        EXPECT_LT(response.status, 500) << route.method << " " << target << " " << response.body;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rest, DesignsTest,
                         testing::Values("sales", "blog", "chat", "orders", "trading"));

}  // namespace
}  // namespace monotable::api::rest
