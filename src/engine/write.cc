#include "engine/write.h"

#include <algorithm>
#include <future>
#include <span>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/decide_item.h"
#include "engine/expiry.h"
#include "engine/index_entries.h"
#include "work/meter.h"

namespace monotable::engine {
namespace {

using encoding::EncodedItem;
using encoding::ItemView;

bool IsAsSeen(const Sighting& seen, const StoredValue& value) {
  if (seen.any_image) return value.has_value();
  return seen.image ? value && *value == *seen.image : !value;
}

class Write final : public storage::Update {
 public:
  Write(Engine& engine, WriteRequest request, WriteCallback callback)
      : engine_(engine), request_(std::move(request)), callback_(std::move(callback)) {
    keys_.reserve(request_.items.size() + 2);
    for (const ItemWrite& write : request_.items) {
      keys_.push_back(encoding::ItemKey(*write.table, write.key));
    }
    if (request_.token) {
      for (const int64_t bucket : TokenBuckets(engine_.clock().NowMs())) {
        keys_.push_back(encoding::TokenKey(bucket, request_.token->token));
      }
    }
  }

  std::span<const std::string> keys() const override { return keys_; }

  void Decide(std::span<const StoredValue> values, const storage::Commit& commit,
              storage::Batch* batch) override {
    outcome_ = WriteOutcome();
    failure_.reset();
    if (Status token = CheckToken(values); !token) {
      failure_ = std::move(token).error();
      return;
    }
    if (outcome_.replayed) return;
    for (size_t i = 0; i < request_.items.size(); ++i) {
      if (!request_.items[i].seen || IsAsSeen(*request_.items[i].seen, values[i])) continue;
      failure_ = Error(ErrorCode::kTransactionConflict, "Transaction is ongoing for the item");
      return;
    }

    std::vector<ItemChange> changes(request_.items.size());
    outcome_.items.resize(request_.items.size());
    for (size_t i = 0; i < changes.size(); ++i) {
      changes[i].old_item = values[i];
      DecideOne(request_.items[i], &changes[i], &outcome_.items[i]);
    }
    if (outcome_.refused()) return;
    for (size_t i = 0; i < changes.size(); ++i) Apply(i, changes[i], commit, batch);
    WriteToken(changes, batch);
  }

  void Done(Status status) override {
    if (!status) {
      callback_(request_, std::move(status).error());
    } else if (failure_) {
      callback_(request_, std::move(*failure_));
    } else {
      callback_(request_, std::move(outcome_));
    }
  }

 private:
  void DecideOne(const ItemWrite& write, ItemChange* change, ItemOutcome* outcome) {
    // The definition may have changed since the request was checked: an index may have come, or
    // the table may be gone.
    outcome->table = engine_.catalog().FindById(write.table->id);
    if (outcome->table == nullptr) {
      outcome->error = Error(ErrorCode::kResourceNotFound, "Requested resource not found");
      return;
    }
    Status decided = DecideItem(write, *outcome->table, change);
    if (!decided) {
      outcome->error = std::move(decided).error();
      const bool condition_failed = outcome->error->code() == ErrorCode::kConditionalCheckFailed;
      if (condition_failed && write.keep_old_on_condition_failure && change->old_item) {
        outcome->old_item = EncodedItem{std::string(*change->old_item)};
      }
      outcome->charged_bytes = ChargedSize(change->old_item);
      return;
    }
    outcome->charged_bytes = std::max(ChargedSize(change->old_item), ChargedSize(change->new_item));
    if (write.keep_old && change->old_item) {
      outcome->old_item = EncodedItem{std::string(*change->old_item)};
    }
    if (write.keep_new && change->new_item) {
      outcome->new_item = EncodedItem{std::string(*change->new_item)};
    }
  }

  void Apply(size_t position, const ItemChange& change, const storage::Commit& commit,
             storage::Batch* batch) {
    if (!change.changes_anything()) return;
    ItemOutcome& outcome = outcome_.items[position];
    const table::TableDefinition& table = *outcome.table;
    if (change.new_item) {
      batch->Put(keys_[position], *change.new_item);
    } else {
      batch->Delete(keys_[position]);
    }
    const auto bytes = static_cast<int64_t>(ChargedSize(change.new_item)) -
                       static_cast<int64_t>(ChargedSize(change.old_item));
    const int64_t count = (change.new_item ? 1 : 0) - (change.old_item ? 1 : 0);
    Count(table.id, encoding::kTableItems, count, bytes, batch);

    int64_t collection_bytes = bytes;
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      const table::IndexDefinition& index = table.indexes[i];
      const IndexChange moved =
          UpdateIndex(table, index, ViewOf(change.old_item), ViewOf(change.new_item), batch);
      if (moved.write_units == 0) continue;
      outcome.index_costs.push_back({i, moved.write_units});
      Count(table.id, index.id, moved.entries, moved.bytes, batch);
      if (index.kind == table::IndexKind::kLocal) collection_bytes += moved.bytes;
    }
    if (table.HasLocalIndex() && collection_bytes != 0) {
      batch->Increment(CollectionKey(table, request_.items[position].key), collection_bytes);
    }
    if (table.time_to_live.enabled) {
      UpdateExpiry(table, keys_[position], ViewOf(change.old_item), ViewOf(change.new_item), batch);
      if (request_.origin == ChangeOrigin::kTimeToLive) {
        batch->Increment(encoding::ExpiredCountKey(table.id), 1);
      }
    }
    LogChange(position, change, commit, batch);
  }

