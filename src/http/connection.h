#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "http/file_descriptor.h"
#include "http/http_server.h"
#include "http/inbox.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "work/client.h"

namespace monotable::http {

using TimePoint = std::chrono::steady_clock::time_point;

class DeadlineList;

// Something that can wait in one DeadlineList at a time. Its destructor leaves the list. Not
// thread-safe.
class DeadlineEntry {
 public:
  DeadlineEntry() = default;
  DeadlineEntry(const DeadlineEntry&) = delete;
  DeadlineEntry& operator=(const DeadlineEntry&) = delete;
  ~DeadlineEntry() { Leave(); }

  void Leave();

 private:
  friend class DeadlineList;

  DeadlineEntry* previous_ = nullptr;  // null outside of a list
  DeadlineEntry* next_ = nullptr;
  TimePoint deadline_;
};

// Entries that all wait equally long: the order of joining is the order of deadlines, so that
// joining, leaving and finding the next to expire are a few pointers each. Not thread-safe.
class DeadlineList {
 public:
  explicit DeadlineList(std::chrono::milliseconds wait);

  // Moves the entry to the end, from wherever it was.
  void Join(DeadlineEntry& entry, TimePoint now);
  bool empty() const { return ends_.next_ == &ends_; }
  // The earliest deadline; the list must not be empty.
  TimePoint earliest() const { return ends_.next_->deadline_; }
  // The first entry if its time is over, otherwise null. The entry stays in the list until it
  // leaves or joins another.
  DeadlineEntry* Expired(TimePoint now);

 private:
  const std::chrono::milliseconds wait_;
  DeadlineEntry ends_;  // before the first and after the last
};

inline void DeadlineEntry::Leave() {
  if (previous_ == nullptr) return;
  previous_->next_ = next_;
  next_->previous_ = previous_;
  previous_ = next_ = nullptr;
}

inline DeadlineList::DeadlineList(std::chrono::milliseconds wait) : wait_(wait) {
  ends_.previous_ = ends_.next_ = &ends_;
}

inline void DeadlineList::Join(DeadlineEntry& entry, TimePoint now) {
  entry.Leave();
  entry.deadline_ = now + wait_;
  entry.previous_ = ends_.previous_;
  entry.next_ = &ends_;
  ends_.previous_->next_ = &entry;
  ends_.previous_ = &entry;
}

inline DeadlineEntry* DeadlineList::Expired(TimePoint now) {
  return empty() || earliest() > now ? nullptr : ends_.next_;
}

// How the answer ends the exchange, for the Connection header.
enum class Persistence {
  kImplied,    // HTTP/1.1 staying open: no header
  kKeepAlive,  // HTTP/1.0 staying open, which must be said
  kClose,
};

// Writes the heads of answers. Keeps the Date header of the current second. Not thread-safe.
class ResponseHeadWriter {
 public:
  // Appends status line and headers, with the empty line that ends them.
  void Write(const Response& response, Persistence persistence, time_t now, std::string* out);

 private:
  time_t date_second_ = -1;
  std::string date_line_;
};

// What the connections of one event loop share. Used on the thread of the loop only.
struct ConnectionContext {
  ConnectionContext(const ServerOptions& server_options, Handler& request_handler,
                    MemoryBudget& memory_budget, const std::atomic<bool>& server_draining);

  const ServerOptions& options;
  Handler& handler;
  MemoryBudget& budget;
  const std::shared_ptr<Inbox> inbox;
  FileDescriptor epoll;
  // Set as soon as the server is told to drain, before the loops are told, so that every later
  // answer announces the end of its connection.
  const std::atomic<bool>& draining;
  TimePoint now;  // when the loop last woke
  ResponseHeadWriter heads;

  DeadlineList idle;
  DeadlineList head;
  DeadlineList body;
  DeadlineList write;
  DeadlineList linger;

  // The bytes just received. Bytes that must outlive the call are copied elsewhere, so that a
  // waiting connection needs no buffer.
  std::array<char, 64 * 1024> received;
};

// One client: reads a request, has it handled, writes the answer, and goes on with the next
// request. Belongs to one loop and is used on the thread of that loop only. A connection never
// destroys itself; the loop destroys it once it is closed.
class Connection : public DeadlineEntry {
 public:
  Connection(ConnectionContext& context, FileDescriptor socket, uint64_t id);

  // Watches the socket; false if that is not possible.
  bool Open();
  void OnEvents(uint32_t events);
  // Called when the deadline of the current phase has passed.
  void OnDeadline();
  // Takes the answer to the request that is being handled, for SendAnswer to send. Returns false if
  // there is no such request.
  bool TakeAnswer(Answer answer);
  // Sends the answer and goes on with requests that arrived meanwhile.
  void SendAnswer();
  // Closes now if there is no request, otherwise after the answer.
  void StartDraining();
  // Refuses the client because the server has too many connections.
  void Refuse();
  void Close();

  uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }
  bool closed() const { return phase_ == Phase::kClosed; }
  bool in_handler() const { return in_handler_; }

 private:
  enum class Phase {
    kIdle,       // between requests
    kHead,       // a part of a head has come
    kBody,       // a part of a body has come, or none yet
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
  void Parse(std::string_view bytes);
  // Accounts for the body so far; returns false if the server has no memory for it. Small bodies
  // are not counted: the number of connections limits them, and so most requests do not touch the
  // budget that all loops share.
  bool ReserveBody();
  // Decides whether to accept a body before it arrives, and tells a client that waits for the
  // decision to go ahead. Returns false if the request was refused or the client is gone.
  bool AdmitBody(bool has_begun);
  void Dispatch();
  void Fail(int status, std::string_view reason);
  void PrepareAnswer(Response response);
  void Flush();
  // Goes on with requests that came while another was being answered.
  void Resume();
  void FinishAnswer();
  void Linger();
  void Watch(uint32_t events);

  ConnectionContext& context_;
  FileDescriptor socket_;
  const uint64_t id_;
  uint32_t watched_ = 0;
  Phase phase_ = Phase::kIdle;
  bool in_handler_ = false;
  bool close_after_answer_ = false;
  bool linger_after_answer_ = false;
  bool client_finished_ = false;  // it sends no more
  size_t lingered_bytes_ = 0;
  const std::shared_ptr<work::Account> account_ = std::make_shared<work::Account>();
  std::weak_ptr<Responder::Target> handled_;  // of the request that is being handled
  RequestParser parser_;
  MemoryBudget::Reservation reservation_;  // for the body that is being read
  std::string unparsed_;                   // came after a request that is not answered yet
  std::string answer_head_;                // with the body, if that is small
  std::string answer_body_;
  size_t written_ = 0;  // of both
};

}  // namespace monotable::http
