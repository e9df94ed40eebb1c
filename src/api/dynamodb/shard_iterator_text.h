#pragma once

#include <string>
#include <string_view>

#include "error/result.h"
#include "operations/streams.h"

// Shard iterators on the wire: the ARN of the stream, a version, and a record in Base64, with bars
// between them, as the service's. A checksum over all of it tells texts that were handed out from
// others.
namespace monotable::api::dynamodb {

std::string ShardIteratorText(const operations::ShardIterator& iterator);

// A text that was not handed out is a validation error.
Result<operations::ShardIterator> ParseShardIterator(std::string_view text);

}  // namespace monotable::api::dynamodb
