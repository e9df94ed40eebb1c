#include "entities/read/walk.h"

#include <utility>

#include "engine/capacity.h"
#include "engine/read.h"

namespace monotable::entities {

void QueryCost::Add(size_t bytes) {
  if (page_ > 0 && page_ + bytes > engine::kMaxPageBytes) {
    full_pages_.push_back(std::exchange(page_, 0));
  }
  page_ += bytes;
}

double QueryCost::Units(bool consistent) const {
  double units = engine::ReadUnits(page_, consistent);
  for (const size_t page : full_pages_) units += engine::ReadUnits(page, consistent);
  return units;
}

std::optional<Walk::Entry> Walk::Next() {
  if (scanned_ >= limits_.entries || bytes_ >= limits_.bytes) return std::nullopt;
  if (is_on_entry_) cursor_.Next();
  is_on_entry_ = cursor_.Valid();
  if (!is_on_entry_) return std::nullopt;
  const Entry entry{cursor_.entry(), cursor_.branch()};
  const size_t size = encoding::ItemView(entry.bytes).ChargedSize();
  ++scanned_;
  bytes_ += size;
  costs_[entry.branch].Add(size);
  return entry;
}

Result<std::optional<Position>> Walk::Stop() {
  std::optional<Position> next;
  if (is_on_entry_) {
    // Looks one entry ahead, so that a list that ends with this one says so.
    Position here = cursor_.position();
    cursor_.Next();
    is_on_entry_ = false;
    if (cursor_.Valid()) next = std::move(here);
  }
  TRY(cursor_.status());
  return next;
}

double Walk::Units(bool consistent) const {
  double units = 0;
  for (const QueryCost& cost : costs_) units += cost.Units(consistent);
  return units;
}

}  // namespace monotable::entities
