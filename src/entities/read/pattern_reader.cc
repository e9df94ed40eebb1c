#include "entities/read/pattern_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/capacity.h"
#include "engine/engine.h"
#include "engine/read.h"
#include "entities/problem.h"
#include "entities/read/item_filter.h"
#include "entities/read/list_walk.h"
#include "entities/read/pattern_keys.h"
#include "entities/read/read_source.h"
#include "entities/rules/expiry.h"

namespace monotable::entities {

// A pattern that is served, with what was worked out when the application started. Immutable.
struct PatternReader::Prepared {
  engine::Engine& engine;
  const Application& application;
  const model::PatternModel& pattern;
  const model::ReadPlan& plan;
  const Entity* entity;  // what is listed, or the root of a collection
  PatternKeys keys;
  EntityMatcher matcher;  // the entity, and the members of a collection

  bool is_count() const { return pattern.kind == model::PatternModel::Kind::kCount; }
};

namespace {

using encoding::ItemView;

// What both kinds of pages have in common: where they read, for whom, and how much.
class PageRun {
 public:
  using Prepared = PatternReader::Prepared;

  PageRun(const Prepared& prepared, const ListRequest& request, const Caller& caller)
      : prepared_(prepared),
        request_(request),
        caller_(caller),
        now_ms_(prepared.engine.clock().NowMs()) {}

 protected:
  // Opens the walk. Several reads see one moment if they need to agree with each other.
  Status Open(const Parameters& parameters, bool one_moment, WalkLimits limits);
  Result<int64_t> Limit(int64_t otherwise) const;
  bool IsVisible(const Entity& entity, ItemView item) const;
  // Reads an item of the table by its stored key, and charges for it.
  Result<std::optional<encoding::EncodedItem>> Fetch(const std::string& key);
  Status Finish(ListResult* result);

