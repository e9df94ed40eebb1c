#include "backup/server_scrubs.h"

#include <algorithm>
#include <string_view>

#include "encoding/keyspace.h"
#include "encoding/varint.h"
#include "engine/damage.h"
#include "storage/store.h"
#include "telemetry/log.h"

namespace monotable::backup {
namespace {

constexpr std::chrono::seconds kScrubLookInterval(1);
constexpr std::chrono::minutes kScrubPatience(5);
// How often the store notes how far a scrub has come.
constexpr std::chrono::seconds kNoteInterval(10);

}  // namespace

Result<Scrubs::State> Scrubs::Load() const {
  std::string record;
  TRY_ASSIGN(const bool found, engine_.store().Latest().Get(encoding::ScrubKey(), &record));
  State state;
  std::string_view rest = record;
  uint64_t finished_ms = 0;
  if (!found || !encoding::ReadVarint(&rest, &finished_ms) ||
      !encoding::ReadVarint(&rest, &state.after_file)) {
    return State();
  }
  state.finished_ms = static_cast<int64_t>(finished_ms);
  return state;
}

Status Scrubs::Save(const State& state) {
  std::string record;
  encoding::AppendVarint(static_cast<uint64_t>(state.finished_ms), &record);
  encoding::AppendVarint(state.after_file, &record);
  return storage::UpdateAndWait(
      engine_.store(), {encoding::ScrubKey()},
      [&](auto, const auto&, storage::Batch* batch) { batch->Put(encoding::ScrubKey(), record); });
}

Result<int64_t> Scrubs::LastTimeMs() {
  TRY_ASSIGN(State state, Load());
  if (state.finished_ms == 0) {
    state.finished_ms = engine_.clock().NowMs();
    TRY(Save(state));
  }
  return state.finished_ms;
}

Result<ServerScrub> Scrubs::Run(Start start) {
  const std::unique_lock running(running_, std::try_to_lock);
  if (!running.owns_lock()) {
    return Error(ErrorCode::kUnavailable, "A scrub is running. Try again when it is done.");
  }
  const auto begin = std::chrono::steady_clock::now();
  TRY_ASSIGN(State state, Load());
  storage::ScrubOptions options;
  options.bytes_per_second = bytes_per_second_;
  options.stop = stop_.get_token();
  if (start == Start::kWhereItWas) options.after_file = state.after_file;
  auto noted = begin;
  options.progress = [&](uint64_t file) {
    state.after_file = file;
    const auto now = std::chrono::steady_clock::now();
    if (now - noted < kNoteInterval) return;
    noted = now;
    // If this fails, the next scrub reads some files again.
    static_cast<void>(Save(state));
  };
  auto report = engine_.store().Scrub(options);
  if (!report) {
    static_cast<void>(Save(state));
    return report.error();
  }
  TRY(Save({engine_.clock().NowMs(), 0}));
  ServerScrub scrub{report->files, report->bytes, {}};
  for (const storage::Damage& damage : report->damage) {
    scrub.damage.push_back(engine::DescribeDamage(damage, engine_.store().Latest()));
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  telemetry::Log(scrub.damage.empty() ? telemetry::LogLevel::kInfo : telemetry::LogLevel::kError,
                 "Scrub: {:.2f} seconds, {} bytes in {} files, {} damaged places", time.count(),
                 scrub.bytes, scrub.files, scrub.damage.size());
  return scrub;
}

ScrubSchedule::ScrubSchedule(Scrubs& scrubs, const engine::Clock& clock,
                             std::chrono::milliseconds every)
    : scrubs_(scrubs),
      clock_(clock),
      every_ms_(every.count()),
      repeater_(kScrubLookInterval, [this](const std::stop_token&) {
        Look();
        return true;
      }) {}

void ScrubSchedule::Look() {
  const int64_t now_ms = clock_.NowMs();
  if (now_ms < not_before_ms_) return;
  const auto last_ms = scrubs_.LastTimeMs();
  // A scrub from the future was made before the clock was set back.
  if (last_ms && now_ms < std::min(*last_ms, now_ms) + every_ms_) return;
  const auto scrub = scrubs_.Run(Scrubs::Start::kWhereItWas);
  if (scrub) return;
  const int64_t patience_ms =
      std::min<int64_t>(every_ms_, std::chrono::milliseconds(kScrubPatience).count());
  not_before_ms_ = now_ms + patience_ms;
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "The scheduled scrub did not end and goes on in {} seconds: {}",
                 patience_ms / 1000, scrub.error().message());
}

}  // namespace monotable::backup
