#include <utility>

#include "entities/read/filter.h"
#include "entities/read/item_attributes.h"
#include "entities/read/pattern_run.h"

namespace monotable::entities {
namespace {

using encoding::ItemView;

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

}  // namespace

Result<ListResult> ReadCollection(const PatternReader::Prepared& prepared,
                                  const ListRequest& request, const Caller& caller) {
  return CollectionRun(prepared, request, caller).Run();
}

}  // namespace monotable::entities
