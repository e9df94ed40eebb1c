#pragma once

#include "encoding/keyspace.h"
#include "error/result.h"
#include "operations/streams/stream_moment.h"
#include "operations/streams/stream_shards.h"
#include "storage/store.h"

// A shard's part of the change log.
namespace monotable::operations {

// Its records from a place on.
storage::Range RecordsOf(const TableStream& stream, const StreamShard& shard,
                         const encoding::ChangePosition& from);

// Where the record is that a cursor stands on.
Result<encoding::ChangePosition> PositionOf(const storage::Cursor& cursor);

// The first place after another that a record can have.
encoding::ChangePosition After(const encoding::ChangePosition& position);

Error TrimmedDataAccess();

}  // namespace monotable::operations