  void LogChange(size_t position, const ItemChange& change, const storage::Commit& commit,
                 storage::Batch* batch) const {
    const table::TableDefinition& table = *outcome_.items[position].table;
    const LoggedImages images = ImagesToLog(table);
    if (!images.any) return;
    ChangeRecord record;
    record.origin = request_.origin;
    record.event = !change.old_item   ? ChangeEvent::kInsert
                   : !change.new_item ? ChangeEvent::kRemove
                                      : ChangeEvent::kModify;
    if (images.old_item) record.old_item = ViewOf(change.old_item);
    if (images.new_item) record.new_item = ViewOf(change.new_item);
    EncodedItem key;
    if (!record.old_item && !record.new_item) {
      key = encoding::EncodeItem(request_.items[position].key);
      record.key = ItemView(key);
    }
    const auto place = engine_.catalog().LogPosition(commit, static_cast<uint32_t>(position));
    batch->Put(encoding::ChangeKey(table.id, encoding::ShardOf(keys_[position]), place),
               EncodeChange(record));
  }

  static void Count(uint32_t table_id, uint16_t index_id, int64_t items, int64_t bytes,
                    storage::Batch* batch) {
    if (items != 0) batch->Increment(encoding::ItemCountKey(table_id, index_id), items);
    if (bytes != 0) batch->Increment(encoding::ItemBytesKey(table_id, index_id), bytes);
  }

  // A known and valid token means a retry, or a mistake if it came with another request.
  Status CheckToken(std::span<const StoredValue> values) {
    if (!request_.token) return {};
    for (size_t i = request_.items.size(); i < values.size(); ++i) {
      if (!values[i]) continue;
      TRY_ASSIGN(TokenRecord record, DecodeToken(*values[i]));
      if (engine_.clock().NowMs() - record.time_ms >= kTokenLifeMs) continue;
      if (record.fingerprint != request_.token->fingerprint) {
        return Error(ErrorCode::kIdempotentParameterMismatch,
                     "The provided client token was used with different parameters");
      }
      outcome_.replayed = std::move(record);
      return {};
    }
    return {};
  }

  void WriteToken(const std::vector<ItemChange>& changes, storage::Batch* batch) const {
    if (!request_.token) return;
    TokenRecord record;
    record.time_ms = engine_.clock().NowMs();
    record.fingerprint = request_.token->fingerprint;
    record.note = request_.token->note;
    for (size_t i = 0; i < changes.size(); ++i) {
      const StoredValue& image = changes[i].new_item ? changes[i].new_item : changes[i].old_item;
      record.images.push_back({request_.items[i].table_name, ChargedSize(image)});
    }
    batch->Put(keys_[request_.items.size()], EncodeToken(record));
  }

  Engine& engine_;
  WriteRequest request_;
  WriteCallback callback_;
  std::vector<std::string> keys_;  // of the items, then of the token, where it goes first
  WriteOutcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace

bool WriteOutcome::refused() const {
  return std::any_of(items.begin(), items.end(),
                     [](const ItemOutcome& item) { return item.error.has_value(); });
}

std::string CollectionKey(const table::TableDefinition& table, const item::Item& key) {
  const item::Value* const hash[] = {key.Find(table.key.hash.front().name)};
  return encoding::CollectionBytesKey(
      table.id, encoding::PartitionPrefix(table.id, encoding::kTableItems, hash));
}

void SubmitWrite(Engine& engine, WriteRequest request, WriteCallback callback) {
  WriteGuard* guard = engine.write_guard();
  const bool guarded = guard != nullptr && std::any_of(request.items.begin(), request.items.end(),
                                                       [guard](const ItemWrite& write) {
                                                         return guard->Covers(*write.table);
                                                       });
  if (guarded) return guard->Submit(std::move(request), std::move(callback));
  SubmitUnguarded(engine, std::move(request), std::move(callback));
}

Result<std::optional<TokenRecord>> FindToken(Engine& engine, std::string_view token) {
  const int64_t now_ms = engine.clock().NowMs();
  for (const int64_t bucket : TokenBuckets(now_ms)) {
    std::string value;
    TRY_ASSIGN(const bool found,
               engine.store().Latest().Get(encoding::TokenKey(bucket, token), &value));
    if (!found) continue;
    TRY_ASSIGN(TokenRecord record, DecodeToken(value));
    if (now_ms - record.time_ms < kTokenLifeMs) return std::optional(std::move(record));
  }
  return std::optional<TokenRecord>();
}

void SubmitUnguarded(Engine& engine, WriteRequest request, WriteCallback callback) {
  // A write that was made from what a stopped read returned would be wrong.
  if (work::Stopped()) return callback(request, work::StopError());
  engine.store().Submit(std::make_unique<Write>(engine, std::move(request), std::move(callback)));
}

Result<WriteOutcome> WriteAndWait(Engine& engine, WriteRequest request) {
  std::promise<Result<WriteOutcome>> done;
  auto outcome = done.get_future();
  SubmitUnguarded(engine, std::move(request), [&done](WriteRequest&, Result<WriteOutcome> result) {
    done.set_value(std::move(result));
  });
  return outcome.get();
}

}  // namespace monotable::engine
