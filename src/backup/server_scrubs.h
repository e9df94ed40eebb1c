#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>

#include "api/dynamodb/administration.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "error/result.h"

// Scrubs of a whole server: every byte of the store's files is read and compared with its checksum,
// so that damage is found while there are backups from before it.
namespace monotable::backup {

using api::dynamodb::ServerScrub;

// Reads the files of the engine's store while it serves, slowly. The store notes how far a scrub
// has come, so one that is interrupted goes on where it was, also in the next process. Damage is
// logged by the store (storage::DamageReporter). Thread-safe; one scrub runs at a time. The engine
// must outlive it.
class Scrubs {
 public:
  Scrubs(engine::Engine& engine, uint64_t bytes_per_second)
      : engine_(engine), bytes_per_second_(bytes_per_second) {}

  enum class Start { kBeginning, kWhereItWas };
  // Reads all files, or those that an interrupted scrub has left. Refuses while another scrub runs.
  Result<ServerScrub> Run(Start start);
  // When the last complete scrub ended, in milliseconds. If there was none yet, the time of the
  // first call counts, so that a new server does not begin with a scrub.
  Result<int64_t> LastTimeMs();

  // Ends a scrub as soon as possible, and refuses new ones.
  void Stop() { stop_.request_stop(); }

 private:
  struct State {
    int64_t finished_ms = 0;
    uint64_t after_file = 0;  // of the scrub that was interrupted, if there is one
  };
  Result<State> Load() const;
  Status Save(const State& state);

  engine::Engine& engine_;
  const uint64_t bytes_per_second_;
  std::stop_source stop_;
  std::mutex running_;
};

// Scrubs whenever the last complete scrub is old enough by the engine's clock. A scrub that fails
// is logged and tried again later. Thread-safe. The scrubs and the clock must outlive it.
class ScrubSchedule {
 public:
  ScrubSchedule(Scrubs& scrubs, const engine::Clock& clock, std::chrono::milliseconds every);

  void Start() { repeater_.Start(); }
  // Makes the schedule look at the clock now.
  void Wake() { repeater_.Wake(); }
  // Waits until the scrub that is due is done or has failed.
  void WaitUntilIdle() { repeater_.WaitUntilIdle(); }

 private:
  void Look();

  Scrubs& scrubs_;
  const engine::Clock& clock_;
  const int64_t every_ms_;
  int64_t not_before_ms_ = 0;  // after a failure; only the repeater's thread uses it
  engine::Repeater repeater_;  // last, so that its thread ends first
};

}  // namespace monotable::backup
