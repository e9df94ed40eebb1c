#include "server/file_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_server.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;

Config TwoThreads() {
  Config config;
  config.http.threads = 2;
  return config;
}

TEST(FileLimitTest, GivesEverythingIfThereIsEnough) {
  const auto config = WithinFileLimit(TwoThreads(), 20'000);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->http.max_connections, 10'000u);
  EXPECT_EQ(config->store_files, 400u);
}

TEST(FileLimitTest, LeavesTheStoreEnough) {
  for (const size_t limit : {140, 256, 1024, 4096}) {
    const auto config = WithinFileLimit(TwoThreads(), limit);
    ASSERT_TRUE(config.has_value()) << limit;
    EXPECT_GE(config->store_files, 32u) << limit;
    EXPECT_GE(config->http.max_connections, 16u) << limit;
    EXPECT_LE(config->store_files + http::DescriptorsFor(config->http) + 64, limit);
  }
}

TEST(FileLimitTest, DoesNotGiveMoreThanIsWanted) {
  Config config = TwoThreads();
  config.http.max_connections = 5;
  EXPECT_EQ(WithinFileLimit(config, 256)->http.max_connections, 5u);
}

TEST(FileLimitTest, AStoreInMemoryNeedsNoFiles) {
  Config config = TwoThreads();
  config.in_memory = true;
  EXPECT_GT(WithinFileLimit(config, 256)->http.max_connections,
            WithinFileLimit(TwoThreads(), 256)->http.max_connections + 50);
}

TEST(FileLimitTest, RefusesToServeWithTooFew) {
  const auto config = WithinFileLimit(TwoThreads(), 100);
  ASSERT_FALSE(config.has_value());
  EXPECT_THAT(config.error().message(), HasSubstr("may open 100 files, and the server needs 1"));
  EXPECT_THAT(config.error().message(), HasSubstr("ulimit -n"));
}

}  // namespace
}  // namespace monotable::server
