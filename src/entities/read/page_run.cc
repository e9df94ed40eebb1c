#include <utility>

#include <fmt/format.h>

#include "engine/capacity.h"
#include "engine/read.h"
#include "entities/read/pattern_run.h"

namespace monotable::entities {

Status PageRun::Open(const Parameters& parameters, bool one_moment, WalkLimits limits) {
  const model::ReadStep& step = prepared_.plan.steps.front();
  TRY_ASSIGN(source_, FindSource(prepared_.engine, prepared_.entity->table_name, step.index));
  if (request_.consistent && source_.is_global_index()) {
    return InvalidFields({{"consistent", "range",
                           "Consistent reads are not supported on global secondary indexes."}});
  }
  TRY_ASSIGN(PatternKeys::Ranges ranges, prepared_.keys.RangesOf(source_, parameters));
  range_filters_ = std::move(ranges.filters);
  const size_t branches = ranges.branches.size();
  if (one_moment || branches > 1) snapshot_ = prepared_.engine.store().Snapshot();
  const bool backward = request_.descending.value_or(step.descending);
  walk_.emplace(
      MergedCursor(snapshot_ ? *snapshot_ : prepared_.engine.store().Latest(), source_,
                   std::move(ranges.branches),
                   backward ? storage::Direction::kBackward : storage::Direction::kForward,
                   request_.after),
      branches, limits);
  return {};
}

Result<int64_t> PageRun::Limit(int64_t otherwise) const {
  const int64_t page = prepared_.pattern.page > 0 ? prepared_.pattern.page : otherwise;
  const int64_t limit = request_.limit.value_or(std::min(page, kMaxPage));
  if (limit < 1 || limit > kMaxPage) {
    return InvalidFields(
        {{"limit", "range", fmt::format("limit must be from 1 to {}.", kMaxPage)}});
  }
  return limit;
}

bool PageRun::IsVisible(const Entity& entity, encoding::ItemView item) const {
  return !IsHidden(entity, item, now_ms_) && MaySee(entity, item, caller_);
}

Result<std::optional<encoding::EncodedItem>> PageRun::Fetch(const std::string& key) {
  TRY_ASSIGN(auto item, engine::ReadItem(*snapshot_, key));
  const size_t size = item ? encoding::ItemView(*item).ChargedSize() : 0;
  fetch_units_ += engine::ReadUnits(size, request_.consistent);
  walk_->AddBytes(size);
  return item;
}

Status PageRun::Finish(ListResult* result) {
  TRY_ASSIGN(result->next, walk_->Stop());
  result->scanned = walk_->scanned();
  result->read_units = walk_->Units(request_.consistent) + fetch_units_;
  return {};
}

}  // namespace monotable::entities
