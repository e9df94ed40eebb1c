#include "http/inbox.h"

#include <cstdint>
#include <utility>

#include <sys/eventfd.h>

#include "work/wakeups.h"

namespace monotable::http {
namespace {

// The inbox of the loop that this thread runs, if it runs one.
thread_local const Inbox* attached_inbox = nullptr;

// Smaller answers have their place in what each connection reserves.
constexpr size_t kUncountedAnswerBytes = 4096;
// Past this size an answer is thrown away rather than kept without memory for it. No answer to a
// write is as large.
constexpr size_t kLargeAnswerBytes = 1024 * 1024;

}  // namespace

void Answer::Reserve(MemoryBudget& budget) {
  const size_t bytes = response ? response->body.capacity() : 0;
  if (bytes <= kUncountedAnswerBytes) return;
  if (reservation.GrowTo(bytes, MemoryBudget::Use::kAny, budget)) return;
  no_memory = bytes > kLargeAnswerBytes;
  if (no_memory) {
    response.reset();
  } else {
    reservation.GrowAnyway(bytes, budget);
  }
}

Inbox::Inbox(std::shared_ptr<MemoryBudget> budget)
    : budget_(budget ? std::move(budget) : std::make_shared<MemoryBudget>(SIZE_MAX)),
      event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

template <typename Fill>
void Inbox::Post(Fill fill) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    fill(contents_);
    if (std::exchange(signalled_, true)) return;
  }
  work::Wake([inbox = shared_from_this()] { eventfd_write(inbox->event_.get(), 1); });
}

void Inbox::PostAnswer(Answers answer) noexcept {
  if (attached_inbox == this) {
    sink_->Deliver(std::move(answer.front()));
    return;
  }
  Post([&](Contents& contents) { contents.answers.splice(contents.answers.end(), answer); });
}

void Inbox::PostSocket(FileDescriptor socket) {
  Post([&](Contents& contents) { contents.sockets.push_back(std::move(socket)); });
}

void Inbox::PostMakeRoom() {
  Post([](Contents& contents) { contents.make_room = true; });
}

void Inbox::PostDrain() {
  Post([](Contents& contents) { contents.drain = true; });
}

void Inbox::PostStop() {
  stopped_.store(true, std::memory_order_relaxed);
  Post([](Contents& contents) { contents.stop = true; });
}

void Inbox::Attach(AnswerSink* sink) {
  sink_ = sink;
  attached_inbox = this;
}

void Inbox::Detach() {
  attached_inbox = nullptr;
  Contents dropped;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  std::swap(dropped, contents_);
}

Inbox::Contents Inbox::Take() {
  const std::lock_guard lock(mutex_);
  signalled_ = false;
  return std::exchange(contents_, {});
}

Responder::Target::Target(std::shared_ptr<Inbox> inbox, uint64_t connection_id,
                          std::shared_ptr<work::Account> account)
    : inbox_(std::move(inbox)), answer_(1), account_(std::move(account)) {
  answer_.front().connection_id = connection_id;
}

Responder::Target::~Target() {
  Send(std::nullopt);
}

void Responder::Target::Send(std::optional<Response> response) {
  if (sent_.exchange(true)) return;
  Answer& answer = answer_.front();
  answer.response = std::move(response);
  answer.Reserve(inbox_->budget());
  inbox_->PostAnswer(std::move(answer_));
}

void Responder::Target::SendMade(std::function<Response()> make) {
  // Before the answer counts as sent, because this needs memory.
  if (kept_) make = [kept = kept_, made = std::move(make)] { return made(); };
  if (sent_.exchange(true)) return;
  answer_.front().make = std::move(make);
  inbox_->PostAnswer(std::move(answer_));
}

Responder::Responder(std::shared_ptr<Target> target) : target_(std::move(target)) {}

void Responder::Send(Response response) const {
  target_->Send(std::move(response));
}

void Responder::SendMade(std::function<Response()> make) const {
  target_->SendMade(std::move(make));
}

void Responder::Keep(std::shared_ptr<const void> kept) const {
  target_->Keep(std::move(kept));
}

bool Responder::abandoned() const {
  return target_->abandoned();
}

work::ClientPtr Responder::client() const {
  return target_;
}

}  // namespace monotable::http
