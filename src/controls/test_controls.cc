#include "controls/test_controls.h"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "json/json_writer.h"
#include "json/parse.h"

namespace monotable::controls {
namespace {

constexpr std::string_view kPrefix = "/test-controls/";
// A hundred years.
constexpr double kMaxAdvanceMs = 100.0 * 365 * 24 * 3600 * 1000;

http::Response Answer(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.content_type = "application/json";
  response.body = std::move(body);
  return response;
}

http::Response Refusal(int status, std::string_view message) {
  std::string body;
  json::Writer(&body).BeginObject().Key("message").String(message).EndObject();
  return Answer(status, std::move(body));
}

// A page of a website can send a browser's POST to this machine, but not with this content type
// unless the server allows it, which this server does not.
bool IsJson(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';')) == "application/json";
}

}  // namespace

Result<std::unique_ptr<TestControls>> TestControls::Start(OpenWorld open) {
  std::unique_ptr<TestControls> controls(new TestControls(std::move(open)));
  TRY(controls->Begin(nullptr));
  controls->worker_ = std::thread([self = controls.get()] { self->Work(); });
  return controls;
}

TestControls::~TestControls() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    tasks_.clear();
  }
  changed_.notify_one();
  if (worker_.joinable()) worker_.join();
  Replace(nullptr);
}

void TestControls::Handle(http::Request request, http::Responder responder) {
  if (request.target().starts_with(kPrefix)) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back({std::move(request), std::move(responder)});
    }
    changed_.notify_one();
    return;
  }
  const std::shared_ptr<World> world = Current();
  // An answer may still be made by the world after Handle has returned.
  responder.Keep(world);
  world->handler().Handle(std::move(request), std::move(responder));
}

http::Response TestControls::HandleProtocolError(int status, std::string_view reason,
                                                 std::string_view target) {
  return Current()->handler().HandleProtocolError(status, reason, target);
}

std::shared_ptr<World> TestControls::Current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

// The last owner of a world may be an I/O thread, or a thread of the world itself, which must not
// wait for the end of the world. So it only hands the world back.
void TestControls::Replace(std::unique_ptr<World> next) {
  std::shared_ptr<World> shared;
  std::future<std::unique_ptr<World>> unused;
  if (next) {
    auto retired = std::make_shared<std::promise<std::unique_ptr<World>>>();
    unused = retired->get_future();
    shared = std::shared_ptr<World>(next.release(), [retired](World* world) {
      retired->set_value(std::unique_ptr<World>(world));
    });
  }
  {
    const std::lock_guard lock(mutex_);
    std::swap(current_, shared);
    std::swap(retired_, unused);
  }
  shared.reset();
  if (unused.valid()) unused.get().reset();
}

void TestControls::Work() {
  for (;;) {
    std::optional<Task> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task.emplace(std::move(tasks_.front()));
      tasks_.pop_front();
    }
    task->responder.Send(Perform(task->request));
  }
}

http::Response TestControls::Perform(const http::Request& request) {
  if (request.method() != "POST") return Refusal(405, "Test controls are sent with POST.");
  if (!IsJson(request.header("Content-Type"))) {
    return Refusal(415, "Test controls need Content-Type: application/json.");
  }
  auto done = Perform(request.target().substr(kPrefix.size()), request.body());
  if (done) return Answer(200, *std::move(done));
  return Refusal(done.error().code() == ErrorCode::kValidation ? 400 : 500, done.error().message());
}

Result<std::string> TestControls::Perform(std::string_view name, std::string_view body) {
  json::Parser parser;
  const auto parsed = parser.Parse(body);
  if (!parsed || !parsed->is_object()) return Error::Validation("The body is not a JSON object.");
  const json::Object members = json::ObjectOf(*parsed);

  if (name == "reset") {
    TRY(Begin(nullptr));
    return std::string("{}");
  }
  if (name == "snapshot") return TakeSnapshotOfCurrent();
  if (name == "advance") {
    const auto given = json::Find(members, "milliseconds");
    double milliseconds = -1;
    if (!given || !given->Get(&milliseconds) || !(milliseconds >= 0) ||
        milliseconds > kMaxAdvanceMs) {
      return Error::Validation(
          "Give milliseconds as a number from 0, up to a hundred years. Time does not go back.");
    }
    return Advance(milliseconds);
  }
  if (name != "restore" && name != "forget") {
    return Error::Validation(
        fmt::format("There is no test control '{}'. There are reset, snapshot, restore, forget "
                    "and advance.",
                    name));
  }
  const auto given = json::Find(members, "snapshot");
  const std::string_view id = given ? json::StringOf(*given) : std::string_view();
  const auto snapshot = snapshots_.find(id);
  if (snapshot == snapshots_.end()) {
    return Error::Validation(fmt::format("There is no snapshot '{}' on this server.", id));
  }
  if (name == "restore") {
    TRY(Begin(&snapshot->second));
  } else {
    snapshots_.erase(snapshot);
  }
  return std::string("{}");
}

Status TestControls::Begin(const Snapshot* beginning) {
  TRY_ASSIGN(std::unique_ptr<World> world, open_(beginning));
  Replace(std::move(world));
  return {};
}

Result<std::string> TestControls::TakeSnapshotOfCurrent() {
  const std::shared_ptr<World> world = Current();
  TRY_ASSIGN(Snapshot snapshot, TakeSnapshot(world->store()));
  snapshot.clock_shift_ms = world->clock_shift_ms();
  const std::string id = std::to_string(++last_snapshot_);
  snapshots_.emplace(id, std::move(snapshot));
  std::string body;
  json::Writer(&body).BeginObject().Key("snapshot").String(id).EndObject();
  return body;
}

Result<std::string> TestControls::Advance(double milliseconds) {
  TRY_ASSIGN(const int64_t now_ms, Current()->AdvanceClock(std::llround(milliseconds)));
  std::string body;
  json::Writer(&body).BeginObject().Key("now").Integer(now_ms).EndObject();
  return body;
}

}  // namespace monotable::controls
