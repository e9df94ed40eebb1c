#include "http/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

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
// How often connections ask again for memory.
constexpr std::chrono::milliseconds kMemoryInterval{5};
// How long a client may take over a head before another may have its place.
constexpr std::chrono::milliseconds kSlowHead{1000};
constexpr std::chrono::milliseconds kAcceptPause{100};

bool Watch(int epoll, int fd, uint32_t events, uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

Connection& ConnectionOf(DeadlineEntry& entry) {
  return static_cast<Connection&>(entry);
}

}  // namespace

size_t MaxLingering(const ServerOptions& options) {
  return std::clamp<size_t>(options.max_connections / 8, 8, 256);
}

EventLoop::EventLoop(SharedState& shared)
    : shared_(shared),
      context_(shared.options, shared.handler, shared.budget, shared.draining, shared.counts) {}

EventLoop::~EventLoop() = default;

bool EventLoop::valid() const {
  return context_.epoll && context_.inbox->event_fd() >= 0;
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
    TakeTurn();
  }
  CloseAll();
  context_.inbox->Detach();
}

void EventLoop::TakeTurn() {
  ResumeQueued();
  SendAnswers();
  ShareMemory();
  Expire();
  DeadlineEntry* idle = (has_many_fresh() ? context_.fresh : context_.idle).first();
  idle_since_.store(idle == nullptr ? TimePoint::max() : ConnectionOf(*idle).since(),
                    std::memory_order_relaxed);
  if (context_.now >= accept_again_ && !draining_) WatchListeners();
}

void EventLoop::WatchListeners() {
  accept_again_ = TimePoint::max();
  uint64_t id = kFirstListenerId;
  for (const FileDescriptor& listener : shared_.listeners) {
    Watch(context_.epoll.get(), listener.get(), EPOLLIN | EPOLLEXCLUSIVE, id++);
  }
}

void EventLoop::StopAccepting() {
  for (const FileDescriptor& listener : shared_.listeners) {
    epoll_ctl(context_.epoll.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
  }
}

void EventLoop::PauseAccepting() {
  StopAccepting();
  accept_again_ = context_.now + kAcceptPause;
}

int EventLoop::WaitMs() const {
  if (!queued_.empty()) return 0;
  TimePoint earliest = accept_again_;
  for (const DeadlineList* list : {&context_.fresh, &context_.idle, &context_.head, &context_.body,
                                   &context_.memory, &context_.write, &context_.linger}) {
    if (!list->empty()) earliest = std::min(earliest, list->earliest());
  }
  if (!context_.memory.empty()) earliest = std::min(earliest, context_.now + kMemoryInterval);
  // A connection of another loop may wait for the memory of one here.
  if (!context_.body.empty() || !context_.write.empty()) {
    earliest = std::min(earliest, context_.now + std::chrono::seconds(1));
  }
  if (earliest == TimePoint::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(earliest - context_.now).count();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, 60 * 1000));
}

void EventLoop::HandleEvent(uint64_t id, uint32_t events) {
  if (id >= kFirstConnectionId) {
    Connection* connection = Find(id);
    if (connection == nullptr) return;
    With(*connection, [&] { connection->OnEvents(events); });
  } else if (id == kInboxId) {
    TakeInbox();
  } else if (!draining_) {
    AcceptAll(shared_.listeners[id - kFirstListenerId].get());
  }
}

template <typename Function>
void EventLoop::With(Connection& connection, Function function) {
  try {
    function();
  } catch (const std::exception&) {
    connection.OnException();
  }
  if (connection.has_requests() && !connection.is_queued()) {
    connection.set_queued(true);
    queued_.push_back(connection.id());
  }
  ForgetIfClosed(connection);
}

void EventLoop::AcceptAll(int listener) {
  bool made_room = false;
  for (int i = 0; i < kAcceptsPerEvent; ++i) {
    FileDescriptor socket(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      Place(std::move(socket));
      if (made_room) return;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // The kernel says this even if no client waits. One surely waits only if there was an event.
      if (i > 0) return;
      made_room = true;
      if (!CloseOldestLingering() && !MakeRoom(nullptr)) return PauseAccepting();
    } else if (errno == EAGAIN) {
      return;
    }
    // All other errors are those of a client that is gone already.
  }
}

