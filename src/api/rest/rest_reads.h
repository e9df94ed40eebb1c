#pragma once

#include "api/rest/cursor.h"
#include "api/rest/read_options.h"
#include "api/rest/rest_call.h"
#include "engine/engine.h"
#include "error/result.h"
#include "http/message.h"

// Answers to GET: items, lists, counts and collections.
namespace monotable::api::rest {

struct ReadContext {
  engine::Engine& engine;
  const CursorSeal& cursors;
};

// A GET with its parameters understood.
struct ReadRequest {
  const entities::Entity* entity = nullptr;
  const ServedPattern* pattern = nullptr;  // null: the entity's own route
  ReadOptions options;
};

Result<ReadRequest> ParseRead(const Call& call);
Result<http::Response> AnswerRead(const ReadContext& context, const Call& call,
                                  const ReadRequest& request);

}  // namespace monotable::api::rest
