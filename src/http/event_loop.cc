#include "http/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "work/wakeups.h"

namespace monotable::http {
namespace {

// The id of an epoll event: for a connection, a serial number in the upper half and a slot in the
// lower half; for everything else, a small number. Serial numbers begin at one, and a connection
// that reuses a slot gets another one, so an event or answer for a connection that is gone does not
// reach the next connection in its slot.
constexpr uint64_t kInboxId = 0;
constexpr uint64_t kFirstListenerId = 1;
constexpr uint64_t kFirstConnectionId = uint64_t{1} << 32;

constexpr size_t kEventsPerWait = 256;
constexpr int kAcceptsPerEvent = 64;
// Enough that waking a client is worth it, few enough that the first answer does not wait long.
constexpr size_t kAnswersTogether = 16;
// The same for the requests that the loop hands to another thread, which is woken for all of them.
constexpr int kEventsTogether = 16;
// How many clients over the limit get an answer; further ones are just closed.
constexpr size_t kRefusedTogether = 128;

bool Watch(int epoll, int fd, uint32_t events, uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int OpenSpare() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

EventLoop::EventLoop(SharedState& shared)
    : shared_(shared),
      context_(shared.options, shared.handler, *shared.budget, shared.draining),
      spare_(OpenSpare()) {}

EventLoop::~EventLoop() = default;

bool EventLoop::valid() const {
  return context_.epoll && spare_ && context_.inbox->event_fd() >= 0;
}

void EventLoop::Run() {
  context_.inbox->Attach(this);
  Watch(context_.epoll.get(), context_.inbox->event_fd(), EPOLLIN | EPOLLET, kInboxId);
  WatchListeners();
  std::array<epoll_event, kEventsPerWait> events;
  while (!stopping_ && !(draining_ && connections() == 0)) {
    const int count =
        epoll_wait(context_.epoll.get(), events.data(), static_cast<int>(events.size()), WaitMs());
    context_.now = std::chrono::steady_clock::now();
    work::PostponedWakeups wakeups;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      HandleEvent(event.data.u64, event.events);
      if (answered_.size() >= kAnswersTogether) SendAnswers();
      if (i % kEventsTogether == kEventsTogether - 1) wakeups.Run();
    }
    wakeups.Run();
    SendAnswers();
    Expire();
  }
  CloseAll();
  context_.inbox->Detach();
}

void EventLoop::WatchListeners() {
  uint64_t id = kFirstListenerId;
  for (const FileDescriptor& listener : shared_.listeners) {
    Watch(context_.epoll.get(), listener.get(), EPOLLIN | EPOLLEXCLUSIVE, id++);
  }
}

int EventLoop::WaitMs() const {
  TimePoint earliest = TimePoint::max();
  for (const DeadlineList* list :
       {&context_.idle, &context_.head, &context_.body, &context_.write, &context_.linger}) {
    if (!list->empty()) earliest = std::min(earliest, list->earliest());
  }
  if (earliest == TimePoint::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(earliest - context_.now).count();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, 60 * 1000));
}

void EventLoop::HandleEvent(uint64_t id, uint32_t events) {
  if (id >= kFirstConnectionId) {
    Connection* connection = Find(id);
    if (connection == nullptr) return;
    connection->OnEvents(events);
    ForgetIfClosed(*connection);
  } else if (id == kInboxId) {
    TakeInbox();
  } else if (!draining_) {
    AcceptAll(shared_.listeners[id - kFirstListenerId].get());
  }
}

void EventLoop::AcceptAll(int listener) {
  for (int i = 0; i < kAcceptsPerEvent; ++i) {
    FileDescriptor socket(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      Place(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE) {
      return AcceptNoMore(listener);
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
}

// Closes a client for which the process has no descriptor. If the client stayed in the kernel's
// queue, the listener would always be ready and keep the loop busy.
void EventLoop::AcceptNoMore(int listener) {
  spare_.Close();
  FileDescriptor(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)).Close();
  spare_ = FileDescriptor(OpenSpare());
}

void EventLoop::Place(FileDescriptor socket) {
  EventLoop* fewest = this;
  for (const auto& loop : shared_.loops) {
    if (loop->connections() < fewest->connections()) fewest = loop.get();
  }
  fewest->connections_.fetch_add(1, std::memory_order_relaxed);
  shared_.connections.fetch_add(1, std::memory_order_relaxed);
  if (fewest == this) {
    Adopt(std::move(socket));
  } else {
    fewest->inbox().PostSocket(std::move(socket));
  }
}

void EventLoop::Adopt(FileDescriptor socket) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(by_slot_.size()));
    by_slot_.emplace_back();
  }
  const uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  const uint64_t id = uint64_t{next_serial_} << 32 | slot;
  if (++next_serial_ == 0) next_serial_ = 1;
  by_slot_[slot] = std::make_unique<Connection>(context_, std::move(socket), id);
  Connection& connection = *by_slot_[slot];

