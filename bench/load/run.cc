#include "load/run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load/cpu_time.h"

namespace monotable::load {

namespace {

// A run that only meets errors ends after so many.
constexpr uint64_t kHopelessErrors = 256;
// One in so many bodies is looked at; the status always is.
constexpr uint64_t kCheckEvery = 1024;

double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Error SystemError(std::string_view what) {
  return Error::Internal(fmt::format("{}: {}", what, std::strerror(errno)));
}

Result<sockaddr_in> AddressOf(const Options& options) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  if (inet_pton(AF_INET, options.host.c_str(), &address.sin_addr) != 1) {
    return Error::Validation("--host is not an IPv4 address: " + options.host);
  }
  return address;
}

// The code at the end of __type, or the HTTP status when there is none.
std::string ErrorCodeOf(const Response& response) {
  constexpr std::string_view kName = R"("__type":")";
  const std::string_view body = response.body();
  const size_t name = body.find(kName);
  if (name == std::string_view::npos) return fmt::format("HTTP {}", response.status());
  std::string_view type = body.substr(name + kName.size());
  type = type.substr(0, type.find('"'));
  return std::string(type.substr(type.find('#') + 1));
}

}  // namespace

Run::Run(const Options& options, Workload workload)
    : options_(options), workload_(std::move(workload)), connections_(options_.connections) {}

Run::~Run() {
  if (epoll_ >= 0) close(epoll_);
}

Result<Figures> Run::Execute() {
  TRY(Open());
  phase_began_ = Clock::now();
  EnterPhase(phase_began_);
  last_answer_ = phase_began_;
  const std::chrono::microseconds interval(options_.interval_us);
  for (size_t i = 0; i < connections_.size(); ++i) {
    // Connections take turns within an interval.
    connections_[i].due = phase_began_ + interval * i / connections_.size();
    TRY(SendNext(i));
  }
  while (in_flight_ > 0 || (options_.interval_us > 0 && phase_ != Phase::kDraining)) TRY(Await());
  if (phase_ == Phase::kMeasuring) EndMeasuring(Clock::now());
  return std::move(figures_);
}

Status Run::Open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return SystemError("epoll_create1");
  TRY_ASSIGN(const sockaddr_in address, AddressOf(options_));
  for (size_t i = 0; i < connections_.size(); ++i) {
    TRY(connections_[i].Connect(address));
    TRY(Watch(i, EPOLL_CTL_ADD, EPOLLIN));
  }
  return {};
}

Status Run::Watch(size_t index, int how, uint32_t events) const {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = index;
  if (epoll_ctl(epoll_, how, connections_[index].socket(), &event) == 0) return {};
  return SystemError("epoll_ctl");
}

Status Run::Await() {
  std::array<epoll_event, 256> events;
  Clock::time_point now = Clock::now();
  const auto patience =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.patience));
  Clock::duration wait = last_answer_ + patience - now;
  if (options_.interval_us > 0) wait = std::min(wait, UntilDue(now));
  wait = std::max(wait, Clock::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = std::chrono::nanoseconds(wait - seconds).count();
  const int count =
      epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  if (count < 0) return errno == EINTR ? Status() : SystemError("epoll_wait");
  now = Clock::now();
  if (count > 0) last_answer_ = now;
  if (now - last_answer_ >= patience) {
    if (options_.interval_us == 0) return Error::Internal("The server has stopped answering");
    if (phase_ != Phase::kDraining) EndMeasuring(now);
    CountWaiting(now);
    CountError("NoAnswer", "the server has stopped answering");
    in_flight_ = 0;
    return {};
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    TRY(HandleEvent(event.data.u64, event.events));
  }
  return options_.interval_us > 0 ? SendDue(Clock::now()) : Status();
}

Clock::duration Run::UntilDue(Clock::time_point now) const {
  Clock::duration least = std::chrono::hours(1);
  if (phase_ == Phase::kDraining) return least;
  for (const Connection& connection : connections_) {
    if (!connection.is_busy) least = std::min(least, connection.due - now);
  }
  return least;
}

Status Run::SendDue(Clock::time_point now) {
  EnterPhase(now);
  for (size_t i = 0; i < connections_.size(); ++i) {
    if (!connections_[i].is_busy) TRY(SendNext(i));
  }
  return {};
}

// Counts the requests that have no answer, with the time that they have waited until now.
void Run::CountWaiting(Clock::time_point now) {
  for (const Connection& connection : connections_) {
    if (connection.is_busy && connection.is_measured) {
      const auto waited = std::chrono::nanoseconds(now - connection.sent_at);
      figures_.latencies.Add(static_cast<uint64_t>(waited.count()));
    }
  }
}

// Counts the requests that were due and could not be sent, because an earlier one was under way.
void Run::CountUnsent(Clock::time_point now) {
  for (Connection& connection : connections_) {
    while (connection.due < now) {
      const auto waited = std::chrono::nanoseconds(now - connection.due);
      figures_.latencies.Add(static_cast<uint64_t>(waited.count()));
      connection.due += std::chrono::microseconds(options_.interval_us);
    }
  }
}

