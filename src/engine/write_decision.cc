#include "engine/write_decision.h"

#include <algorithm>
#include <cstdint>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/expiry.h"
#include "engine/idempotency.h"
#include "engine/index_entries.h"
#include "work/meter.h"

namespace monotable::engine {
namespace {

using encoding::EncodedItem;
using encoding::ItemView;

bool SawValue(const Sighting& seen, const StoredValue& value) {
  if (seen.any_image) return value.has_value();
  return seen.image ? value && *value == *seen.image : !value;
}

size_t SizeOf(const StoredValue& value) {
  return value ? value->size() : 0;
}

std::optional<EncodedItem> CopyOf(const StoredValue& value) {
  if (!value || !work::Charge(value->size())) return std::nullopt;
  return EncodedItem{std::string(*value)};
}

void Count(uint32_t table_id, uint16_t index_id, int64_t items, int64_t bytes,
           storage::Batch* batch) {
  if (items != 0) batch->Increment(encoding::ItemCountKey(table_id, index_id), items);
  if (bytes != 0) batch->Increment(encoding::ItemBytesKey(table_id, index_id), bytes);
}

// The bytes that a change of an item makes the write path look at or copy: the new image, both
// images for each index, and the images for the log.
size_t ChangeUnits(const table::TableDefinition& table, size_t old_bytes, size_t new_bytes) {
  const LoggedImages images = ImagesToLog(table);
  return new_bytes + table.indexes.size() * (old_bytes + new_bytes) +
         (images.old_item ? old_bytes : 0) + (images.new_item ? new_bytes : 0);
}

}  // namespace

std::vector<storage::NamedKey> KeysOf(const WriteRequest& request, const Clock& clock) {
  using storage::KeyMode;
  std::vector<storage::NamedKey> keys;
  keys.reserve(request.items.size() + 2);
  for (const ItemWrite& write : request.items) {
    const bool shares = write.action == WriteAction::kConditionCheck && !write.alone;
    keys.push_back({encoding::ItemKey(*write.table, write.key),
                    shares ? KeyMode::kShared : KeyMode::kExclusive});
  }
  if (request.token) {
    KeyMode mode = KeyMode::kExclusive;
    for (const int64_t bucket : TokenBuckets(clock.NowMs())) {
      keys.push_back({encoding::TokenKey(bucket, request.token->token), mode});
      mode = KeyMode::kShared;
    }
  }
  for (const KeyLock& lock : request.locks) {
    keys.push_back({encoding::LockKey(lock.name), lock.mode, /*read=*/false});
  }
  return keys;
}

size_t LeastUnits(const WriteRequest& request) {
  size_t units = 0;
  for (const ItemWrite& write : request.items) {
    units += work::kLookupUnits;
    const size_t bytes =
        write.replacement ? write.replacement->bytes.size() : write.put.bytes.size();
    if (bytes > 0) units += ChangeUnits(*write.table, 0, bytes);
    if (write.seen && write.seen->image) units += write.seen->image->size();
  }
  for (const storage::SeenRange& seen : request.ranges) {
    units += work::kLookupUnits + seen.entries.size();
  }
  return units;
}

Error NotAsSeen() {
  return Error(ErrorCode::kTransactionConflict, "Transaction is ongoing for the item");
}

void WriteDecision::Decide(const storage::Current& current) {
  const std::span<const StoredValue> values = current.values;
  if (Status token = CheckToken(values); !token) {
    failure_ = std::move(token).error();
    return;
  }
  if (outcome_.replayed) return;
  if (!IsAsSeen(current)) {
    failure_ = NotAsSeen();
    return;
  }

  changes_.resize(request_.items.size());
  outcome_.items.resize(request_.items.size());
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (!work::Charge(work::kLookupUnits)) return;
    changes_[i].old_item = values[i];
    DecideOne(request_.items[i], &changes_[i], &outcome_.items[i]);
  }
}

bool WriteDecision::IsAsSeen(const storage::Current& current) const {
  if (!current.ranges_as_seen) return false;
  for (size_t i = 0; i < request_.items.size(); ++i) {
    const std::optional<Sighting>& seen = request_.items[i].seen;
    if (!seen) continue;
    if (!work::Charge(SizeOf(current.values[i]))) return false;
    if (!SawValue(*seen, current.values[i])) return false;
  }
  return true;
}

void WriteDecision::DecideOne(const ItemWrite& write, ItemChange* change,
                              ItemOutcome* outcome) const {
  // The definition may have changed since the request was checked: an index may have come, or
  // the table may be gone.
  outcome->table = engine_.catalog().FindById(write.table->id);
  if (outcome->table == nullptr) {
    outcome->error = Error(ErrorCode::kResourceNotFound, "Requested resource not found");
    return;
  }
  Status decided = DecideItem(write, *outcome->table, change);
  if (work::Stopped()) return;
  if (!decided) {
    outcome->error = std::move(decided).error();
    const bool condition_failed = outcome->error->code() == ErrorCode::kConditionalCheckFailed;
    if (condition_failed && write.keep_old_on_condition_failure) {
      outcome->old_item = CopyOf(change->old_item);
    }
    outcome->charged_bytes = ChargedSize(change->old_item);
    return;
  }
  outcome->charged_bytes = std::max(ChargedSize(change->old_item), ChargedSize(change->new_item));
  if (write.keep_old) outcome->old_item = CopyOf(change->old_item);
  if (write.keep_new) outcome->new_item = CopyOf(change->new_item);
}

