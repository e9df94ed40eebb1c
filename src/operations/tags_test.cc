#include "operations/tags.h"

#include <gmock/gmock.h>

#include "operations/tables_fixture.h"

namespace monotable::operations {
namespace {

using table::Tag;

class TagsTest : public TablesFixture {
 protected:
  TagsTest() { Create(Table("things")); }

  std::vector<Tag> All() {
    const auto listed = ListTagsOfResource(engine(), {arn_});
    EXPECT_TRUE(listed);
    return listed->tags;
  }

  const std::string arn_ = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
};

TEST_F(TagsTest, AddsReplacesAndRemoves) {
  ASSERT_TRUE(TagResource(engine(), {arn_, {{"a", "1"}, {"b", ""}}}));
  ASSERT_TRUE(TagResource(engine(), {arn_, {{"c", "3"}, {"a", "2"}}}));
  EXPECT_EQ(All(), (std::vector<Tag>{{"a", "2"}, {"b", ""}, {"c", "3"}}));
  ASSERT_TRUE(UntagResource(engine(), {arn_, {"b", "not there"}}));
  EXPECT_EQ(All(), (std::vector<Tag>{{"a", "2"}, {"c", "3"}}));
}

TEST_F(TagsTest, KeepsFifty) {
  std::vector<Tag> tags;
  for (int i = 0; i < 50; ++i) tags.push_back({"key-" + std::to_string(i), "value"});
  ASSERT_TRUE(TagResource(engine(), {arn_, tags}));
  EXPECT_EQ(All(), tags);
  const std::string limit = "Number of Tags exceed the current limit for the provided ResourceArn";
  EXPECT_EQ(Refusal(TagResource(engine(), {arn_, {{"one more", ""}}})), limit);
  EXPECT_EQ(Refusal(UntagResource(engine(), {arn_, std::vector<std::string>(51, "a")})), limit);
  // Replacing one is no addition.
  EXPECT_TRUE(TagResource(engine(), {arn_, {{"key-7", "other"}}}));
}

TEST_F(TagsTest, ChecksKeysAndValues) {
  const auto tag = [this](std::string key, std::string value) {
    return Refusal(
        TagResource(engine(), {arn_, {{"good", ""}, {std::move(key), std::move(value)}}}));
  };
  EXPECT_EQ(tag("", "v"), "The Tag Key provided is invalid, Key: ");
  EXPECT_EQ(tag("bad#char", "v"), "The Tag Key provided is invalid, Key: bad#char");
  EXPECT_EQ(tag("k", "100%"), "The Tag Value provided is invalid, Value: 100%");
  EXPECT_EQ(tag("k", "\U0001F511"), "The Tag Value provided is invalid, Value: \U0001F511");
  const std::string long_key(129, 'k');
  EXPECT_EQ(tag(long_key, "v"), "The Tag Key provided is invalid, Key: " + long_key);
  const std::string long_value(257, 'v');
  EXPECT_EQ(tag("k", long_value), "The Tag Value provided is invalid, Value: " + long_value);
  EXPECT_EQ(tag("AWS:a", "v"), "Tag Key cannot be prefixed with aws:, Key: AWS:a");
  EXPECT_EQ(tag("good", "v"), "Duplicate Tag Keys provided as input: Duplicate Tag Key found good");
  EXPECT_TRUE(All().empty());
  EXPECT_EQ(tag(std::string(128, 'k'), std::string(256, 'v')), "(accepted)");
  EXPECT_EQ(tag("ключ 表", "a b+c-d=e.f_g:h/i@j"), "(accepted)");
  EXPECT_EQ(Refusal(UntagResource(engine(), {arn_, {"aws:foo"}})),
            "Tag Key cannot be prefixed with aws:, Key: aws:foo");
  EXPECT_EQ(Refusal(TagResource(engine(), {arn_, {}})),
            "Atleast one Tag needs to be provided as Input.");
  EXPECT_EQ(Refusal(UntagResource(engine(), {arn_, {}})),
            "Atleast one Tag Key needs to be provided as Input.");
}

TEST_F(TagsTest, NeedsTheArnOfATable) {
  const auto check = [this](const std::string& arn, const std::string& text,
                            ErrorCode code = ErrorCode::kValidation) {
    EXPECT_EQ(Refusal(ListTagsOfResource(engine(), {arn}), code), text);
    EXPECT_EQ(Refusal(TagResource(engine(), {arn, {{"a", "1"}}}), code), text);
    EXPECT_EQ(Refusal(UntagResource(engine(), {arn, {"a"}}), code), text);
  };
  const std::string invalid = "One or more parameter values were invalid: ";
  check("things", invalid + "ARNs must start with 'arn:': things");
  for (const auto& arn : {std::string("arn:aws:s3:::things"), arn_ + "/backup/01"}) {
    check(arn, invalid + "Provided Arn is not a DynamoDB resource arn: " + arn);
  }
  check(arn_ + "/index/by-x",
        invalid +
            "Invalid resource arn provided, only table or stream is accepted. Provided resource "
            "arn: " +
            arn_ + "/index/by-x");
  const std::string far = "arn:aws:dynamodb:eu-west-2:000000000000:table/things";
  check(far, "Invalid TableArn: Invalid ResourceArn provided as input " + far);
  check("arn:aws:dynamodb:us-east-1:123456789012:table/things", "Access is denied",
        ErrorCode::kAccessDenied);
  for (const auto& arn : {arn_ + "s", arn_ + "/stream/2025-11-14T10:30:00.123"}) {
    check(arn, "Requested resource not found: ResourceArn: " + arn + " not found",
          ErrorCode::kResourceNotFound);
  }
}

}  // namespace
}  // namespace monotable::operations
