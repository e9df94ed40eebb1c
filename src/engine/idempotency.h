#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

// ClientRequestToken: a transaction that is sent again within ten minutes is not done again. The
// record of a token is written in the same batch as the transaction it names.
namespace monotable::engine {

inline constexpr int64_t kTokenLifeMs = 600'000;

// Tokens live in buckets as wide as their life.
int64_t TokenBucket(int64_t time_ms);

// The buckets that may hold a living token for a request of this moment, the one it would write to
// first: that and the one before. A transaction waits between its request, which names the bucket,
// and its decision; so close to a border of buckets, one that came later may have been decided
// first, or one that came earlier be decided after the border, and a third bucket is looked at.
std::vector<int64_t> TokenBuckets(int64_t now_ms);

struct TokenRecord {
  int64_t time_ms = 0;      // when the transaction was done
  std::string fingerprint;  // of the request that the token came with
  // What a replay is charged for: the size of each item as the transaction left it, by table name.
  struct Image {
    std::string table_name;
    uint64_t bytes = 0;
  };
  std::vector<Image> images;
  std::string note;  // whatever the caller wanted a replay to find
};

std::string EncodeToken(const TokenRecord& token);
Result<TokenRecord> DecodeToken(std::string_view record);

}  // namespace monotable::engine
