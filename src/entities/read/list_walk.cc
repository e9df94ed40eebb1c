#include "entities/read/list_walk.h"

#include <utility>

#include "engine/capacity.h"
#include "engine/read.h"

namespace monotable::entities {
namespace {

using storage::Direction;

// Where places are not unique, a position ends with the number of the branch, in two bytes.
constexpr size_t kBranchBytes = 2;

void AppendBranch(size_t branch, std::string* out) {
  out->push_back(static_cast<char>(branch >> 8));
  out->push_back(static_cast<char>(branch));
}

// Cuts the branch off a position.
size_t TakeBranch(std::string* after) {
  if (after->size() < kBranchBytes) return 0;
  const auto byte = [&](size_t from_end) {
    return static_cast<size_t>(static_cast<unsigned char>((*after)[after->size() - from_end]));
  };
  const size_t branch = byte(2) << 8 | byte(1);
  after->resize(after->size() - kBranchBytes);
  return branch;
}

}  // namespace

MergedCursor::MergedCursor(const storage::Reader& reader, const Source& source,
                           std::vector<engine::QueryRange> ranges, Direction direction,
                           const std::optional<Position>& after)
    : places_are_unique_(source.is_global_index() || ranges.size() == 1), direction_(direction) {
  std::optional<Position> place = after;
  const size_t last_branch = place && !places_are_unique_ ? TakeBranch(&place->after) : 0;
  branches_.reserve(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    engine::QueryRange& query = ranges[i];
    if (place) Skip(*place, places_are_unique_ || i <= last_branch, direction, &query);
    Branch& branch = branches_.emplace_back();
    branch.partition_bytes = query.partition.size();
    if (query.range.begin < query.range.end) branch.cursor = reader.Scan(query.range, direction);
  }
  SelectFirst();
}

void MergedCursor::Skip(const Position& after, bool and_equal, Direction direction,
                        engine::QueryRange* query) {
  const std::string place = query->partition + after.after;
  storage::Range rest = query->range;
  if (and_equal) {
    engine::StartAfter(place, direction, &rest);
  } else if (direction == Direction::kForward) {
    rest.begin = place;
  } else {
    rest.end = place + '\0';
  }
  if (rest.begin > query->range.begin) query->range.begin = std::move(rest.begin);
  if (rest.end < query->range.end) query->range.end = std::move(rest.end);
}

void MergedCursor::SelectFirst() {
  current_ = nullptr;
  for (Branch& branch : branches_) {
    if (!branch.cursor || !branch.cursor->Valid()) continue;
    const bool is_first = current_ == nullptr ||
                          (direction_ == Direction::kForward ? branch.place() < current_->place()
                                                             : branch.place() > current_->place());
    if (is_first) current_ = &branch;
  }
}

size_t MergedCursor::branch() const {
  return static_cast<size_t>(current_ - branches_.data());
}

Position MergedCursor::position() const {
  Position position{std::string(current_->place())};
  if (!places_are_unique_) AppendBranch(branch(), &position.after);
  return position;
}

void MergedCursor::Next() {
  current_->cursor->Next();
  SelectFirst();
}

Status MergedCursor::status() const {
  for (const Branch& branch : branches_) {
    if (branch.cursor) TRY(branch.cursor->status());
  }
  return {};
}

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
