#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/deadline_list.h"
#include "http/file_descriptor.h"
#include "http/inbox.h"
#include "http/memory_budget.h"
#include "http/request_parser.h"
#include "http/response_head.h"
#include "http/server.h"

namespace monotable::http {

// What the connections of one event loop share. Used on the thread of the loop only.
struct ConnectionContext {
  ConnectionContext(const ServerOptions& server_options, Handler& request_handler,
                    MemoryBudget& memory_budget, const std::atomic<bool>& server_draining);

  const ServerOptions& options;
  Handler& handler;
  MemoryBudget& budget;
  const std::shared_ptr<Inbox> inbox;
  FileDescriptor epoll;
  // Set as soon as the server is told to drain, before this loop hears of it: an answer that is
  // given then announces the end of the connection already.
  const std::atomic<bool>& draining;
  TimePoint now;  // when the loop last woke
  ResponseHeadWriter heads;

  DeadlineList idle;
  DeadlineList head;
  DeadlineList body;
  DeadlineList write;
  DeadlineList linger;

  // Bytes just received; what must outlive the call is copied to where it belongs, so that a
  // connection that waits holds no buffer.
  std::array<char, 64 * 1024> received;
};

// One client: reads a request, has it handled, writes the answer, and so on, one at a time. Belongs
// to one loop and is used on its thread only. Never destroys itself: the loop does, once it finds
// it closed.
class Connection : public DeadlineEntry {
 public:
  Connection(ConnectionContext& context, FileDescriptor socket, uint64_t id);

  // Watches the socket; false if that is not possible.
  bool Open();
  void OnEvents(uint32_t events);
  // The time for what it was doing is over.
  void OnDeadline();
  // The answer to the request that is being handled, to be sent by SendAnswer; false if there is
  // no such request.
  bool TakeAnswer(Answer answer);
  // Sends it, and goes on with requests that came meanwhile.
  void SendAnswer();
  // Closes when there is no request, and after the answer otherwise.
  void StartDraining();
  // Refuses a client that is one too many.
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
  void Receive();
  void Parse(std::string_view bytes);
  // Accounts for the body so far; false if it is too much for the server. Small ones are free:
  // the number of connections bounds them, and most requests need not touch what all loops share.
  bool ReserveBody();
  // Decides about a body before it comes, and lets a client that waits for the decision go ahead.
  // False if the request was refused or the client is gone.
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
  size_t lingered_bytes_ = 0;
  RequestParser parser_;
  MemoryBudget::Reservation reservation_;  // for the body that is being read
  std::string unparsed_;                   // came after a request that is not answered yet
  std::string answer_head_;                // with the body, if that is small
  std::string answer_body_;
  size_t written_ = 0;  // of both
};

}  // namespace monotable::http
