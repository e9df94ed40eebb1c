#pragma once

#include <string_view>

#include "api/dynamodb/administration.h"
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
  Administration* administration = nullptr;  // of the server; null within a process
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

// What the targets of DynamoDB itself begin with.
inline constexpr std::string_view kDynamoDbTarget = "DynamoDB_20120810.";
// What those of its streams begin with.
inline constexpr std::string_view kStreamsTarget = "DynamoDBStreams_20120810.";
// What those of the operations that it does not have begin with.
inline constexpr std::string_view kOwnTarget = "Monotable_20261101.";

// The operation that an X-Amz-Target names: a service with its version, a dot, and the name.
// nullptr if there is no such operation.
const Operation* FindOperation(std::string_view target);

}  // namespace monotable::api::dynamodb
