#include "api/rest/page/page.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/browser_headers.h"
#include "api/rest/problem_json.h"
#include "document/openapi/openapi.h"
#include "entities/problem.h"
#include "model/model.h"

namespace monotable::api::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PageTest : public ::testing::TestWithParam<std::string_view (*)()> {};

TEST_P(PageTest, IsWhole) {
  const std::string page(GetParam()());
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  // The files it is made of are in it.
  EXPECT_THAT(page, Not(HasSubstr(".js@")));
  EXPECT_THAT(page, Not(HasSubstr(".css@")));
  EXPECT_THAT(page, HasSubstr("function el(tag, properties, ...children)"));
}

TEST_P(PageTest, LoadsNothingFromElsewhere) {
  const std::string page(GetParam()());
  for (const std::string_view outside : {"src=\"http", "src=\"//", "@import", " url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

// A design and its items are data of others.
TEST_P(PageTest, NeverMakesMarkupOfData) {
  const std::string page(GetParam()());
  for (const std::string_view way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("}) {
    EXPECT_THAT(page, Not(HasSubstr(way)));
  }
}

// The policy of a page has a hash for each script and style, and allows no others. What is written
// in attributes would need more than hashes.
TEST_P(PageTest, RunsUnderAPolicyOfHashes) {
  const std::string page(GetParam()());
  const std::string policy = PolicyOfPage(page);
  EXPECT_THAT(policy, StartsWith("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("; style-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("; connect-src 'self'; "));
  EXPECT_THAT(policy, HasSubstr("; frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_NE(policy, PolicyOfPage(page + "<script>more</script>"));
  for (const std::string_view form :
       {"<script ", "<style ", " style=", "{ style:", ", style:", "javascript:", " onclick=",
        " onload=", " onsubmit=", " oninput="}) {
    EXPECT_THAT(page, Not(HasSubstr(form)));
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, PageTest, ::testing::Values(&DocumentationPage, &IndexPage));

// printf '%s' 'alert(1)' | openssl dgst -sha256 -binary | base64
TEST(PolicyOfPageTest, NamesTheHashOfEachScriptAndStyle) {
  EXPECT_THAT(PolicyOfPage("<script>alert(1)</script><script>alert(1)</script>"),
              HasSubstr("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=' "
                        "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; "
                        "style-src 'none';"));
}

TEST(DocumentationPageTest, ShowsTheDocumentBesideIt) {
  EXPECT_THAT(std::string(DocumentationPage()), HasSubstr("fetch('./openapi.json'"));
  EXPECT_THAT(std::string(IndexPage()), HasSubstr("fetch('/api/v1')"));
}

// The document of a model cannot see the table of problems, so this holds the two together.
TEST(OpenApiDocumentTest, NamesEveryProblemUnderItsStatus) {
  const std::string document = document::ToOpenApi(model::Model(), {});
  for (int i = 0; i <= static_cast<int>(entities::ProblemCode::kRuleFailed); ++i) {
    const auto code = static_cast<entities::ProblemCode>(i);
    EXPECT_THAT(document, HasSubstr("`" + std::string(entities::ProblemName(code)) + "`"));
  }
  for (const std::string_view code : {"throttled", "unavailable", "not_deployed",
                                      "unsupported_media_type", "idempotency_mismatch"}) {
    ASSERT_NE(FindProblemKind(code), nullptr) << code;
    EXPECT_THAT(document, HasSubstr("`" + std::string(code) + "`"));
  }
}

}  // namespace
}  // namespace monotable::api::rest
