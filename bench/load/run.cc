#include "load/run.h"

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

// How long no answer at all may come before the run is given up.
constexpr auto kPatience = std::chrono::seconds(60);
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
  for (size_t i = 0; i < connections_.size(); ++i) TRY(SendNext(i));
  while (in_flight_ > 0) TRY(Await());
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
  const int timeout = static_cast<int>(std::chrono::milliseconds(kPatience).count());
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout);
  if (count < 0) return errno == EINTR ? Status() : SystemError("epoll_wait");
  if (count == 0) return Error::Internal("The server has stopped answering");
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    TRY(HandleEvent(event.data.u64, event.events));
  }
  return {};
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
  Connection& connection = connections_[index];
  if (!workload_.AppendRequest(connection.BeginRequest(), index)) return {};
  connection.is_measured = phase_ == Phase::kMeasuring;
  if (connection.is_measured) ++sent_measured_;
  connection.is_busy = true;
  ++in_flight_;
  connection.sent_at = Clock::now();
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
