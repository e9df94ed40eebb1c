#include "http/inbox.h"

#include <utility>

#include <sys/eventfd.h>

#include "work/wakeups.h"

namespace monotable::http {
namespace {

// The inbox of the loop that this thread runs, if it runs one.
thread_local const Inbox* attached_inbox = nullptr;

}  // namespace

Inbox::Inbox() : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

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

void Inbox::PostAnswer(Answer answer) {
  if (attached_inbox == this) {
    sink_->Deliver(std::move(answer));
    return;
  }
  Post([&](Contents& contents) { contents.answers.push_back(std::move(answer)); });
}

void Inbox::PostSocket(FileDescriptor socket) {
  Post([&](Contents& contents) { contents.sockets.push_back(std::move(socket)); });
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
    : inbox_(std::move(inbox)), connection_id_(connection_id), account_(std::move(account)) {}

Responder::Target::~Target() {
  Send(std::nullopt);
}

void Responder::Target::Send(std::optional<Response> response) {
  Post({connection_id_, std::move(response), nullptr});
}

void Responder::Target::SendMade(std::function<Response()> make) {
  if (kept_) make = [kept = kept_, made = std::move(make)] { return made(); };
  Post({connection_id_, std::nullopt, std::move(make)});
}

void Responder::Target::Post(Answer answer) {
  if (!sent_.exchange(true)) inbox_->PostAnswer(std::move(answer));
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
