#include "engine/idempotency.h"

#include "encoding/varint.h"

namespace monotable::engine {

int64_t TokenBucket(int64_t time_ms) {
  return time_ms / kTokenLifeMs;
}

std::vector<int64_t> TokenBuckets(int64_t now_ms) {
  constexpr int64_t kLongestWaitMs = 60'000;
  const int64_t own = TokenBucket(now_ms);
  std::vector<int64_t> buckets = {own};
  const int64_t last = TokenBucket(now_ms + kLongestWaitMs);
  for (int64_t b = TokenBucket(now_ms - kTokenLifeMs - kLongestWaitMs); b <= last; ++b) {
    if (b != own) buckets.push_back(b);
  }
  return buckets;
}

std::string EncodeToken(const TokenRecord& token) {
  std::string out;
  encoding::AppendVarint(static_cast<uint64_t>(token.time_ms), &out);
  encoding::AppendBytes(token.fingerprint, &out);
  encoding::AppendVarint(token.images.size(), &out);
  for (const TokenRecord::Image& image : token.images) {
    encoding::AppendBytes(image.table_name, &out);
    encoding::AppendVarint(image.bytes, &out);
  }
  if (!token.note.empty()) encoding::AppendBytes(token.note, &out);
  return out;
}

Result<TokenRecord> DecodeToken(std::string_view record) {
  const Error damaged = Error::Internal("The record of an idempotency token is damaged");
  TokenRecord token;
  uint64_t time_ms = 0;
  uint64_t count = 0;
  std::string_view fingerprint;
  if (!encoding::ReadVarint(&record, &time_ms) || !encoding::ReadBytes(&record, &fingerprint) ||
      !encoding::ReadVarint(&record, &count)) {
    return damaged;
  }
  token.time_ms = static_cast<int64_t>(time_ms);
  token.fingerprint = fingerprint;
  for (uint64_t i = 0; i < count; ++i) {
    TokenRecord::Image image;
    std::string_view table_name;
    if (!encoding::ReadBytes(&record, &table_name) ||
        !encoding::ReadVarint(&record, &image.bytes)) {
      return damaged;
    }
    image.table_name = table_name;
    token.images.push_back(std::move(image));
  }
  std::string_view note;
  if (!record.empty() && !encoding::ReadBytes(&record, &note)) return damaged;
  token.note = note;
  return token;
}

}  // namespace monotable::engine
