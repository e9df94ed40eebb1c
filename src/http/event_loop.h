#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/connection.h"
#include "http/file_descriptor.h"
#include "http/http_server.h"
#include "http/inbox.h"
#include "http/message.h"

namespace monotable::http {

class EventLoop;

// The state that the loops of a server share. Constant while they run, except for the atomics.
struct SharedState {
  SharedState(ServerOptions server_options, Handler& request_handler)
      : options(std::move(server_options)),
        handler(request_handler),
        budget(std::make_shared<MemoryBudget>(options.max_buffered_bytes)) {}

  const ServerOptions options;
  Handler& handler;
  const std::shared_ptr<MemoryBudget> budget;
  std::vector<FileDescriptor> listeners;
  std::vector<std::unique_ptr<EventLoop>> loops;
  std::atomic<size_t> connections{0};
  std::atomic<bool> draining{false};
};

// Serves the connections of one thread with epoll, level-triggered: a kept-alive request costs one
// wait, one receive and one send. The loop first handles all requests of one wait and then sends
// their answers one after the other: waking a sleeping client is expensive, and this wakes a client
// with several connections only once. Every loop accepts connections, so that one busy handler
// delays no client, and gives each to the loop with the fewest, so that even a few connections
// spread evenly. Run is called once, and everything else happens within Run. Only inbox() and
// connections() are thread-safe.
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

 private:
  void Deliver(Answer answer) override;

  void WatchListeners();
  int WaitMs() const;
  void HandleEvent(uint64_t id, uint32_t events);
  void AcceptAll(int listener);
  void AcceptNoMore(int listener);
  void Place(FileDescriptor socket);
  void Adopt(FileDescriptor socket);
  void TakeInbox();
  void StartDraining();
  void SendAnswers();
  void Expire();
  // The connection of that id, or null if it is gone.
  Connection* Find(uint64_t id) const;
  void ForgetIfClosed(Connection& connection);
  void CloseAll();

  SharedState& shared_;
  ConnectionContext context_;
  FileDescriptor spare_;  // given up to refuse a client when descriptors run out
  std::vector<std::unique_ptr<Connection>> by_slot_;
  std::vector<uint32_t> free_slots_;
  std::vector<uint64_t> answered_;  // connections with an answer to send
  uint32_t next_serial_ = 1;
  bool draining_ = false;
  bool stopping_ = false;
  std::atomic<size_t> connections_{0};
};

}  // namespace monotable::http