// A known and valid token means a retry, or a mistake if it came with another request.
Status WriteDecision::CheckToken(std::span<const StoredValue> values) {
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

size_t WriteDecision::ApplyUnits() const {
  if (!accepted()) return 0;
  size_t units = 0;
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (request_.items[i].action == WriteAction::kConditionCheck) continue;
    units += ChangeUnits(*outcome_.items[i].table, SizeOf(changes_[i].old_item),
                         SizeOf(changes_[i].new_item));
  }
  return units;
}

void WriteDecision::Apply(storage::Batch* batch) {
  for (size_t i = 0; i < changes_.size(); ++i) ApplyOne(i, batch);
  WriteToken(batch);
}

void WriteDecision::ApplyOne(size_t position, storage::Batch* batch) {
  const ItemChange& change = changes_[position];
  if (!change.changes_anything()) return;
  ItemOutcome& outcome = outcome_.items[position];
  const table::TableDefinition& table = *outcome.table;
  if (change.new_item) {
    batch->Put(keys_[position].bytes, *change.new_item);
  } else {
    batch->Delete(keys_[position].bytes);
  }
  const auto bytes = static_cast<int64_t>(ChargedSize(change.new_item)) -
                     static_cast<int64_t>(ChargedSize(change.old_item));
  const int64_t count = (change.new_item ? 1 : 0) - (change.old_item ? 1 : 0);
  Count(table.id, encoding::kTableItems, count, bytes, batch);

  int64_t collection_bytes = bytes;
  std::optional<encoding::AttributeLookup> old_item;
  std::optional<encoding::AttributeLookup> new_item;
  if (!table.indexes.empty()) {
    if (change.old_item) old_item.emplace(ItemView(*change.old_item));
    if (change.new_item) new_item.emplace(ItemView(*change.new_item));
  }
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const table::IndexDefinition& index = table.indexes[i];
    const IndexChange moved = UpdateIndex(table, index, old_item ? &*old_item : nullptr,
                                          new_item ? &*new_item : nullptr, batch);
    if (moved.write_units == 0) continue;
    outcome.index_costs.push_back({i, moved.write_units});
    Count(table.id, index.id, moved.entries, moved.bytes, batch);
    if (index.kind == table::IndexKind::kLocal) collection_bytes += moved.bytes;
  }
  if (table.HasLocalIndex() && collection_bytes != 0) {
    batch->Increment(CollectionKey(table, request_.items[position].key), collection_bytes);
  }
  if (table.time_to_live.enabled) {
    UpdateExpiry(table, keys_[position].bytes, ViewOf(change.old_item), ViewOf(change.new_item),
                 batch);
    if (request_.items[position].expires_at) {
      batch->Increment(encoding::ExpiredCountKey(table.id), 1);
    }
  }
  EncodeLog(position);
}

void WriteDecision::EncodeLog(size_t position) {
  const ItemChange& change = changes_[position];
  const LoggedImages images = ImagesToLog(*outcome_.items[position].table);
  if (!images.any) return;
  ChangeRecord record;
  record.event = !change.old_item   ? ChangeEvent::kInsert
                 : !change.new_item ? ChangeEvent::kRemove
                                    : ChangeEvent::kModify;
  // What changes because an item has expired, such as a sum, is an ordinary change.
  if (record.event == ChangeEvent::kRemove) record.origin = request_.origin;
  if (images.old_item) record.old_item = ViewOf(change.old_item);
  if (images.new_item) record.new_item = ViewOf(change.new_item);
  EncodedItem key;
  if (!record.old_item && !record.new_item) {
    key = encoding::EncodeItem(request_.items[position].key);
    record.key = ItemView(key);
  }
  log_.push_back({position, EncodeChange(record)});
}

void WriteDecision::Log(const storage::Commit& commit, storage::Batch* batch) const {
  for (const LogRecord& logged : log_) {
    const uint32_t table_id = outcome_.items[logged.position].table->id;
    const auto place =
        engine_.catalog().LogPosition(commit, static_cast<uint32_t>(logged.position));
    batch->Put(
        encoding::ChangeKey(table_id, encoding::ShardOf(keys_[logged.position].bytes), place),
        logged.record);
  }
}

size_t WriteDecision::log_bytes() const {
  size_t bytes = 0;
  for (const LogRecord& logged : log_) bytes += logged.record.size();
  return bytes;
}

void WriteDecision::WriteToken(storage::Batch* batch) const {
  if (!request_.token) return;
  TokenRecord record;
  record.time_ms = engine_.clock().NowMs();
  record.fingerprint = request_.token->fingerprint;
  record.note = request_.token->note;
  for (size_t i = 0; i < changes_.size(); ++i) {
    const StoredValue& image = changes_[i].new_item ? changes_[i].new_item : changes_[i].old_item;
    record.images.push_back({request_.items[i].table_name, ChargedSize(image)});
  }
  batch->Put(keys_[request_.items.size()].bytes, EncodeToken(record));
}

bool WriteDecision::DefinitionsHold() const {
  return std::all_of(outcome_.items.begin(), outcome_.items.end(), [this](const ItemOutcome& item) {
    return item.table != nullptr && engine_.catalog().FindById(item.table->id) == item.table;
  });
}

Result<WriteOutcome> WriteDecision::TakeOutcome() {
  if (failure_) return std::move(*failure_);
  return std::move(outcome_);
}

}  // namespace monotable::engine
