#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "error/result.h"
#include "table/definition.h"

// Tags of tables. Changes wait for their own commit, so they run on a worker, never on an I/O
// thread.
namespace monotable::operations {

struct TagResourceRequest {
  std::string resource_arn;
  std::vector<table::Tag> tags;
};

struct UntagResourceRequest {
  std::string resource_arn;
  std::vector<std::string> tag_keys;
};

struct ListTagsOfResourceRequest {
  std::string resource_arn;
};

struct ListTagsOfResourceResponse {
  std::vector<table::Tag> tags;
};

Status TagResource(engine::Engine& engine, const TagResourceRequest& request);
Status UntagResource(engine::Engine& engine, const UntagResourceRequest& request);
Result<ListTagsOfResourceResponse> ListTagsOfResource(engine::Engine& engine,
                                                      const ListTagsOfResourceRequest& request);

}  // namespace monotable::operations
