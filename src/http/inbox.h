#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "http/file_descriptor.h"
#include "http/memory_budget.h"
#include "http/message.h"
#include "work/client.h"

namespace monotable::http {

// An answer on its way to the connection that waits for it.
struct Answer {
  uint64_t connection_id = 0;
  std::optional<Response> response;  // nullopt if the responder was dropped
  std::function<Response()> make;    // makes the response, if it is not there yet
  bool no_memory = false;            // the response was thrown away
  MemoryBudget::Reservation reservation;

  // The response, which is made now if it is not there yet.
  std::optional<Response> Take() { return make ? make() : std::move(response); }
  // Accounts for the response. If the server has no memory for a large one, throws it away.
  void Reserve(MemoryBudget& budget);
};

// Answers in the order in which they came.
using Answers = std::list<Answer>;

// Delivers answers on the thread of an event loop.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // Called by destructors too, so it must not throw.
  virtual void Deliver(Answer answer) noexcept = 0;
};

// What other threads give to an event loop. Responders keep it alive longer than the loop; it then
// drops whatever it is given. Thread-safe, lock mutex_.
class Inbox : public std::enable_shared_from_this<Inbox> {
 public:
  struct Contents {
    Answers answers;
    std::vector<FileDescriptor> sockets;
    bool make_room = false;
    bool drain = false;
    bool stop = false;
  };

  // The budget is the one that answers are accounted to; without one there is no limit.
  explicit Inbox(std::shared_ptr<MemoryBudget> budget = nullptr);

  MemoryBudget& budget() const { return *budget_; }
  // A descriptor that signals once when the inbox is no longer empty, until it is emptied. Nothing
  // reads the descriptor, because the loop watches it edge-triggered.
  int event_fd() const { return event_.get(); }

  // Delivers one answer to the sink at once if this is the thread of the loop, else leaves it for
  // the loop. Needs no memory: the list has it already.
  void PostAnswer(Answers answer) noexcept;
  void PostSocket(FileDescriptor socket);
  // The server has too many clients that have asked for nothing yet, and another loop has none.
  void PostMakeRoom();
  void PostDrain();
  void PostStop();
  // Whether the loop was told to stop, even if it is busy and has not seen that yet.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  // On the thread of the loop.
  void Attach(AnswerSink* sink);
  void Detach();
  Contents Take();

 private:
  template <typename Fill>
  void Post(Fill fill);

  const std::shared_ptr<MemoryBudget> budget_;
  FileDescriptor event_;
  std::atomic<bool> stopped_{false};
  AnswerSink* sink_ = nullptr;  // of the thread of the loop only
  std::mutex mutex_;
  Contents contents_;       // guarded by mutex_
  bool signalled_ = false;  // guarded by mutex_
  bool closed_ = false;     // guarded by mutex_
};

// The far end of a responder. Thread-safe.
class Responder::Target final : public work::Client {
 public:
  // The account is that of the connection; it may be null.
  Target(std::shared_ptr<Inbox> inbox, uint64_t connection_id,
         std::shared_ptr<work::Account> account = nullptr);
  ~Target() override;
  bool is_gone() const override { return abandoned(); }
  work::Account* account() const override { return account_.get(); }
  void Send(std::optional<Response> response);
  void SendMade(std::function<Response()> make);
  void Keep(std::shared_ptr<const void> kept) { kept_ = std::move(kept); }
  void Abandon() { abandoned_.store(true, std::memory_order_relaxed); }
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed) || inbox_->stopped(); }

 private:
  const std::shared_ptr<Inbox> inbox_;
  Answers answer_;  // one, which is there before it is needed: memory may be short then
  const std::shared_ptr<work::Account> account_;
  std::atomic<bool> sent_{false};
  std::atomic<bool> abandoned_{false};
  std::shared_ptr<const void> kept_;
};

}  // namespace monotable::http