  const size_t total = shared_.connections.load(std::memory_order_relaxed);
  if (!connection.Open() || total > shared_.options.max_connections + kRefusedTogether) {
    connection.Close();
  } else if (total > shared_.options.max_connections) {
    connection.Refuse();
  } else if (draining_) {
    connection.StartDraining();
  }
  ForgetIfClosed(connection);
}

void EventLoop::TakeInbox() {
  Inbox::Contents contents = context_.inbox->Take();
  for (Answer& answer : contents.answers) Deliver(std::move(answer));
  for (FileDescriptor& socket : contents.sockets) Adopt(std::move(socket));
  if (contents.drain && !draining_) StartDraining();
  if (contents.stop) stopping_ = true;
}

void EventLoop::Deliver(Answer answer) {
  Connection* connection = Find(answer.connection_id);
  if (connection == nullptr || !connection->TakeAnswer(std::move(answer))) return;
  answered_.push_back(connection->id());
}

void EventLoop::SendAnswers() {
  // Connections that go on with their next request make more answers meanwhile.
  for (size_t i = 0; i < answered_.size(); ++i) {
    Connection* connection = Find(answered_[i]);
    if (connection == nullptr) continue;
    connection->SendAnswer();
    ForgetIfClosed(*connection);
  }
  answered_.clear();
}

void EventLoop::StartDraining() {
  for (const FileDescriptor& listener : shared_.listeners) {
    // Clients that wait in the kernel's queue are still served; later ones are refused.
    AcceptAll(listener.get());
    epoll_ctl(context_.epoll.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
    shutdown(listener.get(), SHUT_RD);
  }
  draining_ = true;
  for (size_t slot = 0; slot < by_slot_.size(); ++slot) {
    if (!by_slot_[slot]) continue;
    by_slot_[slot]->StartDraining();
    ForgetIfClosed(*by_slot_[slot]);
  }
}

void EventLoop::Expire() {
  for (DeadlineList* list :
       {&context_.idle, &context_.head, &context_.body, &context_.write, &context_.linger}) {
    while (DeadlineEntry* entry = list->Expired(context_.now)) {
      auto& connection = static_cast<Connection&>(*entry);
      connection.OnDeadline();
      ForgetIfClosed(connection);
    }
  }
}

Connection* EventLoop::Find(uint64_t id) const {
  const auto slot = static_cast<uint32_t>(id);
  if (slot >= by_slot_.size() || !by_slot_[slot] || by_slot_[slot]->id() != id) return nullptr;
  return by_slot_[slot].get();
}

void EventLoop::ForgetIfClosed(Connection& connection) {
  if (!connection.closed() || connection.in_handler()) return;
  const auto slot = static_cast<uint32_t>(connection.id());
  by_slot_[slot].reset();
  free_slots_.push_back(slot);
  connections_.fetch_sub(1, std::memory_order_relaxed);
  shared_.connections.fetch_sub(1, std::memory_order_relaxed);
}

void EventLoop::CloseAll() {
  for (auto& connection : by_slot_) {
    if (!connection) continue;
    connection->Close();
    ForgetIfClosed(*connection);
  }
}

}  // namespace monotable::http
