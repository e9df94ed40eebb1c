#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "load/connection.h"
#include "load/figures.h"
#include "load/options.h"
#include "load/workload.h"

namespace monotable::load {

// A run: every connection sends a request, waits for the answer and sends the next, at once or when
// it is due, all in one thread with one epoll loop. First to warm up, then measured, then until the
// last answers are there.
class Run {
 public:
  Run(const Options& options, Workload workload);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  // Once.
  Result<Figures> Execute();

 private:
  enum class Phase { kWarmUp, kMeasuring, kDraining };

  Status Open();
  Status Await();
  Status HandleEvent(size_t index, uint32_t events);
  Status SendNext(size_t index);
  Status Send(size_t index);
  // With an interval: sends what is due, says how long nothing is, and counts what had to wait when
  // the server stopped answering.
  Status SendDue(Clock::time_point now);
  Clock::duration UntilDue(Clock::time_point now) const;
  void CountWaiting(Clock::time_point now);
  void CountUnsent(Clock::time_point now);
  Status Flush(size_t index);
  Status Reconnect(size_t index);
  Status Watch(size_t index, int how, uint32_t events) const;

  void EnterPhase(Clock::time_point now);
  void BeginMeasuring(Clock::time_point now);
  void EndMeasuring(Clock::time_point now);
  void Account(size_t index, Clock::time_point now);
  void CountError(std::string_view code, std::string_view text);

  Options options_;
  Workload workload_;
  std::vector<Connection> connections_;
  int epoll_ = -1;

  Phase phase_ = Phase::kWarmUp;
  Clock::time_point phase_began_;
  size_t in_flight_ = 0;
  Clock::time_point last_answer_;
  uint64_t sent_measured_ = 0;
  uint64_t answers_ = 0;
  uint64_t error_count_ = 0;
  Figures figures_;
  // At the begin of measuring.
  double generator_cpu_before_ = 0;
  std::optional<double> server_cpu_before_;
};

}  // namespace monotable::load
