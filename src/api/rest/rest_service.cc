#include "api/rest/rest_service.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/rest/page/page.h"
#include "api/rest/problem_json.h"
#include "api/rest/rest_reads.h"
#include "api/rest/rest_writes.h"
#include "entities/problem.h"
#include "json/json_writer.h"
#include "wire/request_id.h"
#include "work/meter.h"

namespace monotable::api::rest {
namespace {

constexpr std::string_view kBase = "/api/v1";

bool IsRead(std::string_view method) {
  return method == "GET" || method == "HEAD";
}

// The patterns that answer questions about the entities of these routes: what a client can ask
// instead of a question that no pattern answers.
std::string PatternsJson(const ServedModel& served,
                         const std::vector<const model::Route*>& routes) {
  std::string text = "\"patterns\":[";
  for (const model::PatternModel& pattern : served.model().patterns) {
    const bool about = std::any_of(routes.begin(), routes.end(), [&](const model::Route* route) {
      return route->pattern == &pattern ||
             (route->entity != nullptr && route->entity->name == pattern.entity);
    });
    const auto& all = served.router().routes();
    const bool has_route = std::any_of(
        all.begin(), all.end(), [&](const auto& route) { return route.pattern == &pattern; });
    if (!about || !has_route) continue;
    json::Writer writer(&text);
    writer.BeginObject().Key("name").String(pattern.name).Key("route");
    writer.String(pattern.route.empty() ? "GET /patterns/" + pattern.name
                                        : pattern.method + " " + pattern.route);
    writer.EndObject();
  }
  return text + "]";
}

std::string_view CodeOfStatus(int status) {
  switch (status) {
    case 403:
      return "forbidden";
    case 413:
      return "item_too_large";
    case 429:
      return "throttled";
    case 500:
      return "internal";
    case 503:
      return "unavailable";
    default:
      return "invalid";
  }
}

}  // namespace

Service::Service(engine::Engine& engine, work::Executor& executor,
                 const auth::Authenticator& authenticator, ServiceOptions options,
                 std::vector<ModelSource> models)
    : engine_(engine),
      executor_(executor),
      gate_(authenticator, std::move(options.jwt_secret), options.token_expiry),
      cursors_(std::move(options.cursor_key)) {
  list_ = "{\"models\":[";
  for (ModelSource& source : models) {
    models_.push_back(std::make_unique<const ServedModel>(engine, std::move(source)));
    if (list_.back() != '[') list_.push_back(',');
    list_.append(models_.back()->documents().summary());
  }
  list_.append("]}");
}

void Service::Handle(http::Request request, http::Responder responder) {
  Call call(std::move(request), std::move(responder));
  call.request_id = wire::NewRequestId();
  call.path = PathOf(call.request.target());
  if (auto response = Serve(call)) call.responder.Send(*std::move(response));
}

http::Response Service::HandleProtocolError(int status, std::string_view reason, std::string_view) {
  http::Response response = MakeProblem(CodeOfStatus(status), reason, wire::NewRequestId());
  response.status = status;
  return response;
}

std::optional<http::Response> Service::FindOpenPage(std::string_view path) const {
  constexpr std::string_view kProblems = "/problems/";
  if (path == "/healthz") return MakeDocument("application/json", R"({"status":"ok"})");
  if (path == "/docs") return MakePage(IndexPage());
  if (path.starts_with(kBase) && path.ends_with("/docs")) {
    for (const auto& served : models_) {
      if (path != fmt::format("{}/{}/docs", kBase, served->name())) continue;
      return MakePage(DocumentationPage());
    }
  }
  if (!path.starts_with(kProblems)) return std::nullopt;
  const ProblemKind* kind = FindProblemKind(path.substr(kProblems.size()));
  if (kind == nullptr) return std::nullopt;
  return MakeDocument(
      "text/plain; charset=utf-8",
      fmt::format("{} ({})\n\n{}\n\n{}\n", kind->code, kind->status, kind->title, kind->text));
}

const ServedModel* Service::FindModel(Call* call) const {
  std::string_view path = call->path;
  const bool based = path.starts_with(kBase) && path.substr(kBase.size()).starts_with('/');
  if (!based) return models_.size() == 1 ? models_.front().get() : nullptr;
  const std::string_view rest = path.substr(kBase.size() + 1);
  const std::string_view name = rest.substr(0, rest.find('/'));
  for (const auto& served : models_) {
    if (served->name() != name) continue;
    const size_t prefix = kBase.size() + 1 + name.size();
    call->prefix = path.substr(0, prefix);
    call->path = path.substr(prefix);
    return served.get();
  }
  return nullptr;
}

http::Response Service::AnswerUnknownModel(const Call& call) const {
  std::vector<std::string_view> names;
  for (const auto& served : models_) names.push_back(served->name());
  return MakeProblem("not_found",
                     fmt::format("The models of this server are under {}/{{model}}: {}.", kBase,
                                 fmt::join(names, ", ")),
                     call.request_id);
}

std::optional<http::Response> Service::Serve(Call& call) {
  const std::string_view target = call.request.target();
  const bool reads = IsRead(call.request.method());
  if (reads) {
    if (auto page = FindOpenPage(call.path)) return page;
  }
  const std::string_view whole_path = call.path;
  const ServedModel* served = FindModel(&call);
  // Signatures and tokens have the real time, whatever the clock of the engine says.
  auto caller = gate_.Identify(call.request, served ? &served->model() : nullptr,
                               engine::SystemClock().NowMs());
  if (!caller) return Fail(call, caller.error());
  call.caller = *std::move(caller);
  if (reads && (whole_path == kBase || whole_path == "/api/v1/")) {
    return MakeDocument("application/json", list_);
  }
  if (served == nullptr) return AnswerUnknownModel(call);
  call.model = served;
  if (reads) {
    if (auto document = served->documents().Find(call.path)) return document;
  }
  auto query = ParseQuery(QueryOf(target));
  if (!query) return Fail(call, query.error());
  call.query = *std::move(query);
  auto match = call.model->router().Find(call.request.method(), call.path, call.query);
  if (!match) return Fail(call, match.error());
  call.match = *std::move(match);
  if (call.match.outcome != RouteMatch::Outcome::kFound) return AnswerNoRoute(call);
  call.preferences = ReadPreferences(call.request);
  const auto action = call.match.route->action;
  const bool is_read =
      action == model::Route::Action::kGet || action == model::Route::Action::kPattern;
  return is_read ? Read(call) : Write(call);
}

template <typename Run>
std::optional<http::Response> Service::Post(Call& call, Run run) {
  auto mine = std::make_shared<Call>(std::move(call));
  const work::ClientPtr client = mine->responder.client();
  if (executor_.Post([mine, run = std::move(run)] { run(mine); }, client)) return std::nullopt;
  call = std::move(*mine);
  return MakeProblem("throttled", "More requests wait than the server can take. Try again.",
                     call.request_id);
}

std::optional<http::Response> Service::Read(Call& call) {
  auto request = ParseRead(call);
  if (!request) return Fail(call, request.error());
  const work::ClientPtr client = call.responder.client();
  if (client->account() == nullptr || !client->account()->is_heavy()) {
    const work::Meter meter(work::kInlineUnits);
    auto response = AnswerRead({engine_, cursors_}, call, *request);
    if (!meter.stopped()) return response ? *std::move(response) : Fail(call, response.error());
  }
  return Post(call, [this, request = *std::move(request)](const std::shared_ptr<Call>& mine) {
    auto response = AnswerRead({engine_, cursors_}, *mine, request);
    if (work::Stopped()) response = work::StopError();
    mine->responder.Send(response ? *std::move(response) : Fail(*mine, response.error()));
  });
}

std::optional<http::Response> Service::Write(Call& call) {
  if (!call.request.body().empty() && !IsJson(call.request.header("Content-Type"))) {
    return MakeProblem("unsupported_media_type",
                       "Send the body as JSON, with Content-Type: application/json.",
                       call.request_id);
  }
  return Post(call, [this](const std::shared_ptr<Call>& mine) { RunWrite(engine_, mine); });
}

http::Response Service::AnswerNoRoute(const Call& call) const {
  const std::string path = fmt::format("{} {}", call.request.method(), call.path);
  switch (call.match.outcome) {
    case RouteMatch::Outcome::kNoAccessPattern:
      return MakeProblem(
          entities::Problem(
              entities::ProblemCode::kNoAccessPattern,
              fmt::format("No access pattern answers {} with these parameters, and a list is never "
                          "made by reading a whole table.",
                          path)),
          call.request_id, PatternsJson(*call.model, call.match.here));
    case RouteMatch::Outcome::kWrongMethod: {
      const std::string allowed = AllowedMethods(call.match.here);
      http::Response response = MakeProblem(
          "method_not_allowed", fmt::format("{} takes {}.", call.path, allowed), call.request_id);
      if (call.request.method() == "OPTIONS") response = MakeAnswer(call, 204, "");
      response.headers.emplace_back("Allow", allowed);
      return response;
    }
    default: {
      const auto near = call.model->router().SuggestPath(call.path);
      return MakeProblem(
          "not_found",
          fmt::format("The model {} has no path {}.{}", call.model->name(), call.path,
                      near ? fmt::format(" Did you mean {}?", *near) : ""),
          call.request_id);
    }
  }
}

http::Response Service::Fail(const Call& call, const Error& error) const {
  const entities::ProblemDetail* detail = entities::ProblemOf(error);
  std::string more;
  if (detail != nullptr && detail->code == entities::ProblemCode::kNoAccessPattern &&
      call.match.route != nullptr) {
    more = PatternsJson(*call.model, {call.match.route});
  }
  http::Response response = MakeProblem(error, call.request_id, more);
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", gate_.Challenge());
  return response;
}

}  // namespace monotable::api::rest