Status Run::HandleEvent(size_t index, uint32_t events) {
  Connection& connection = connections_[index];
  if (connection.waits_to_send && (events & EPOLLOUT) != 0) return Flush(index);
  switch (connection.Receive()) {
    case Connection::Received::kIncomplete:
      return {};
    case Connection::Received::kBroken:
      return Reconnect(index);
    case Connection::Received::kAnswer:
      break;
  }
  const Clock::time_point now = Clock::now();
  connection.is_busy = false;
  --in_flight_;
  EnterPhase(now);
  Account(index, now);
  return SendNext(index);
}

Status Run::SendNext(size_t index) {
  const bool enough = options_.requests && sent_measured_ >= *options_.requests;
  const bool hopeless = error_count_ >= kHopelessErrors && error_count_ >= answers_;
  if (phase_ == Phase::kDraining || enough || hopeless) return {};
  if (options_.interval_us > 0 && connections_[index].due > Clock::now()) return {};
  return Send(index);
}

Status Run::Send(size_t index) {
  Connection& connection = connections_[index];
  if (!workload_.AppendRequest(connection.BeginRequest(), index)) return {};
  connection.is_measured = phase_ == Phase::kMeasuring;
  if (connection.is_measured) ++sent_measured_;
  connection.is_busy = true;
  ++in_flight_;
  if (options_.interval_us > 0) {
    connection.sent_at = connection.due;
    connection.due += std::chrono::microseconds(options_.interval_us);
  } else {
    connection.sent_at = Clock::now();
  }
  return Flush(index);
}

Status Run::Flush(size_t index) {
  Connection& connection = connections_[index];
  const Connection::Sent sent = connection.Flush();
  if (sent == Connection::Sent::kBroken) return Reconnect(index);
  const bool waits = sent == Connection::Sent::kPart;
  if (waits == connection.waits_to_send) return {};
  connection.waits_to_send = waits;
  return Watch(index, EPOLL_CTL_MOD, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// The server ended the connection: instead of answering, which is an error, or after the last
// answer. A closed socket is forgotten by epoll, so the new one is added.
Status Run::Reconnect(size_t index) {
  if (!connections_[index].is_busy) {
    connections_[index].Close();
    return {};
  }
  CountError("ConnectionClosed", "the server closed a connection");
  connections_[index].is_busy = false;
  --in_flight_;
  TRY_ASSIGN(const sockaddr_in address, AddressOf(options_));
  TRY(connections_[index].Connect(address));
  connections_[index].waits_to_send = false;
  TRY(Watch(index, EPOLL_CTL_ADD, EPOLLIN));
  return SendNext(index);
}

void Run::EnterPhase(Clock::time_point now) {
  if (phase_ == Phase::kWarmUp && SecondsBetween(phase_began_, now) >= options_.warmup) {
    BeginMeasuring(now);
  }
  if (phase_ == Phase::kMeasuring && options_.seconds &&
      SecondsBetween(phase_began_, now) >= *options_.seconds) {
    EndMeasuring(now);
  }
}

void Run::BeginMeasuring(Clock::time_point now) {
  phase_ = Phase::kMeasuring;
  phase_began_ = now;
  generator_cpu_before_ = OwnCpuTime();
  if (options_.server_pid) server_cpu_before_ = CpuTimeOf(*options_.server_pid);
}

void Run::EndMeasuring(Clock::time_point now) {
  phase_ = Phase::kDraining;
  if (options_.interval_us > 0) CountUnsent(now);
  figures_.seconds = SecondsBetween(phase_began_, now);
  figures_.generator_cpu = OwnCpuTime() - generator_cpu_before_;
  if (server_cpu_before_) {
    const std::optional<double> after = CpuTimeOf(*options_.server_pid);
    if (after) figures_.server_cpu = *after - *server_cpu_before_;
  }
}

// Throughput is what was answered in the measured time, whenever it was asked. Latency is that of
// the requests sent in it, so that the slowest, which are answered after it, are not left out.
void Run::Account(size_t index, Clock::time_point now) {
  const Connection& connection = connections_[index];
  const Response& response = connection.response();
  const bool is_checked = answers_++ % kCheckEvery == 0 || workload_.checks_every_answer();
  if (response.status() != 200) {
    const bool is_conflict = workload_.is_transaction() &&
                             response.body().find("TransactionConflict") != std::string_view::npos;
    if (!is_conflict) return CountError(ErrorCodeOf(response), response.body());
    if (phase_ == Phase::kMeasuring) ++figures_.conflicts;
    return;
  }
  if (is_checked && !workload_.IsExpected(response.body())) {
    return CountError("UnexpectedAnswer", response.body());
  }
  workload_.TakeAnswer(response.body(), index);
  if (phase_ == Phase::kMeasuring) ++figures_.requests;
  if (connection.is_measured) {
    const auto latency = std::chrono::nanoseconds(now - connection.sent_at);
    figures_.latencies.Add(static_cast<uint64_t>(latency.count()));
  }
}

void Run::CountError(std::string_view code, std::string_view text) {
  if (error_count_++ == 0) {
    fmt::print(stderr, "load: {}: {}: {}\n", options_.operation, code, text.substr(0, 500));
  }
  ++figures_.errors[std::string(code)];
}

}  // namespace monotable::load
