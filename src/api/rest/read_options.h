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

// Reads the parameters of the query, each against what the route takes, and the parameters of the
// pattern in path and query. The pattern is null for the route of an entity itself. Every mistake
// is reported; an unknown name is refused with a suggestion.
Result<ReadOptions> ParseReadOptions(const Call& call, const entities::Entity& entity,
                                     const ServedPattern* pattern);

}  // namespace monotable::api::rest
