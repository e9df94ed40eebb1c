#include "operations/streams/shard_log.h"

#include <algorithm>
#include <utility>

namespace monotable::operations {

using encoding::ChangePosition;

storage::Range RecordsOf(const TableStream& stream, const StreamShard& shard,
                         const ChangePosition& from) {
  const uint32_t table_id = stream.table->id;
  storage::Range range;
  range.begin = encoding::ChangeKey(table_id, shard.number, from);
  range.end = shard.end ? encoding::ChangeKey(table_id, shard.number,
                                              {shard.end->time_ms, shard.end->sequence, 0})
                        : encoding::ChangesRange(table_id, shard.number).end;
  range.begin = std::min(range.begin, range.end);
  return range;
}

Result<ChangePosition> PositionOf(const storage::Cursor& cursor) {
  const auto position = encoding::DecodeChangeKey(cursor.key());
  if (!position) return Error::Internal("A key of the change log is damaged");
  return *position;
}

ChangePosition After(const ChangePosition& position) {
  return {position.time_ms, position.sequence, position.position + 1};
}

Error TrimmedDataAccess() {
  return Error(ErrorCode::kTrimmedDataAccess, "The data you are trying to access has been trimmed");
}

}  // namespace monotable::operations
