#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/cursor.h"
#include "api/rest/gate.h"
#include "api/rest/rest_call.h"
#include "api/rest/served_model.h"
#include "auth/authenticator.h"
#include "auth/jwt.h"
#include "engine/engine.h"
#include "http/message.h"
#include "work/executor.h"

namespace monotable::api::rest {

struct ServiceOptions {
  std::string jwt_secret;  // of HS256 bearer tokens; empty: none are accepted
  auth::TokenExpiry token_expiry = auth::TokenExpiry::kRequired;
  std::string cursor_key;  // signs cursors; they outlive a restart that keeps the key
};

// The front door of models: REST over the routes that follow from them, under /api/v1/{model}, and
// without that prefix if there is only one. Requests that may take long, and all writes, run on the
// executor.
//
// Thread-safe. Everything that the service is given must outlive it, and the HTTP server and the
// executor must be drained before it goes.
class Service : public http::Handler {
 public:
  // The models are those of a runtime.
  Service(engine::Engine& engine, work::Executor& executor,
          const auth::Authenticator& authenticator, ServiceOptions options,
          std::vector<ModelSource> models);

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  // Pages without data, which need no authentication: health, explanations of problems, and the
  // pages whose scripts fetch what they show.
  std::optional<http::Response> FindOpenPage(std::string_view path) const;
  // Finds the model of a path, and splits the path into its prefix and the rest. Null if the path
  // belongs to no model.
  const ServedModel* FindModel(Call* call) const;
  http::Response AnswerUnknownModel(const Call& call) const;
  // The answer, or nothing if the call was taken over.
  std::optional<http::Response> Serve(Call& call);
  std::optional<http::Response> Read(Call& call);
  std::optional<http::Response> Write(Call& call);
  http::Response AnswerNoRoute(const Call& call) const;
  http::Response Fail(const Call& call, const Error& error) const;
  // Runs run(call) on the executor; the answer is that the server is busy if it takes no more.
  template <typename Run>
  std::optional<http::Response> Post(Call& call, Run run);

  engine::Engine& engine_;
  work::Executor& executor_;
  const Gate gate_;
  const CursorSeal cursors_;
  std::vector<std::unique_ptr<const ServedModel>> models_;
  std::string list_;  // of the models, as JSON
};

}  // namespace monotable::api::rest