void EventLoop::Place(FileDescriptor socket) {
  // If the server is full, the loop with the longest idle connection has to take the client.
  const bool is_full = shared_.counts.active() >= shared_.options.max_connections;
  EventLoop* best = this;
  for (const auto& loop : shared_.loops) {
    const bool is_better = is_full && loop->idle_since() != best->idle_since()
                               ? loop->idle_since() < best->idle_since()
                               : loop->connections() < best->connections();
    if (is_better) best = loop.get();
  }
  best->connections_.fetch_add(1, std::memory_order_relaxed);
  shared_.counts.all.fetch_add(1, std::memory_order_relaxed);
  if (best == this) {
    Connection* connection = Adopt(std::move(socket));
    if (connection != nullptr) Begin(*connection);
    return;
  }
  try {
    best->inbox().PostSocket(std::move(socket));
  } catch (const std::exception&) {
    best->connections_.fetch_sub(1, std::memory_order_relaxed);
    shared_.counts.all.fetch_sub(1, std::memory_order_relaxed);
  }
}

Connection* EventLoop::Adopt(FileDescriptor socket) {
  try {
    return &Add(std::move(socket));
  } catch (const std::exception&) {
    connections_.fetch_sub(1, std::memory_order_relaxed);
    shared_.counts.all.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
}

void EventLoop::Begin(Connection& connection) {
  With(connection, [&] {
    if (!connection.Open()) {
      connection.Close();
    } else if (is_over_full() && !OthersMakeRoom(connection) && !MakeRoom(&connection)) {
      connection.Refuse();
    } else if (draining_) {
      connection.StartDraining();
    }
  });
}

Connection& EventLoop::Add(FileDescriptor socket) {
  if (free_slots_.empty()) {
    // What each connection may need room in has that room from the beginning, so that a lack of
    // memory is met here and not later.
    by_slot_.emplace_back();
    free_slots_.reserve(by_slot_.capacity());
    adopted_.reserve(by_slot_.capacity());
    answered_.reserve(by_slot_.capacity());
    queued_.reserve(2 * by_slot_.capacity());
    free_slots_.push_back(static_cast<uint32_t>(by_slot_.size() - 1));
  }
  const uint32_t slot = free_slots_.back();
  const uint64_t id = uint64_t{next_serial_} << 32 | slot;
  by_slot_[slot] = std::make_unique<Connection>(context_, std::move(socket), id);
  free_slots_.pop_back();
  if (++next_serial_ == 0) next_serial_ = 1;
  return *by_slot_[slot];
}

bool EventLoop::is_over_full() const {
  return shared_.counts.active() > shared_.options.max_connections;
}

// The newcomer is the only one of this loop that has not asked for anything, and was given to this
// loop before the loop with many of those had said so.
bool EventLoop::OthersMakeRoom(const Connection& newcomer) {
  const DeadlineEntry* first = context_.fresh.first();
  if (first != &newcomer || context_.fresh.After(*first) != nullptr) return false;
  const size_t others = shared_.counts.fresh.load(std::memory_order_relaxed) - 1;
  if (others <= shared_.options.max_connections / 4) return false;
  for (const auto& loop : shared_.loops) {
    if (loop.get() != this) loop->inbox().PostMakeRoom();
  }
  return true;
}

bool EventLoop::MakeRoom(const Connection* except) {
  Connection* connection = LeastNeeded(except);
  if (connection == nullptr) return false;
  CloseForOthers(*connection);
  return true;
}

// The last to come stays: those that other loops have taken may have come before.
void EventLoop::MakeRoomForOthers() {
  for (DeadlineEntry* first = context_.fresh.first();
       first != nullptr && context_.fresh.After(*first) != nullptr && is_over_full();
       first = context_.fresh.first()) {
    CloseForOthers(ConnectionOf(*first));
  }
}

void EventLoop::CloseForOthers(Connection& connection) {
  connection.Close();
  ForgetIfClosed(connection);
}

// Clients that come and say nothing do not push out those that have asked before. But a quarter of
// the places is for clients that have just come.
bool EventLoop::has_many_fresh() const {
  return shared_.counts.fresh.load(std::memory_order_relaxed) > shared_.options.max_connections / 4;
}

Connection* EventLoop::LeastNeeded(const Connection* except) const {
  const auto first_of = [except](const DeadlineList& list) -> Connection* {
    DeadlineEntry* entry = list.first();
    if (entry != nullptr && &ConnectionOf(*entry) == except) entry = list.After(*entry);
    return entry == nullptr ? nullptr : &ConnectionOf(*entry);
  };
  Connection* const fresh = first_of(context_.fresh);
  Connection* const idle = first_of(context_.idle);
  if (fresh != nullptr && (idle == nullptr || has_many_fresh())) return fresh;
  if (idle != nullptr) return idle;
  Connection* const head = first_of(context_.head);
  const bool is_slow = head != nullptr && head->since() <= context_.now - kSlowHead;
  return is_slow && !head->has_requests() ? head : nullptr;
}

void EventLoop::TakeInbox() {
  Inbox::Contents contents = context_.inbox->Take();
  for (Answer& answer : contents.answers) Deliver(std::move(answer));
  // All are there before the first begins: who makes room for it is chosen among all.
  for (FileDescriptor& socket : contents.sockets) {
    const Connection* connection = Adopt(std::move(socket));
    if (connection != nullptr) adopted_.push_back(connection->id());
  }
  for (const uint64_t id : adopted_) {
    Connection* connection = Find(id);
    if (connection != nullptr) Begin(*connection);
  }
  adopted_.clear();
  if (contents.make_room) MakeRoomForOthers();
  if (contents.drain && !draining_) StartDraining();
  if (contents.stop) stopping_ = true;
}

void EventLoop::Deliver(Answer answer) noexcept {
  Connection* connection = Find(answer.connection_id);
  if (connection == nullptr) return;
  With(*connection, [&] {
    if (connection->TakeAnswer(std::move(answer))) answered_.push_back(connection->id());
  });
}

void EventLoop::SendAnswers() {
  for (size_t i = 0; i < answered_.size(); ++i) {
    Connection* connection = Find(answered_[i]);
    if (connection != nullptr) With(*connection, [&] { connection->SendAnswer(); });
  }
  answered_.clear();
}

void EventLoop::ResumeQueued() {
  // The connections that still have requests join again, behind these.
  const size_t count = queued_.size();
  for (size_t i = 0; i < count; ++i) {
    Connection* connection = Find(queued_[i]);
    if (connection == nullptr) continue;
    connection->set_queued(false);
    With(*connection, [&] { connection->Resume(); });
  }
  queued_.erase(queued_.begin(), queued_.begin() + static_cast<std::ptrdiff_t>(count));
}

void EventLoop::ShareMemory() {
  if (!shared_.budget->somebody_waits() || context_.now < share_again_) return;
  share_again_ = context_.now + kMemoryInterval;
  for (const DeadlineList* list : {&context_.body, &context_.write, &context_.memory}) {
    DeadlineEntry* next = nullptr;
    for (DeadlineEntry* entry = list->first(); entry != nullptr; entry = next) {
      next = list->After(*entry);
      Connection& connection = ConnectionOf(*entry);
      With(connection,
           [&] { list == &context_.memory ? connection.Retry() : connection.DropIfDawdling(); });
    }
  }
}

void EventLoop::StartDraining() {
  // Clients that wait in the kernel's queue are still served; later ones are refused.
  for (const FileDescriptor& listener : shared_.listeners) AcceptAll(listener.get());
  StopAccepting();
  for (const FileDescriptor& listener : shared_.listeners) shutdown(listener.get(), SHUT_RD);
  draining_ = true;
  accept_again_ = TimePoint::max();
  for (size_t slot = 0; slot < by_slot_.size(); ++slot) {
    if (!by_slot_[slot]) continue;
    Connection& connection = *by_slot_[slot];
    With(connection, [&] { connection.StartDraining(); });
  }
}

void EventLoop::Expire() {
  for (DeadlineList* list : {&context_.fresh, &context_.idle, &context_.head, &context_.body,
                             &context_.memory, &context_.write, &context_.linger}) {
    while (DeadlineEntry* entry = list->Expired(context_.now)) {
      Connection& connection = ConnectionOf(*entry);
      With(connection, [&] { connection.OnDeadline(); });
    }
  }
  const size_t limit = MaxLingering(shared_.options);
  while (shared_.counts.lingering.load(std::memory_order_relaxed) > limit &&
         CloseOldestLingering()) {
  }
}

bool EventLoop::CloseOldestLingering() {
  DeadlineEntry* oldest = context_.linger.first();
  if (oldest == nullptr) return false;
  CloseForOthers(ConnectionOf(*oldest));
  return true;
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
  shared_.counts.all.fetch_sub(1, std::memory_order_relaxed);
}

void EventLoop::CloseAll() {
  for (auto& connection : by_slot_) {
    if (!connection) continue;
    connection->Close();
    ForgetIfClosed(*connection);
  }
}

}  // namespace monotable::http
