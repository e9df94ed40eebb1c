#pragma once

#include <string_view>

#include "api/dynamodb/reply.h"
#include "api/dynamodb/shape.h"
#include "engine/engine.h"
#include "json/parse.h"

namespace monotable::api::dynamodb {

// One call of an operation, after its request has been checked against its shape.
struct Call {
  engine::Engine& engine;
  json::Object body;      // holds until the operation's function returns
  std::string_view host;  // as the client called this server; likewise
  const Reply& reply;
};

// Where an operation runs: at once on the I/O thread, where nothing may block, or on a worker.
enum class Place { kInline, kWorker };

struct Operation {
  std::string_view name;
  const Shape& input;
  Place place;
  // Decodes, runs and answers, possibly after it has returned.
  void (*run)(const Call& call);
};

// nullptr if there is no such operation.
const Operation* FindOperation(std::string_view name);

}  // namespace monotable::api::dynamodb
