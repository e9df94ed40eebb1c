#include <algorithm>

#include "operations/streams/stream_moment.h"
#include "operations/streams/streams.h"

namespace monotable::operations {
namespace {

constexpr int64_t kStreamsPageSize = 100;

}  // namespace

Result<ListStreamsResponse> ListStreams(engine::Engine& engine, const ListStreamsRequest& request) {
  const StreamMoment moment(engine);
  TRY_ASSIGN(const auto streams,
             request.table_name ? moment.StreamsOf(*request.table_name) : moment.AllStreams());
  auto first = streams.begin();
  // The stream to start after need not be there any more.
  if (request.exclusive_start_stream_arn) {
    first = std::upper_bound(
        first, streams.end(), *request.exclusive_start_stream_arn,
        [](const std::string& arn, const TableStream& stream) { return arn < stream.arn; });
  }
  const int64_t limit =
      std::clamp<int64_t>(request.limit.value_or(kStreamsPageSize), 1, kStreamsPageSize);
  const auto last = first + std::min<int64_t>(limit, streams.end() - first);
  ListStreamsResponse response;
  for (auto stream = first; stream != last; ++stream) {
    response.streams.push_back({stream->arn, stream->table->name, stream->definition->label});
  }
  if (last != streams.end()) response.last_evaluated_stream_arn = response.streams.back().arn;
  return response;
}

}  // namespace monotable::operations
