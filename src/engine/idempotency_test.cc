#include "engine/idempotency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace monotable::engine {
namespace {

TEST(IdempotencyTest, RecordsRoundTrip) {
  TokenRecord record;
  record.time_ms = 1'800'000'000'123;
  record.fingerprint = std::string("\0\x01", 2);
  record.images = {{"SalesTable-dev", 409600}, {"outra", 0}};
  const auto decoded = DecodeToken(EncodeToken(record));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->time_ms, record.time_ms);
  EXPECT_EQ(decoded->fingerprint, record.fingerprint);
  ASSERT_EQ(decoded->images.size(), 2);
  EXPECT_EQ(decoded->images[0].table_name, "SalesTable-dev");
  EXPECT_EQ(decoded->images[0].bytes, 409600);
}

TEST(IdempotencyTest, DamageIsAnError) {
  const std::string bytes = EncodeToken({1, "fingerprint", {{"table", 5}}, ""});
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeToken(std::string_view(bytes).substr(0, length))) << length;
  }
}

// Records of before there were notes have none.
TEST(IdempotencyTest, ANoteIsKept) {
  const std::string without = EncodeToken({1, "fingerprint", {{"table", 5}}, ""});
  const std::string with = EncodeToken({1, "fingerprint", {{"table", 5}}, "what a replay finds"});
  EXPECT_TRUE(with.starts_with(without));
  EXPECT_EQ(DecodeToken(without)->note, "");
  EXPECT_EQ(DecodeToken(with)->note, "what a replay finds");
  EXPECT_FALSE(DecodeToken(with.substr(0, with.size() - 1)));
}

TEST(IdempotencyTest, ATokenIsInOneOfTheBucketsWhileItLives) {
  for (const int64_t asked : {6'000'000L, 6'599'999L, 6'600'000L, 7'000'000L}) {
    for (const int64_t waited : {0L, 1L, 59'999L}) {
      const int64_t written = TokenBuckets(asked).front();
      for (const int64_t age : {0L, 1L, 599'999L}) {
        EXPECT_THAT(TokenBuckets(asked + waited + age), testing::Contains(written));
      }
      // A retry that was asked earlier but is decided later.
      EXPECT_THAT(TokenBuckets(asked - waited), testing::Contains(written));
    }
  }
}

TEST(IdempotencyTest, MostRequestsLookInTwoBuckets) {
  EXPECT_THAT(TokenBuckets(6'300'000), testing::ElementsAre(10, 9));
}

}  // namespace
}  // namespace monotable::engine
