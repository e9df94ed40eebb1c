#pragma once

#include <string>
#include <vector>

#include "api/rest/rest_call.h"
#include "api/rest/served_model.h"
#include "entities/codec/codec.h"
#include "entities/read/pattern_reader.h"
#include "error/result.h"

namespace monotable::api::rest {

// What a GET asks for, beside what the path names.
struct ReadOptions {
  entities::ListRequest list;  // without the cursor
  entities::Presentation presentation;
  const std::string* after = nullptr;  // the cursor as it was sent; null: from the beginning
  std::vector<std::string> expand;     // members of the item's collection
  bool count_exact = false;
};

// Reads the parameters of the query, each against what the route takes, and the pattern's own of
// path and query. An entity's own route has no pattern (null). Every mistake is found; names that
// nothing takes are refused, with what was likely meant.
Result<ReadOptions> ParseReadOptions(const Call& call, const entities::Entity& entity,
                                     const ServedPattern* pattern);

}  // namespace monotable::api::rest
