#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/dynamodb/administration.h"
#include "api/dynamodb/answer.h"
#include "api/dynamodb/shapes.h"
#include "engine/engine.h"
#include "json/parse.h"

namespace monotable::api::dynamodb {

// One call of an operation, after its request has been checked against its shape.
struct Call {
  engine::Engine& engine;
  json::Object body;      // holds until the operation's function returns
  std::string_view host;  // as the client called this server; holds as long as the body
  Administration* administration = nullptr;  // of the server; null within a process
};

// Where an operation runs: at once on the I/O thread, where nothing may block, or on a worker.
enum class Place { kInline, kWorker };

// An operation decodes the body of a call, runs, and encodes the answer. Most operations return the
// answer; an operation that waits for the disk gives it to a callback, possibly after it has
// returned. One of the two functions is set.
struct Operation {
  using Returns = Answer (*)(const Call& call);
  using CallsBack = void (*)(const Call& call, AnswerDone done);

  constexpr Operation(std::string_view its_name, const Shape& its_input, Place its_place,
                      Returns function)
      : name(its_name), input(its_input), place(its_place), returns(function) {}
  constexpr Operation(std::string_view its_name, const Shape& its_input, Place its_place,
                      CallsBack function)
      : name(its_name), input(its_input), place(its_place), calls_back(function) {}

  std::string_view name;
  const Shape& input;
  Place place;
  Returns returns = nullptr;
  CallsBack calls_back = nullptr;
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
Answer Returning(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return std::move(request).error();
  auto response = kRun(call.engine, *request);
  if (!response) return std::move(response).error();
  return BodyOf<kEncode>(*response);
}

// An operation that returns nothing but whether it worked; the service answers with no body.
template <auto kDecode, auto kRun>
Answer ReturningNothing(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return std::move(request).error();
  TRY(kRun(call.engine, *request));
  return std::string();
}

// An operation that answers once its write is durable.
template <auto kDecode, auto kRun, auto kEncode>
void CallingBack(const Call& call, AnswerDone done) {
  auto request = kDecode(call.body);
  if (!request) {
    return done({[error = std::move(request).error()]() -> Answer { return error; }});
  }
  kRun(call.engine, std::move(*request), [done = std::move(done)](auto make) {
    const size_t bytes = make.image_bytes;
    done({[make = std::move(make)]() -> Answer {
            const auto result = make();
            if (!result) return result.error();
            return BodyOf<kEncode>(*result);
          },
          bytes});
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
// ListServerBackups, ScrubServer, VerifyModel and DescribeExpiry.
std::span<const Operation> OwnOperations();

}  // namespace monotable::api::dynamodb
