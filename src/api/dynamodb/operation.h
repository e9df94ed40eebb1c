#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/dynamodb/administration.h"
#include "api/dynamodb/reply.h"
#include "api/dynamodb/shapes.h"
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

// What most answers fit into; the encoders of items reserve more by themselves.
inline constexpr size_t kUsualBody = 512;

template <auto kEncode, typename Response>
std::string BodyOf(const Response& response) {
  std::string body;
  body.reserve(kUsualBody);
  kEncode(response, &body);
  return body;
}

// An operation that returns its answer.
template <auto kDecode, auto kRun, auto kEncode>
void Returning(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  const auto result = kRun(call.engine, *request);
  if (!result) return call.reply.Fail(result.error());
  call.reply.Send(BodyOf<kEncode>(*result));
}

// An operation that returns nothing but whether it worked; the service answers with no body.
template <auto kDecode, auto kRun>
void ReturningNothing(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  const Status status = kRun(call.engine, *request);
  if (!status) return call.reply.Fail(status.error());
  call.reply.Send("");
}

// An operation that answers once its write is durable, on the thread of the store that all writes
// wait for; so the answer is printed elsewhere.
template <auto kDecode, auto kRun, auto kEncode>
void CallingBack(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  kRun(call.engine, std::move(*request), [reply = call.reply](auto result) {
    reply.SendMade([result = std::move(result)](std::string_view media_type) {
      if (!result) return MakeResponse(result.error(), media_type);
      return MakeResponse(200, media_type, BodyOf<kEncode>(*result));
    });
  });
}

// The operations of each topic, from the file of the topic.
std::span<const Operation> ItemOperations();
std::span<const Operation> QueryScanOperations();
std::span<const Operation> BatchOperations();
std::span<const Operation> TransactionOperations();
std::span<const Operation> TableOperations();
std::span<const Operation> TagOperations();
std::span<const Operation> BackupOperations();
std::span<const Operation> TransferOperations();
std::span<const Operation> StreamOperations();
// The operations that DynamoDB does not have, in its protocol: AdvanceClock, CreateServerBackup,
// ListServerBackups and DescribeExpiry.
std::span<const Operation> OwnOperations();

}  // namespace monotable::api::dynamodb
