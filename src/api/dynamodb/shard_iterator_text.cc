#include "api/dynamodb/shard_iterator_text.h"

#include <iterator>
#include <optional>
#include <utility>

#include <xxhash.h>

#include "encoding/varint.h"
#include "json/base64.h"

namespace monotable::api::dynamodb {
namespace {

using operations::ShardIterator;

constexpr std::string_view kVersion = "|1|";

// Not secret, but different from the sums that anybody would compute by chance.
constexpr XXH64_hash_t kSeed = 0x6d6f6e6f7461626c;
constexpr size_t kChecksumBytes = sizeof(XXH64_canonical_t);

std::string Checksum(std::string_view arn, std::string_view members) {
  std::string all(arn);
  all.append(members);
  XXH64_canonical_t bytes;
  XXH64_canonicalFromHash(&bytes, XXH3_64bits_withSeed(all.data(), all.size(), kSeed));
  return std::string(std::begin(bytes.digest), std::end(bytes.digest));
}

std::string EncodeMembers(const ShardIterator& iterator) {
  std::string members;
  encoding::AppendVarint(iterator.shard, &members);
  encoding::AppendVarint(iterator.at_record ? 1 : 0, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.generation.time_ms), &members);
  encoding::AppendVarint(iterator.generation.sequence, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.next.time_ms), &members);
  encoding::AppendVarint(iterator.next.sequence, &members);
  encoding::AppendVarint(iterator.next.position, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.created_at_ms), &members);
  return members;
}

template <typename Integer>
bool Take(std::string_view* members, Integer* value) {
  uint64_t number = 0;
  if (!encoding::ReadVarint(members, &number)) return false;
  *value = static_cast<Integer>(number);
  return true;
}

bool DecodeMembers(std::string_view members, ShardIterator* iterator) {
  return Take(&members, &iterator->shard) && Take(&members, &iterator->at_record) &&
         Take(&members, &iterator->generation.time_ms) &&
         Take(&members, &iterator->generation.sequence) &&
         Take(&members, &iterator->next.time_ms) && Take(&members, &iterator->next.sequence) &&
         Take(&members, &iterator->next.position) && Take(&members, &iterator->created_at_ms) &&
         members.empty();
}

std::optional<ShardIterator> Parse(std::string_view text) {
  const size_t version = text.rfind(kVersion);
  if (version == std::string_view::npos) return std::nullopt;
  const auto record = json::DecodeBase64(text.substr(version + kVersion.size()));
  if (!record) return std::nullopt;
  ShardIterator iterator;
  iterator.stream_arn = text.substr(0, version);
  if (record->size() < kChecksumBytes) return std::nullopt;
  const std::string_view checksum = std::string_view(*record).substr(0, kChecksumBytes);
  const std::string_view members = std::string_view(*record).substr(kChecksumBytes);
  if (checksum != Checksum(iterator.stream_arn, members)) return std::nullopt;
  if (!DecodeMembers(members, &iterator)) return std::nullopt;
  return iterator;
}

}  // namespace

std::string ShardIteratorText(const ShardIterator& iterator) {
  const std::string members = EncodeMembers(iterator);
  const std::string record = Checksum(iterator.stream_arn, members) + members;
  std::string text = iterator.stream_arn;
  text.append(kVersion);
  json::AppendBase64(record, &text);
  return text;
}

Result<ShardIterator> ParseShardIterator(std::string_view text) {
  auto iterator = Parse(text);
  if (!iterator) return Error::Validation("Invalid ShardIterator");
  return std::move(*iterator);
}

}  // namespace monotable::api::dynamodb
