#include "operations/batches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "operations/reads.h"
#include "operations/writes.h"

namespace monotable::operations {
namespace {

constexpr size_t kMaxKeys = 100;
constexpr size_t kMaxResponseBytes = 16 * 1024 * 1024;

// One table of the request, checked.
struct TableReads {
  const std::string& name;
  const KeysAndAttributes& request;
  PointProjection projection;
  std::vector<std::string> keys;  // as stored, in the order of the request
};

Result<std::vector<TableReads>> ParseProjections(const BatchGetItemRequest& request) {
  std::vector<TableReads> reads;
  reads.reserve(request.tables.size());
  size_t keys = 0;
  for (const auto& [name, table] : request.tables) {
    keys += table.keys.size();
    TRY_ASSIGN(auto projection, PointProjection::Parse(table.projection_expression,
                                                       table.attributes_to_get, table.attributes));
    reads.push_back({name, table, std::move(projection), {}});
  }
  if (keys > kMaxKeys) {
    return Error::Validation("Too many items requested for the BatchGetItem call");
  }
  return reads;
}

// Stored keys name their table, so this also finds the same item asked for once by the name of its
// table and once by the ARN.
Status CheckNoDuplicates(const std::vector<TableReads>& reads) {
  std::vector<std::string_view> keys;
  for (const TableReads& table : reads)
    keys.insert(keys.end(), table.keys.begin(), table.keys.end());
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) == keys.end()) return {};
  return Error::Validation("Provided list of item keys contains duplicates");
}

Status ResolveKeys(engine::Engine& engine, std::vector<TableReads>* reads) {
  for (TableReads& table : *reads) {
    TRY_ASSIGN(const auto definition, engine.FindTable(table.name));
    TRY(table.projection.CheckAgainst(*definition));
    table.keys.reserve(table.request.keys.size());
    for (const item::Item& key : table.request.keys) {
      TRY(engine::CheckKey(*definition, key));
      table.keys.push_back(encoding::ItemKey(*definition, key));
    }
  }
  return CheckNoDuplicates(*reads);
}

KeysAndAttributes WithKeysFrom(const KeysAndAttributes& request, size_t first) {
  KeysAndAttributes rest = request;
  rest.keys.erase(rest.keys.begin(), rest.keys.begin() + static_cast<std::ptrdiff_t>(first));
  return rest;
}

// Reads until the answer is full. What does not fit any more goes back unprocessed, and so does
// everything after it, unread.
class BatchReader {
 public:
  explicit BatchReader(const storage::Reader& reader) : reader_(reader) {}

  Status Read(const TableReads& table, ReturnConsumedCapacity detail,
              BatchGetItemResponse* response) {
    std::vector<encoding::EncodedItem>& items =
        response->responses.emplace_back(table.name, std::vector<encoding::EncodedItem>{}).second;
    items.reserve(full_ ? 0 : table.keys.size());
    double units = 0;
    size_t done = 0;
    while (!full_ && done < table.keys.size()) {
      TRY_ASSIGN(auto item, engine::ReadItem(reader_, table.keys[done]));
      const size_t size = item ? encoding::ItemView(*item).ChargedSize() : 0;
      if (bytes_ + size > kMaxResponseBytes) {
        full_ = true;
        break;
      }
      ++done;
      bytes_ += size;
      units += engine::ReadUnits(size, table.request.consistent_read);
      if (!item) continue;
      TRY_ASSIGN(auto projected, table.projection.Apply(*std::move(item)));
      items.push_back(std::move(projected));
    }
    if (done < table.keys.size()) {
      response->unprocessed.emplace_back(table.name, WithKeysFrom(table.request, done));
    }
    if (auto consumed = TableReadCapacity(table.name, units, detail)) {
      response->consumed_capacity.push_back(*std::move(consumed));
    }
    return {};
  }

 private:
  const storage::Reader& reader_;
  size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace

Result<BatchGetItemResponse> BatchGetItem(engine::Engine& engine,
                                          const BatchGetItemRequest& request) {
  TRY_ASSIGN(std::vector<TableReads> reads, ParseProjections(request));
  TRY(ResolveKeys(engine, &reads));
  BatchGetItemResponse response;
  BatchReader reader(engine.store().Latest());
  for (const TableReads& table : reads) {
    TRY(reader.Read(table, request.return_consumed_capacity, &response));
  }
  return response;
}

namespace {

Result<engine::WriteRequest> Prepare(engine::Engine& engine, BatchWriteItemRequest& request) {
  for (const auto& [table_name, writes] : request.tables) {
    for (const WriteRequest& wanted : writes) {
      if (!wanted.is_delete) TRY(CheckItemSize(wanted.item));
    }
  }
  engine::WriteRequest batch;
  batch.independent = true;
  std::set<std::string> keys;
  for (auto& [table_name, writes] : request.tables) {
    for (WriteRequest& wanted : writes) {
      engine::ItemWrite write;
      if (wanted.is_delete) {
        write.action = engine::WriteAction::kDelete;
        TRY(PrepareKeyed(engine, table_name, std::move(wanted.item), &write));
      } else {
        TRY(PreparePut(engine, table_name, wanted.item, &write));
      }
      if (!keys.insert(encoding::ItemKey(*write.table, write.key)).second) {
        return Error::Validation("Provided list of item keys contains duplicates");
      }
      batch.items.push_back(std::move(write));
    }
  }
  return batch;
}

}  // namespace

// The service promises that each put or delete is atomic by itself. A small batch is one write
// nevertheless, because one commit costs less than 25; a large one is written item by item.
void BatchWriteItem(engine::Engine& engine, BatchWriteItemRequest request,
                    Done<BatchWriteItemResponse> done) {
  auto batch = Prepare(engine, request);
  if (!batch) return done(Failed<BatchWriteItemResponse>(std::move(batch).error()));
  SubmitAndRespond(engine, std::move(*batch), std::move(done),
                   [&engine, detail = request.return_consumed_capacity,
                    with_metrics = request.return_item_collection_metrics](
                       const engine::WriteRequest& submitted,
                       engine::WriteOutcome& outcome) -> Result<BatchWriteItemResponse> {
                     for (engine::ItemOutcome& item : outcome.items) {
                       if (item.error) return std::move(*item.error);
                     }
                     BatchWriteItemResponse response;
                     response.consumed_capacity =
                         WriteCapacity(submitted, outcome.items, false, detail);
                     if (with_metrics)
                       response.item_collection_metrics = CollectionMetrics(engine, submitted);
                     return response;
                   });
}

}  // namespace monotable::operations
