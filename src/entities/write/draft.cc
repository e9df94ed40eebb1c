#include "entities/write/draft.h"

#include <utility>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "entities/problem.h"
#include "item/value.h"

namespace monotable::entities {

const Record* Slot::old_record() const {
  if (moved_from != nullptr) return moved_from->old_record();
  return before ? &*before : nullptr;
}

const Record* Slot::current() const {
  if (written) return after ? &*after : nullptr;
  return before ? &*before : nullptr;
}

Result<Slot*> Draft::LoadSlot(const Entity* entity, engine::TablePtr table, const item::Item& key,
                              KeyLocks::Mode mode) {
  const std::string stored_key = encoding::ItemKey(*table, key);
  if (!locks_.Acquire(stored_key, mode)) {
    blocked_ = true;
    return Error(ErrorCode::kTransactionConflict, "Another write is in the way.");
  }
  if (const auto found = by_key_.find(stored_key); found != by_key_.end()) return found->second;
  TRY_ASSIGN(auto image, engine::ReadItem(reader(), stored_key));
  return AddSlot(entity, std::move(table), key, stored_key, std::move(image));
}

Result<Slot*> Draft::AddSlot(const Entity* entity, engine::TablePtr table, const item::Item& key,
                             std::string stored_key, std::optional<encoding::EncodedItem> image) {
  auto slot = std::make_unique<Slot>();
  slot->entity = entity;
  slot->table = std::move(table);
  slot->key = key;
  slot->image = std::move(image);
  if (slot->image && entity != nullptr) {
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(slot->image->bytes));
    TRY_ASSIGN(slot->before, RecordOf(*entity, item));
  }
  by_key_.emplace(std::move(stored_key), slot.get());
  slots_.push_back(std::move(slot));
  return slots_.back().get();
}

Result<Slot*> Draft::Assume(const Entity& entity, engine::TablePtr table, const item::Item& key,
                            std::optional<encoding::EncodedItem> image) {
  std::string stored_key = encoding::ItemKey(*table, key);
  return AddSlot(&entity, std::move(table), key, std::move(stored_key), std::move(image));
}

Result<Slot*> Draft::Load(const Entity& entity, const item::Item& key, KeyLocks::Mode mode) {
  TRY_ASSIGN(engine::TablePtr table, engine_.FindTable(entity.table_name));
  if (const Status checked = engine::CheckKey(*table, key); !checked) {
    return Problem(ProblemCode::kInvalid, checked.error().message());
  }
  return LoadSlot(&entity, std::move(table), key, mode);
}

Result<Slot*> Draft::LoadInternal(const Entity& of_table, const item::Item& key) {
  TRY_ASSIGN(engine::TablePtr table, engine_.FindTable(of_table.table_name));
  return LoadSlot(nullptr, std::move(table), key, KeyLocks::Mode::kExclusive);
}

Status Draft::Lock(const std::string& name) {
  if (!locks_.Acquire(name, KeyLocks::Mode::kExclusive)) {
    blocked_ = true;
    return Error(ErrorCode::kTransactionConflict, "Another write is in the way.");
  }
  names_.insert(name);
  return {};
}

Result<Slot*> Draft::Load(const Entity& entity, const encoding::EncodedItem& found,
                          KeyLocks::Mode mode) {
  TRY_ASSIGN(engine::TablePtr table, engine_.FindTable(entity.table_name));
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(found.bytes));
  const item::Item key = engine::KeyOf(*table, item);
  return LoadSlot(&entity, std::move(table), key, mode);
}

Result<Slot*> Draft::FindLoaded(const Entity& entity, const encoding::EncodedItem& found) const {
  TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(entity.table_name));
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(found.bytes));
  const auto slot = by_key_.find(encoding::ItemKey(*table, item));
  return slot == by_key_.end() ? nullptr : slot->second;
}

Result<std::optional<encoding::EncodedItem>> NewImage(const Slot& slot) {
  if (!slot.written) return slot.image;
  if (slot.internal) return std::optional(encoding::EncodeItem(*slot.internal));
  if (!slot.after) return std::optional<encoding::EncodedItem>();
  TRY_ASSIGN(const item::Item item, ItemOf(*slot.entity, *slot.after));
  if (item::SizeOf(item) > item::kMaxItemBytes) {
    return Problem(ProblemCode::kItemTooLarge,
                   "The item would be larger than the 400 KB that an item may have.");
  }
  if (const Status checked = engine::CheckItem(*slot.table, item); !checked) {
    return Problem(ProblemCode::kInvalid, checked.error().message());
  }
  return std::optional(encoding::EncodeItem(item));
}

Result<engine::WriteRequest> Draft::Build() const {
  engine::WriteRequest request;
  for (const auto& slot : slots_) {
    engine::ItemWrite write;
    write.table = slot->table;
    write.table_name = slot->table->name;
    write.key = slot->key;
    write.seen.emplace();
    write.seen->any_image = !slot->written && slot->any_image && slot->image;
    if (slot->image) write.seen->image = slot->image->bytes;
    write.action = engine::WriteAction::kConditionCheck;
    write.alone = slot->alone;
    if (slot->written) {
      TRY_ASSIGN(auto image, NewImage(*slot));
      if (image) {
        write.action = engine::WriteAction::kPut;
        write.put = std::move(*image);
      } else {
        write.action = engine::WriteAction::kDelete;
      }
    }
    request.items.push_back(std::move(write));
  }
  request.ranges = reader_.seen();
  for (const std::string& name : names_) request.locks.push_back({name});
  return request;
}

namespace {

item::Value KeyText(item::Type type, std::string text) {
  if (type == item::Type::kBinary) return item::Value(item::Binary{std::move(text)});
  // A number cannot spell a name; a table of such keys can have no rules that need these items.
  if (type == item::Type::kNumber) return item::Value(item::Number());
  return item::Value(std::move(text));
}

}  // namespace

item::Item InternalKey(const Entity& of_table, const std::string& name) {
  item::Item key;
  const table::KeySchema& schema = of_table.table->key;
  const table::KeyAttribute& hash = schema.hash.front();
  key.Set(hash.name, KeyText(hash.type, std::string(kInternalPrefix) + name));
  for (const table::KeyAttribute& range : schema.range) {
    key.Set(range.name, KeyText(range.type, std::string(kInternalPrefix)));
  }
  return key;
}

std::optional<item::Item> JobKey(const model::TableModel& table, const std::string& name) {
  constexpr size_t kMaxRangeBytes = 1024;
  if (table.key.range.empty() || name.size() > kMaxRangeBytes) return std::nullopt;
  const table::KeyAttribute& hash = table.key.hash.front();
  const table::KeyAttribute& range = table.key.range.front();
  if (hash.type == item::Type::kNumber || range.type == item::Type::kNumber) return std::nullopt;
  item::Item key;
  key.Set(hash.name, KeyText(hash.type, std::string(kJobsPartition)));
  key.Set(range.name, KeyText(range.type, name));
  return key;
}

bool IsInternal(const model::TableModel& table, const item::Item& key) {
  const item::Value* hash = key.Find(table.key.hash.front().name);
  if (hash == nullptr) return false;
  if (hash->is(item::Type::kString)) return hash->string().starts_with(kInternalPrefix);
  return hash->is(item::Type::kBinary) && hash->binary().starts_with(kInternalPrefix);
}

}  // namespace monotable::entities
