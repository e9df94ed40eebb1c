#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/call.h"
#include "api/rest/cursor.h"
#include "api/rest/documents.h"
#include "api/rest/gate.h"
#include "api/rest/served_model.h"
#include "auth/authenticator.h"
#include "engine/engine.h"
#include "engine/worker_pool.h"
#include "http/message.h"

namespace monotable::api::rest {

struct ServiceOptions {
  size_t workers = 4;
  size_t max_queued = 10000;  // requests waiting for a worker; past it they are throttled
  std::string jwt_secret;     // of HS256 bearer tokens; empty: none are accepted
  std::string cursor_key;     // signs cursors; those of before a restart hold if it is the same
};

// The front door of models: REST over the routes that follow from them, under /api/v1/{model}, and
// without that prefix if there is only one. Thread-safe. The engine and the authenticator must
// outlive it, and the HTTP server must be drained before it goes.
class Service : public http::Handler {
 public:
  Service(engine::Engine& engine, const auth::Authenticator& authenticator, ServiceOptions options,
          std::vector<ModelSource> models);

  // The models in the order in which they were given, for what else must know them.
  std::vector<const ServedModel*> models() const;

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  struct Served {
    Served(engine::Engine& engine, ModelSource source)
        : model(engine, std::move(source)), documents(model) {}
    const ServedModel model;
    const Documents documents;
  };

  // Pages that hold nothing of anybody, so everyone may have them: health, explanations of
  // problems, and the pages whose scripts fetch what they show.
  std::optional<http::Response> FindOpenPage(std::string_view path) const;
  // Finds the model of a path and puts it into the call; null if it is of none.
  const Served* FindModel(Call* call) const;
  http::Response AnswerUnknownModel(const Call& call) const;
  // The answer, or nothing if the call was taken over.
  std::optional<http::Response> Serve(Call& call);
  std::optional<http::Response> Read(Call& call);
  std::optional<http::Response> Write(Call& call);
  http::Response AnswerNoRoute(const Call& call) const;
  http::Response Fail(const Call& call, const Error& error) const;
  // Runs work(call) on a worker; the answer that it is busy if there is none.
  template <typename Work>
  std::optional<http::Response> Post(Call& call, Work work);

  engine::Engine& engine_;
  const Gate gate_;
  const CursorSeal cursors_;
  std::vector<std::unique_ptr<const Served>> models_;
  std::string list_;  // of the models, as JSON
  engine::WorkerPool workers_;
};

}  // namespace monotable::api::rest
