#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/deadline_list.h"
#include "http/file_descriptor.h"
#include "http/http_server.h"
#include "http/inbox.h"
#include "http/memory_budget.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "http/response_head.h"
#include "work/client.h"

namespace monotable::http {

// The connections of all loops. Thread-safe.
struct ConnectionCounts {
  std::atomic<size_t> all{0};
  std::atomic<size_t> fresh{0};      // have not asked for anything yet
  std::atomic<size_t> lingering{0};  // have their last answer

  // Those that count for the limit.
  size_t active() const {
    const size_t left = lingering.load(std::memory_order_relaxed);
    const size_t total = all.load(std::memory_order_relaxed);
    return total > left ? total - left : 0;
  }
};

// What the connections of one event loop share. Used on the thread of the loop only.
struct ConnectionContext {
  ConnectionContext(const ServerOptions& server_options, Handler& request_handler,
                    std::shared_ptr<MemoryBudget> memory_budget,
                    const std::atomic<bool>& server_draining, ConnectionCounts& server_counts);

  const ServerOptions& options;
  Handler& handler;
  const std::shared_ptr<Inbox> inbox;
  MemoryBudget& budget;
  FileDescriptor epoll;
  // Set as soon as the server is told to drain, before the loops are told, so that every later
  // answer announces the end of its connection.
  const std::atomic<bool>& draining;
  ConnectionCounts& counts;
  TimePoint now;  // when the loop last woke
  ResponseHeadWriter heads;

  DeadlineList fresh;
  DeadlineList idle;
  DeadlineList head;
  DeadlineList body;
  DeadlineList memory;
  DeadlineList write;
  DeadlineList linger;

  // The bytes just received. Bytes that must outlive the call are copied elsewhere, so that a
  // waiting connection needs no buffer.
  std::array<char, 64 * 1024> received;
};

// One client: reads a request, has it handled, writes the answer, and goes on with the next
// request. Belongs to one loop and is used on the thread of that loop only. A connection never
// destroys itself; the loop destroys it once it is closed.
//
// Functions may throw when there is no memory; the loop calls OnException then.
class Connection : public DeadlineEntry {
 public:
  // What each connection has of the memory budget, for small requests and answers: most requests
  // then do not touch the budget, which all loops share.
  static constexpr size_t kReservedBytes = 8 * 1024;

  Connection(ConnectionContext& context, FileDescriptor socket, uint64_t id);

  // Watches the socket; false if that is not possible.
  bool Open();
  void OnEvents(uint32_t events);
  // Called when the deadline of the current phase has passed.
  void OnDeadline();
  // Takes the answer to the request that is being handled, for SendAnswer to send. Returns false if
  // there is no such request.
  bool TakeAnswer(Answer answer);
  void SendAnswer();
  // Whether requests have come that wait until the loop calls Resume. The loop decides when, so
  // that a client that sends ahead does not hold up the others.
  bool has_requests() const { return reading() && !unparsed_.empty(); }
  // Goes on with the next request.
  void Resume();
  // Asks again for the memory that the connection waits for.
  void Retry();
  // Drops a client that has much memory and hardly moves, because others wait for memory.
  void DropIfDawdling();
  // Since when the connection is in its phase.
  TimePoint since() const { return since_; }
  void OnException();
  // Closes now if there is no request, otherwise after the answer.
  void StartDraining();
  // Refuses the client because the server has too many connections.
  void Refuse();
  void Close();

  uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }
  bool closed() const { return phase_ == Phase::kClosed; }
  bool in_handler() const { return in_handler_; }
  // Whether the loop has noted that it must call Resume.
  bool is_queued() const { return is_queued_; }
  void set_queued(bool queued) { is_queued_ = queued; }

 private:
  enum class Phase {
    kFresh,      // before the first request
    kIdle,       // between requests
    kHead,       // a part of a head has come
    kBody,       // a part of a body has come, or none yet
    kWaiting,    // for memory; nothing is read meanwhile
    kHandling,   // the handler has the request
    kWriting,    // the answer is there, and the client has not taken all of it yet
    kLingering,  // all is said; what still comes is thrown away
    kClosed,
  };

  // Whether more bytes of the client can be parsed.
  bool reading() const { return phase_ <= Phase::kBody; }
  void Enter(Phase phase);
  // Tells the work for the current request that nobody waits for it.
  void Abandon();
  void Receive();
  void Discard();
  // Parses until a request is complete or waits for memory; returns how many bytes it has parsed.
  size_t Parse(std::string_view bytes);
  // Does what the state of the parser asks for.
  void Advance(bool has_more);
  // Reserves memory for the request, as far as it is known. False if there is none now.
  bool Reserve();
  // Tells a client that waits for it to go ahead with its body. Returns false if the client is
  // gone.
  bool Continue();
  // What to watch while the client has to wait.
  uint32_t InputWhileBusy() const;
  void Dispatch();
  void Fail(int status, std::string_view reason);
  void PrepareAnswer(Response response);
  void Reset();
  void Flush();
  void FinishAnswer();
  void Linger();
  void Watch(uint32_t events);

  ConnectionContext& context_;
  FileDescriptor socket_;
  const uint64_t id_;
  uint32_t watched_ = 0;
  Phase phase_ = Phase::kClosed;
  TimePoint since_;  // when the phase began
  bool in_handler_ = false;
  bool close_after_answer_ = false;
  bool linger_after_answer_ = false;
  bool client_finished_ = false;  // it sends no more
  bool is_queued_ = false;        // see set_queued
  size_t lingered_bytes_ = 0;
  const std::shared_ptr<work::Account> account_ = std::make_shared<work::Account>();
  std::weak_ptr<Responder::Target> handled_;  // of the request that is being handled
  RequestParser parser_;
  MemoryBudget::Reservation basic_;     // kReservedBytes, as long as the connection lives
  MemoryBudget::Reservation received_;  // for the request that is being read, if it needs more
  MemoryBudget::Reservation answered_;  // for the answer, if it needs more
  std::string unparsed_;                // came after a request that is not answered yet
  size_t parsed_ = 0;                   // of unparsed_
  std::string answer_head_;             // with the body, if that is small
  std::string answer_body_;
  size_t written_ = 0;  // of both
};

}  // namespace monotable::http
