#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "entities/read/entity_matcher.h"
#include "entities/read/parameters.h"
#include "entities/read/pattern_keys.h"
#include "entities/read/read.h"
#include "entities/read/walk.h"

// Reading one page of a pattern.
namespace monotable::entities {

// A pattern that is served, with what was worked out when the application started. Immutable.
struct PatternReader::Prepared {
  engine::Engine& engine;
  const Application& application;
  const model::PatternModel& pattern;
  const model::ReadPlan& plan;
  const Entity* entity;  // what is listed, or the root of a collection
  PatternKeys keys;
  EntityMatcher matcher;  // the entity; of a collection its members, too

  bool is_count() const { return pattern.kind == model::PatternModel::Kind::kCount; }
};

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
  bool IsVisible(const Entity& entity, encoding::ItemView item) const;
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

// A page of a list, or a count.
Result<ListResult> ReadList(const PatternReader::Prepared& prepared, const ListRequest& request,
                            const Caller& caller);
// A page of a collection. kNotFound if there is no root.
Result<ListResult> ReadCollection(const PatternReader::Prepared& prepared,
                                  const ListRequest& request, const Caller& caller);

}  // namespace monotable::entities
