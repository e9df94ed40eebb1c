#include <set>
#include <utility>

#include "entities/read/filter.h"
#include "entities/read/item_attributes.h"
#include "entities/read/pattern_run.h"

namespace monotable::entities {
namespace {

using encoding::ItemView;

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
  // Whether the items are returned, or some of them left out for what only the whole item tells.
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

  // Answers the parent of what was found, once in a page. What the client filters is what it gets:
  // the parent.
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

}  // namespace

Result<ListResult> ReadList(const PatternReader::Prepared& prepared, const ListRequest& request,
                            const Caller& caller) {
  return ListRun(prepared, request, caller).Run();
}

}  // namespace monotable::entities
