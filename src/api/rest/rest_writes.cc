#include "api/rest/rest_writes.h"

#include <atomic>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/rest/body.h"
#include "api/rest/problem_json.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "json/json_writer.h"

namespace monotable::api::rest {
namespace {

using Action = model::Route::Action;
using entities::WriteAnswer;
using entities::Written;
using CallPtr = std::shared_ptr<const Call>;

// Has the answer made on the thread that sends it, because all writes wait for the thread that
// calls back.
template <typename Make>
void SendMade(const CallPtr& call, Make make) {
  call->responder.SendMade(
      [call, make = std::move(make)]() mutable -> http::Response { return make(); });
}

void Fail(const CallPtr& call, const Error& error) {
  call->responder.Send(MakeProblem(error, call->request_id));
}

int StatusOf(const Written& written) {
  if (!written.item) return 204;
  return written.created ? 201 : 200;
}

// What became of one item of several: {"status", "entity", "etag", "location", "item"}.
void AppendResult(const Call& call, const Written& written, json::Writer* writer) {
  writer->BeginObject().Key("status").Integer(StatusOf(written));
  writer->Key("entity").String(written.entity->name());
  if (written.item) {
    const encoding::ItemView item(*written.item);
    writer->Key("etag").String(entities::EntityTag(*written.entity, item));
    const std::string path = call.model->PathOfItem(*written.entity, written.key);
    if (written.created && !path.empty()) {
      writer->Key("location").String(std::string(call.prefix) + path);
    }
    if (!call.preferences.minimal) {
      writer->Key("item");
      entities::AppendJson(*written.entity, item, {call.preferences.numbers_as_strings, {}},
                           writer->out());
    }
  }
  writer->EndObject();
}

void AddWriteHeaders(const WriteAnswer& answer, http::Response* response) {
  response->headers.emplace_back("X-Consumed-Capacity", UnitsText(answer.write_units));
  if (answer.replayed) response->headers.emplace_back("Idempotency-Replayed", "true");
}

http::Response AnswerItem(const Call& call, const WriteAnswer& answer) {
  const Written* written = answer.changes.empty() ? nullptr : &answer.changes.front();
  if (written == nullptr || !written->item) {
    http::Response response = MakeAnswer(call, 204, "");
    AddWriteHeaders(answer, &response);
    return response;
  }
  const encoding::ItemView item(*written->item);
  std::string body;
  if (!call.preferences.minimal) {
    entities::AppendJson(*written->entity, item, {call.preferences.numbers_as_strings, {}}, &body);
  }
  const int status = written->created ? 201 : body.empty() ? 204 : 200;
  http::Response response = MakeAnswer(call, status, std::move(body));
  response.headers.emplace_back("ETag", entities::EntityTag(*written->entity, item));
  const std::string path = call.model->PathOfItem(*written->entity, written->key);
  if (written->created && !path.empty()) {
    response.headers.emplace_back("Location", std::string(call.prefix) + path);
  }
  AddWriteHeaders(answer, &response);
  return response;
}

http::Response AnswerResults(const Call& call, const WriteAnswer& answer) {
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("results").BeginArray();
  for (const Written& written : answer.changes) AppendResult(call, written, &writer);
  writer.EndArray().EndObject();
  http::Response response = MakeAnswer(call, 200, std::move(body));
  AddWriteHeaders(answer, &response);
  return response;
}

// A repeated request wrote nothing and has no images, so its answer shows the items as they are
// now.
void FindReplayed(engine::Engine& engine, const Call& call, WriteAnswer* answer) {
  if (!answer->replayed) return;
  for (Written& written : answer->changes) {
    if (written.item) continue;
    auto found = entities::FindItem(engine, *written.entity, written.key, call.caller);
    if (found && *found) written.item = std::move((*found)->item);
  }
}

// Answers when the write is done, with what `make` shows of it.
entities::WriteDone Answering(engine::Engine& engine, CallPtr call,
                              http::Response (*make)(const Call&, const WriteAnswer&)) {
  return [&engine, call = std::move(call), make](entities::WriteEnd end) {
    SendMade(call, [&engine, call, end = std::move(end), make]() mutable {
      Result<WriteAnswer> answer = end.Take();
      if (!answer) return MakeProblem(answer.error(), call->request_id);
      FindReplayed(engine, *call, &*answer);
      return make(*call, *answer);
    });
  };
}

Result<std::optional<entities::IdempotencyKey>> IdempotencyKeyOf(const Call& call) {
  return ReadIdempotencyKey(call.request, call.model->name(), call.caller);
}

Status RunItem(engine::Engine& engine, const CallPtr& call) {
  TRY_ASSIGN(const json::Tree body, ParseBody(*call));
  TRY_ASSIGN(auto key, IdempotencyKeyOf(*call));
  std::vector<entities::Change> changes;
  TRY_ASSIGN(changes.emplace_back(), ChangeOfItem(*call, body.root()));
  call->model->writer().Apply(std::move(changes), call->caller, std::move(key),
                              Answering(engine, call, AnswerItem));
  return {};
}

Status RunOperation(engine::Engine& engine, const CallPtr& call) {
  TRY_ASSIGN(const json::Tree body, ParseBody(*call));
  TRY_ASSIGN(auto key, IdempotencyKeyOf(*call));
  TRY_ASSIGN(entities::OperationCall operation, OperationCallOf(*call, body.root()));
  call->model->writer().Run(std::move(operation), call->caller, std::move(key),
                            Answering(engine, call, AnswerResults));
  return {};
}

// A header applies to one item. Here each write gives the ETag that it expects in its body.
Status RefuseIfMatch(const Call& call) {
  if (call.request.header("If-Match").data() == nullptr) return {};
  return entities::InvalidFields(
      {{"If-Match", "header", "Give each write its own ETag, as its member ifMatch."}});
}

Status RunTransaction(engine::Engine& engine, const CallPtr& call) {
  TRY(RefuseIfMatch(*call));
  TRY_ASSIGN(const json::Tree body, ParseBody(*call));
  TRY_ASSIGN(auto key, IdempotencyKeyOf(*call));
  TRY_ASSIGN(const auto* writes, ListIn(body.root(), "writes"));
  std::vector<entities::Change> changes;
  for (size_t i = 0; i < writes->size(); ++i) {
    TRY_ASSIGN(changes.emplace_back(),
               ChangeOfTransaction(*call, (*writes)[i], fmt::format("/writes/{}", i)));
  }
  call->model->writer().Apply(std::move(changes), call->caller, std::move(key),
                              Answering(engine, call, AnswerResults));
  return {};
}

// The writes of a batch are independent. The last one to end sends the answer.
struct Batch {
  explicit Batch(size_t size) : results(size), waiting(size) {}
  std::vector<std::optional<Result<WriteAnswer>>> results;  // each written by its own write
  std::atomic<size_t> waiting;
};

http::Response AnswerBatch(const Call& call, const Batch& batch) {
  std::string body;
  json::Writer writer(&body);
  WriteAnswer total;
  writer.BeginObject().Key("results").BeginArray();
  for (const auto& result : batch.results) {
    if (!*result) {
      const Error& error = result->error();
      writer.BeginObject().Key("status").Integer(KindOf(error).status).Key("problem");
      AppendProblem(error, call.request_id, "", &body);
      writer.EndObject();
      continue;
    }
    const WriteAnswer& answer = **result;
    total.write_units += answer.write_units;
    total.replayed |= answer.replayed;
    if (!answer.changes.empty()) {
      AppendResult(call, answer.changes.front(), &writer);
    } else {
      writer.BeginObject().Key("status").Integer(200).EndObject();
    }
  }
  writer.EndArray().EndObject();
  http::Response response = MakeAnswer(call, 200, std::move(body));
  AddWriteHeaders(total, &response);
  return response;
}

void Finish(engine::Engine& engine, const CallPtr& call, const std::shared_ptr<Batch>& batch,
            size_t at, Result<WriteAnswer> result) {
  batch->results[at].emplace(std::move(result));
  if (batch->waiting.fetch_sub(1) > 1) return;
  SendMade(call, [&engine, call, batch] {
    for (auto& each : batch->results) {
      if (*each) FindReplayed(engine, *call, &each->value());
    }
    return AnswerBatch(*call, *batch);
  });
}

Status RunBatchWrite(engine::Engine& engine, const CallPtr& call) {
  TRY(RefuseIfMatch(*call));
  TRY_ASSIGN(const json::Tree body, ParseBody(*call));
  TRY_ASSIGN(const auto key, IdempotencyKeyOf(*call));
  TRY_ASSIGN(const auto* writes, ListIn(body.root(), "writes"));
  const entities::Entity& entity = call->model->EntityOf(*call->match.route->entity);
  auto batch = std::make_shared<Batch>(writes->size());
  for (size_t i = 0; i < writes->size(); ++i) {
    auto change = ChangeOfBatch(*call, entity, (*writes)[i], fmt::format("/writes/{}", i));
    if (!change) {
      Finish(engine, call, batch, i, change.error());
      continue;
    }
    std::optional<entities::IdempotencyKey> part = key;
    if (part) part->token.append(fmt::format("/{}", i));
    std::vector<entities::Change> changes;
    changes.push_back(*std::move(change));
    call->model->writer().Apply(std::move(changes), call->caller, std::move(part),
                                [&engine, call, batch, i](Result<WriteAnswer> result) {
                                  Finish(engine, call, batch, i, std::move(result));
                                });
  }
  return {};
}

Status RunBatchGet(engine::Engine& engine, const CallPtr& call) {
  TRY_ASSIGN(const json::Tree body, ParseBody(*call));
  TRY_ASSIGN(const auto* keys, ListIn(body.root(), "keys"));
  const entities::Entity& entity = call->model->EntityOf(*call->match.route->entity);
  std::string answer = "{\"items\":[";
  for (size_t i = 0; i < keys->size(); ++i) {
    TRY_ASSIGN(const item::Map key, KeyOf(*call, entity, (*keys)[i], fmt::format("/keys/{}", i)));
    TRY_ASSIGN(const auto found, entities::FindItem(engine, entity, key, call->caller));
    if (i > 0) answer.push_back(',');
    if (!found) {
      answer.append("null");
      continue;
    }
    entities::AppendJson(*found->entity, encoding::ItemView(found->item),
                         {call->preferences.numbers_as_strings, {}}, &answer);
  }
  answer.append("]}");
  call->responder.Send(MakeAnswer(*call, 200, std::move(answer)));
  return {};
}

// Only a delete takes a parameter.
Status CheckQuery(const Call& call) {
  const bool deletes = call.match.route->action == Action::kDelete;
  for (const QueryParameter& parameter : call.query) {
    if (deletes && parameter.name == "cascade") continue;
    return entities::InvalidFields(
        {{parameter.name, "unknown",
          fmt::format("There is no parameter {} here.{}", parameter.name,
                      deletes ? " A delete takes cascade=collection." : "")}});
  }
  return {};
}

Status Run(engine::Engine& engine, const CallPtr& call) {
  TRY(CheckQuery(*call));
  switch (call->match.route->action) {
    case Action::kCreate:
    case Action::kReplace:
    case Action::kPatch:
    case Action::kDelete:
      return RunItem(engine, call);
    case Action::kOperation:
      return RunOperation(engine, call);
    case Action::kTransact:
      return RunTransaction(engine, call);
    case Action::kBatchGet:
      return RunBatchGet(engine, call);
    case Action::kBatchWrite:
      return RunBatchWrite(engine, call);
    case Action::kGet:
    case Action::kPattern:
      break;
  }
  return Error::Internal("The route of a write has the action of a read.");
}

}  // namespace

void RunWrite(engine::Engine& engine, const std::shared_ptr<const Call>& call) {
  if (const Status status = Run(engine, call); !status) Fail(call, status.error());
}

}  // namespace monotable::api::rest