  const Prepared& prepared_;
  const ListRequest& request_;
  const Caller& caller_;
  const int64_t now_ms_;
  Source source_;
  std::unique_ptr<storage::Reader> snapshot_;
  std::vector<std::vector<Filter>> range_filters_;
  std::optional<Walk> walk_;
  double fetch_units_ = 0;
};

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
  const storage::Reader* reader = request_.reader;
  if (reader == nullptr) {
    reader = snapshot_ ? snapshot_.get() : &prepared_.engine.store().Latest();
  }
  const bool backward = request_.descending.value_or(step.descending);
  walk_.emplace(
      MergedCursor(*reader, source_, std::move(ranges.branches),
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

bool PageRun::IsVisible(const Entity& entity, ItemView item) const {
  return !IsHidden(entity, item, now_ms_) && MaySee(entity, item, caller_);
}

Result<std::optional<encoding::EncodedItem>> PageRun::Fetch(const std::string& key) {
  TRY_ASSIGN(auto item, engine::ReadItem(*snapshot_, key));
  const size_t size = item ? ItemView(*item).ChargedSize() : 0;
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

// Room for a usual page; larger ones grow.
constexpr int64_t kReservedItems = 32;

class ListRun : private PageRun {
 public:
  ListRun(const Prepared& prepared, const ListRequest& request, const Caller& caller)
      : PageRun(prepared, request, caller),
        counts_only_(request.count_only || prepared.is_count()),
        parents_(prepared.pattern.parents && prepared.entity->parent != nullptr) {}

  Result<ListResult> Run() {
    TRY_ASSIGN(const Parameters parameters,
               Parameters::Of(prepared_.application, request_.parameters, caller_));
    TRY_ASSIGN(const int64_t limit, Limit(kDefaultPage));
    const bool fetches = prepared_.plan.hydrate || parents_;
    TRY(Open(parameters, fetches, counts_only_ ? WalkLimits{kMaxCounted, SIZE_MAX} : WalkLimits()));
    hydrates_ = prepared_.plan.hydrate && NeedsWholeItems();
    if (parents_) {
      TRY_ASSIGN(parents_table_, prepared_.engine.FindTable(prepared_.entity->parent->table_name));
    }
    if (counts_only_) {
      for (const std::string& value : prepared_.plan.fan_out_values) {
        result_.counts.emplace_back(value, 0);
      }
    } else {
      result_.items.reserve(static_cast<size_t>(std::min(limit, kReservedItems)));
    }
    while (counts_only_ || result_.count < limit) {
      const auto entry = walk_->Next();
      if (!entry) break;
      TRY(Take(*entry));
    }
    TRY(Finish(&result_));
    return std::move(result_);
  }

 private:
  // Whether items are returned, or left out because of attributes that only the whole item has.
  bool NeedsWholeItems() const {
    const bool returned_or_filtered = !parents_ && (!counts_only_ || !request_.filters.empty());
    const auto& ttl = prepared_.entity->model->ttl;
    return returned_or_filtered || prepared_.pattern.filter || !range_filters_.empty() ||
           (ttl && ttl->hide_expired) || caller_.tenant;
  }

  Status Take(const Walk::Entry& entry) {
    const Entity* entity = prepared_.matcher.Of(ItemView(entry.bytes));
    if (entity == nullptr) return {};
    Found found{entity, {}};
    ItemView item(entry.bytes);
    if (hydrates_) {
      TRY_ASSIGN(const std::string key, TableKeyOf(*source_.table, item));
      TRY_ASSIGN(auto whole, Fetch(key));
      if (!whole) return {};
      found.item = *std::move(whole);
      item = ItemView(found.item);
    }
    TRY_ASSIGN(const bool wanted, IsWanted(*entity, item));
    if (!wanted) return {};
    if (parents_) return TakeParent(*entity, item, entry.branch);
    if (!counts_only_ && !hydrates_) found.item.bytes = entry.bytes;
    Keep(std::move(found), entry.branch);
    return {};
  }

  Result<bool> IsWanted(const Entity& entity, ItemView item) const {
    if (!IsVisible(entity, item)) return false;
    const bool filters = !request_.filters.empty() && !parents_;
    if (!prepared_.pattern.filter && range_filters_.empty() && !filters) return true;
    ItemAttributes attributes(entity, item);
    if (prepared_.pattern.filter) {
      TRY_ASSIGN(const bool holds, Holds(*prepared_.pattern.filter, attributes, now_ms_));
      if (!holds) return false;
    }
    return FitsAll(entity, attributes, range_filters_) &&
           (!filters || FitsAll(entity, attributes, request_.filters));
  }

  // Returns the parent of the item that was found, once in a page. Filters of the client apply to
  // the parent, because the client gets the parent.
  Status TakeParent(const Entity& entity, ItemView child, size_t branch) {
    const Entity& parent = *entity.parent;
    ItemAttributes attributes(entity, child);
    auto key = StoredKeyOf(parent, *parents_table_, attributes.Lookup());
    // An item that was written past the model may name no parent.
    if (!key || !*key) return {};
    const auto [seen, is_new] = parents_seen_.insert(**std::move(key));
    if (!is_new) return {};
    TRY_ASSIGN(auto item, Fetch(*seen));
    if (!item || !IsVisible(parent, ItemView(*item))) return {};
    if (!request_.filters.empty()) {
      ItemAttributes of_parent(parent, ItemView(*item));
      if (!FitsAll(parent, of_parent, request_.filters)) return {};
    }
    Keep({&parent, *std::move(item)}, branch);
    return {};
  }

  void Keep(Found found, size_t branch) {
    ++result_.count;
    if (!counts_only_) {
      result_.items.push_back(std::move(found));
    } else if (!result_.counts.empty()) {
      ++result_.counts[branch].second;
    }
  }

  const bool counts_only_;
  const bool parents_;
  bool hydrates_ = false;  // reads the table's item for every entry
  engine::TablePtr parents_table_;
  std::set<std::string> parents_seen_;  // stored keys
  ListResult result_;
};

// A page of a list, or a count.
Result<ListResult> ReadList(const PatternReader::Prepared& prepared, const ListRequest& request,
                            const Caller& caller) {
  return ListRun(prepared, request, caller).Run();
}

class CollectionRun : private PageRun {
 public:
  using PageRun::PageRun;

  Result<ListResult> Run() {
    TRY_ASSIGN(const Parameters parameters,
               Parameters::Of(prepared_.application, request_.parameters, caller_));
    TRY_ASSIGN(const int64_t limit, Limit(kMaxPage));
    TRY(Open(parameters, /*one_moment=*/true,
             request_.count_only ? WalkLimits{kMaxCounted, SIZE_MAX} : WalkLimits()));
    while (request_.count_only || result_.count < limit) {
      const auto entry = walk_->Next();
      if (!entry) break;
      Take(ItemView(entry->bytes));
    }
    const bool is_first_page = !request_.after;
    if (is_first_page && !root_) {
      TRY(FetchRoot(parameters));
    }
    TRY(Finish(&result_));
    if (is_first_page) {
      if (!root_) {
        return NotFound(prepared_.entity->name());
      }
      if (!request_.count_only) {
        result_.items.insert(result_.items.begin(), {prepared_.entity, *std::move(root_)});
      }
    }
    result_.count += is_first_page ? 1 : 0;
    return std::move(result_);
  }

 private:
  void Take(ItemView item) {
    const Entity* entity = prepared_.matcher.Of(item);
    if (entity == nullptr || !IsVisible(*entity, item)) return;
    if (entity == prepared_.entity) {
      root_ = encoding::EncodedItem{std::string(item.record())};
      return;
    }
    if (!request_.filters.empty()) {
      ItemAttributes attributes(*entity, item);
      if (!FitsAll(*entity, attributes, request_.filters)) return;
    }
    ++result_.count;
    if (!request_.count_only) {
      result_.items.push_back({entity, encoding::EncodedItem{std::string(item.record())}});
    }
  }

  // The root may sort after more members than the page has, and is then read by its key.
  Status FetchRoot(const Parameters& parameters) {
    TRY_ASSIGN(const auto key, StoredKeyOf(*prepared_.entity, *source_.table, parameters.Lookup()));
    if (!key) return {};
    TRY_ASSIGN(auto item, Fetch(*key));
    if (!item || prepared_.matcher.Of(ItemView(*item)) != prepared_.entity) return {};
    if (IsVisible(*prepared_.entity, ItemView(*item))) root_ = std::move(item);
    return {};
  }

  std::optional<encoding::EncodedItem> root_;
  ListResult result_;
};

// A page of a collection. kNotFound if there is no root.
Result<ListResult> ReadCollection(const PatternReader::Prepared& prepared,
                                  const ListRequest& request, const Caller& caller) {
  return CollectionRun(prepared, request, caller).Run();
}

using model::PatternModel;
using model::ReadPlan;
using model::ReadStep;

std::string PlanText(const ReadPlan& plan) {
  if (plan.steps.empty()) return "";
  const ReadStep& step = plan.steps.front();
  if (step.action == ReadStep::Action::kGetItem) return "GetItem";
  std::string text = "Query";
  if (!step.index.empty()) text += " " + step.index;
  if (!plan.fan_out_values.empty()) text += fmt::format(" ×{} merged", plan.fan_out_values.size());
  if (plan.steps.size() > 1) text += " + BatchGetItem";
  return text;
}

std::vector<const Entity*> WantedEntities(const Application& application,
                                          const PatternModel& pattern) {
  std::vector<const Entity*> wanted = {application.Find(pattern.entity)};
  if (pattern.kind != PatternModel::Kind::kCollection) return wanted;
  const model::CollectionModel* collection = application.model().FindCollection(pattern.collection);
  for (const auto& member : collection->members) wanted.push_back(application.Find(member.entity));
  return wanted;
}

}  // namespace

PatternReader::PatternReader(engine::Engine& engine, const Application& application,
                             const PatternModel& pattern)
    : engine_(engine),
      pattern_(pattern),
      plan_(std::make_shared<const ReadPlan>(model::PlanPattern(application.model(), pattern))),
      plan_text_(PlanText(*plan_)) {
  if (plan_->steps.empty()) return;
  prepared_ = std::make_shared<const Prepared>(Prepared{
      engine, application, pattern, *plan_, application.Find(pattern.entity),
      PatternKeys(application, pattern, *plan_),
      EntityMatcher(WantedEntities(application, pattern), plan_->steps.front().filter_by_type)});
}

Result<Found> PatternReader::Get(const item::Map& parameters, const Caller& caller,
                                 bool /*consistent*/) const {
  if (!prepared_ || plan_->steps.front().action != ReadStep::Action::kGetItem) return NotServed();
  const Entity& entity = *prepared_->entity;
  TRY_ASSIGN(const Parameters given, Parameters::Of(prepared_->application, parameters, caller));
  TRY_ASSIGN(const Source source, FindSource(engine_, entity.table_name, ""));
  TRY_ASSIGN(const std::string key, prepared_->keys.ItemKeyOf(source, given));
  TRY_ASSIGN(auto item, engine::ReadItem(engine_.store().Latest(), key));
  if (!item) return NotFound(entity.name());
  const ItemView view(*item);
  if (!HasTypeOf(entity, view) || !MaySee(entity, view, caller) ||
      IsHidden(entity, view, engine_.clock().NowMs())) {
    return NotFound(entity.name());
  }
  return Found{&entity, *std::move(item)};
}

Result<ListResult> PatternReader::List(const ListRequest& request, const Caller& caller) const {
  if (!prepared_) return NotServed();
  const bool is_collection = pattern_.kind == PatternModel::Kind::kCollection;
  auto result = is_collection ? ReadCollection(*prepared_, request, caller)
                              : ReadList(*prepared_, request, caller);
  if (result) result->plan = plan_text_;
  return result;
}

Error PatternReader::NotServed() const {
  if (prepared_) {
    return Problem(ProblemCode::kNoAccessPattern,
                   fmt::format("{} does not read one item by its key.", pattern_.name));
  }
  return Problem(ProblemCode::kNoAccessPattern,
                 fmt::format("The keys do not serve {}: {}.", pattern_.name, plan_->reason));
}

}  // namespace monotable::entities
