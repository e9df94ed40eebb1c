#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

// ClientRequestToken: a transaction that is sent again within ten minutes is not done again. The
// record of a token is written in the same batch as the transaction it names.
namespace monotable::engine {

inline constexpr int64_t kTokenLifeMs = 600'000;

// Tokens are kept in buckets of time that are as long as the life of a token.
int64_t TokenBucket(int64_t time_ms);

// The buckets that may hold a valid token for a request made now. The first is the bucket to which
// the request would write its token; the second is the one before. Time passes between a request,
// which chooses its bucket, and its decision. So near the border between two buckets a later
// request may be decided first, or an earlier request after the border, and a third bucket must be
// searched.
std::vector<int64_t> TokenBuckets(int64_t now_ms);

struct TokenRecord {
  int64_t time_ms = 0;      // when the transaction was done
  std::string fingerprint;  // of the request that the token came with
  // What a replay is charged for: the size of each item after the transaction, by table name.
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
