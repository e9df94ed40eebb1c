#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/connection.h"
#include "http/deadline_list.h"
#include "http/file_descriptor.h"
#include "http/http_server.h"
#include "http/inbox.h"
#include "http/memory_budget.h"
#include "http/message.h"

namespace monotable::http {

class EventLoop;

// How many connections may linger, beside those within the limit; more are closed at once.
size_t MaxLingering(const ServerOptions& options);

// The state that the loops of a server share. Constant while they run, except for the atomics.
struct SharedState {
  SharedState(ServerOptions server_options, Handler& request_handler)
      : options(std::move(server_options)),
        handler(request_handler),
        budget(std::make_shared<MemoryBudget>(options.request_memory_bytes)) {}

  const ServerOptions options;
  Handler& handler;
  const std::shared_ptr<MemoryBudget> budget;
  std::vector<FileDescriptor> listeners;
  std::vector<std::unique_ptr<EventLoop>> loops;
  ConnectionCounts counts;
  std::atomic<bool> draining{false};
};

// Serves the connections of one thread with epoll, level-triggered: a kept-alive request costs one
// wait, one receive and one send. The loop first handles all requests of one wait and then sends
// their answers one after the other: waking a sleeping client is expensive, and this wakes a client
// with several connections only once. Every loop accepts connections, so that one busy handler
// delays no client, and gives each to the loop with the fewest, so that even a few connections
// spread evenly. A connection that has sent requests ahead has one of them handled in each turn of
// the loop. A request for which there is no memory fails alone. Run is called once, and everything
// else happens within Run. Only inbox(), connections() and idle_since() are thread-safe.
class EventLoop : private AnswerSink {
 public:
  explicit EventLoop(SharedState& shared);
  ~EventLoop() override;

  // False if the process has no descriptors left.
  bool valid() const;
  // Serves until told to stop by the inbox, or to drain and all requests are answered.
  void Run();

  Inbox& inbox() { return *context_.inbox; }
  // The number of connections given to this loop, including those that it has not taken over yet.
  size_t connections() const { return connections_.load(std::memory_order_relaxed); }
  // Since when the longest idle connection is idle, lately; the maximum if there is none.
  TimePoint idle_since() const { return idle_since_.load(std::memory_order_relaxed); }

 private:
  void Deliver(Answer answer) noexcept override;

  void WatchListeners();
  void StopAccepting();
  int WaitMs() const;
  void TakeTurn();
  void HandleEvent(uint64_t id, uint32_t events);
  void AcceptAll(int listener);
  // No client is accepted for a moment, because the process or the system has no descriptors left.
  // The clients wait in the kernel's queue meanwhile.
  void PauseAccepting();
  void Place(FileDescriptor socket);
  // Makes a connection of a socket that was given to this loop; null if there is no memory.
  Connection* Adopt(FileDescriptor socket);
  // Begins to serve a connection, or refuses it.
  void Begin(Connection& connection);
  Connection& Add(FileDescriptor socket);
  bool is_over_full() const;
  // Whether the loops that have the clients that ask for nothing were told to close one.
  bool OthersMakeRoom(const Connection& newcomer);
  // The connection that can be closed for the sake of another, other than the given one. Null if
  // all are needed.
  Connection* LeastNeeded(const Connection* except) const;
  bool has_many_fresh() const;
  // Closes it; false if there is none.
  bool MakeRoom(const Connection* except);
  void MakeRoomForOthers();
  void CloseForOthers(Connection& connection);
  bool CloseOldestLingering();
  // Calls a function that may run out of memory, and does what the connection needs afterwards.
  template <typename Function>
  void With(Connection& connection, Function function);
  void TakeInbox();
  void StartDraining();
  void SendAnswers();
  // Has the next request of each connection handled that has sent ahead.
  void ResumeQueued();
  // Looks after the connections that wait for memory, and those whose memory they wait for.
  void ShareMemory();
  void Expire();
  // The connection of that id, or null if it is gone.
  Connection* Find(uint64_t id) const;
  void ForgetIfClosed(Connection& connection);
  void CloseAll();

  SharedState& shared_;
  ConnectionContext context_;
  std::vector<std::unique_ptr<Connection>> by_slot_;
  std::vector<uint32_t> free_slots_;
  std::vector<uint64_t> adopted_;   // connections that have not begun
  std::vector<uint64_t> answered_;  // connections with an answer to send
  std::vector<uint64_t> queued_;    // connections with requests to resume
  uint32_t next_serial_ = 1;
  bool draining_ = false;
  bool stopping_ = false;
  TimePoint accept_again_ = TimePoint::max();  // if accepting is paused
  TimePoint share_again_;                      // see ShareMemory
  std::atomic<size_t> connections_{0};
  std::atomic<TimePoint> idle_since_{TimePoint::max()};
};

}  // namespace monotable::http
