#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "controls/snapshot.h"
#include "error/result.h"
#include "http/message.h"
#include "storage/store.h"

// What a test may do to its server between two requests: empty it, remember its data, bring them
// back, and move its clock.
namespace monotable::controls {

// A store and everything above it that answers requests. Its destructor finishes the work that is
// under way inside it.
class World {
 public:
  virtual ~World() = default;
  virtual http::Handler& handler() = 0;
  virtual storage::Store& store() = 0;
  virtual int64_t clock_shift_ms() const = 0;
  // Returns the new time.
  virtual Result<int64_t> AdvanceClock(int64_t by_ms) = 0;
};

// Opens a world that begins with a snapshot, or a new one if it is null.
using OpenWorld = std::function<Result<std::unique_ptr<World>>(const Snapshot* beginning)>;

// Serves a world, and replaces it by another when a test asks: nothing of the old one, no cache and
// no definition, can reach the new one. Requests that the old world has begun are answered by it
// before the control is. Thread-safe.
//
// The controls are POST /test-controls/NAME with a JSON body:
//   reset      {}                       a new world, as at the start of the server
//   snapshot   {}                       {"snapshot": "1"}
//   restore    {"snapshot": "1"}        a world as it was then, its clock included
//   forget     {"snapshot": "1"}        frees the memory of a snapshot
//   advance    {"milliseconds": 1000}   {"now": milliseconds since the epoch}
class TestControls : public http::Handler {
 public:
  static Result<std::unique_ptr<TestControls>> Start(OpenWorld open);
  // Whoever sends requests must have stopped.
  ~TestControls() override;

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  struct Task {
    http::Request request;
    http::Responder responder;
  };

  explicit TestControls(OpenWorld open) : open_(std::move(open)) {}
  std::shared_ptr<World> Current() const;
  // Makes a world the current one, and destroys the one before it when its last request is
  // answered.
  void Replace(std::unique_ptr<World> next);
  void Work();
  http::Response Perform(const http::Request& request);
  Result<std::string> Perform(std::string_view name, std::string_view body);
  Status Begin(const Snapshot* beginning);
  Result<std::string> TakeSnapshotOfCurrent();
  Result<std::string> Advance(double milliseconds);

  const OpenWorld open_;
  std::map<std::string, Snapshot, std::less<>> snapshots_;  // the worker's own
  uint64_t last_snapshot_ = 0;

  mutable std::mutex mutex_;  // guards the next five
  std::shared_ptr<World> current_;
  std::future<std::unique_ptr<World>> retired_;  // has the current world when nobody uses it
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::condition_variable changed_;

  std::thread worker_;
};

}  // namespace monotable::controls
