#include "engine/decide_item.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "engine/expiry.h"
#include "engine/key_check.h"
#include "item/value.h"

namespace monotable::engine {
namespace {

using encoding::EncodedItem;
using encoding::ItemView;

Error ConditionFailed() {
  return Error(ErrorCode::kConditionalCheckFailed, "The conditional request failed");
}

Error ItemTooLarge(WriteAction action) {
  return Error::Validation(action == WriteAction::kUpdate
                               ? "Item size to update has exceeded the maximum allowed size"
                               : "Item size has exceeded the maximum allowed size");
}

// The attributes of the old item that the expressions of a write mention. All others are copied as
// they are stored, or not even read.
Result<item::Item> MentionedPart(const ItemWrite& write, const StoredValue& old_item) {
  if (!old_item) return item::Item();
  if (!write.update && !write.condition) return item::Item();
  if (!write.update) {
    return encoding::DecodeAttributes(*old_item, write.condition->MentionedNames());
  }
  if (!write.condition) {
    return encoding::DecodeAttributes(*old_item, write.update->MentionedNames());
  }
  std::vector<std::string_view> names;
  names.reserve(write.condition->MentionedNames().size() + write.update->MentionedNames().size());
  std::ranges::set_union(write.condition->MentionedNames(), write.update->MentionedNames(),
                         std::back_inserter(names));
  return encoding::DecodeAttributes(*old_item, names);
}

// The size limit of an update includes the service's own record of it: 19 bytes per action that
// sets and 2 per action that clears, in addition to the item without its key.
size_t UpdateSize(const ItemWrite& write, size_t size) {
  if (!write.update) return size;
  const size_t actions = 3 + 19 * write.update->write_actions() + 2 * write.update->clear_actions();
  return std::max(size, size - item::SizeOf(write.key) + actions);
}

// Applies an update to the old item, of which `old_part` is what the expressions mention.
// Expressions see no key attributes on an item that does not exist yet; they are added afterwards.
Result<EncodedItem> ApplyUpdate(const ItemWrite& write, const table::TableDefinition& table,
                                const StoredValue& old_item, const item::Item& old_part) {
  item::Item updated;
  if (write.update) {
    TRY_ASSIGN(updated, write.update->Apply(old_part));
  } else {
    updated = old_part;
  }
  if (!old_item) {
    for (const item::Attribute& attribute : write.key) {
      if (!updated.Contains(attribute.name)) updated.Set(attribute.name, attribute.value);
    }
  }
  const size_t size = ChargedSize(old_item) - item::SizeOf(old_part) + item::SizeOf(updated);
  if (UpdateSize(write, size) > item::kMaxItemBytes) return ItemTooLarge(write.action);
  for (const item::Attribute& attribute : updated) {
    if (item::DepthOf(attribute.value) >= item::kMaxNesting) {
      return Error::Validation(
          "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
          "levels beyond supported limit");
    }
  }
  TRY(CheckUpdatedIndexKeys(table, old_part, updated));
  if (!old_item) return encoding::EncodeItem(updated);
  return encoding::ExchangeAttributes(*old_item, old_part, updated);
}

// An update creates a missing item, unless all its actions clear attributes, which a missing item
// does not have. An update without any action also creates the item.
bool CanCreate(const ItemWrite& write) {
  return !write.update || write.update->write_actions() > 0 || write.update->clear_actions() == 0;
}

}  // namespace

std::optional<ItemView> ViewOf(const StoredValue& value) {
  if (!value) return std::nullopt;
  return ItemView(*value);
}

size_t ChargedSize(const StoredValue& value) {
  return value ? ItemView(*value).ChargedSize() : 0;
}

Status DecideItem(const ItemWrite& write, const table::TableDefinition& table, ItemChange* change) {
  TRY_ASSIGN(const item::Item old_part, MentionedPart(write, change->old_item));
  if (write.condition && !write.condition->Evaluate(old_part)) return ConditionFailed();
  if (write.replacement) {
    change->new_item = write.replacement->bytes;
    return {};
  }
  switch (write.action) {
    case WriteAction::kConditionCheck:
      change->new_item = change->old_item;
      break;
    case WriteAction::kDelete:
      change->new_item = std::nullopt;
      if (write.expires_at && change->old_item &&
          ExpirySecond(table, ItemView(*change->old_item)) != write.expires_at) {
        change->new_item = change->old_item;
      }
      break;
    case WriteAction::kPut:
      change->new_item = write.put.bytes;
      break;
    case WriteAction::kUpdate: {
      TRY_ASSIGN(change->updated, ApplyUpdate(write, table, change->old_item, old_part));
      if (change->old_item || CanCreate(write)) change->new_item = change->updated.bytes;
      break;
    }
  }
  return {};
}

Result<std::optional<EncodedItem>> PreviewWrite(const ItemWrite& write,
                                                const std::optional<EncodedItem>& old_item) {
  ItemChange change;
  if (old_item) change.old_item = old_item->bytes;
  TRY(DecideItem(write, *write.table, &change));
  if (!change.new_item) return std::optional<EncodedItem>();
  return std::optional(EncodedItem{std::string(*change.new_item)});
}

}  // namespace monotable::engine
