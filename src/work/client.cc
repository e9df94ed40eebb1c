#include "work/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace monotable::work {
namespace {

thread_local ClientPtr this_client;

constexpr std::chrono::milliseconds kInterval{64};
// About four milliseconds of work.
constexpr uint64_t kHeavyUnits = 4'000'000;

int64_t ThisInterval() {
  return std::chrono::steady_clock::now().time_since_epoch() / kInterval;
}

}  // namespace

uint64_t Account::Faded(int64_t interval) const {
  const int64_t passed = interval - interval_.load(std::memory_order_relaxed);
  return units_.load(std::memory_order_relaxed) >> std::clamp<int64_t>(passed, 0, 63);
}

void Account::Add(uint64_t units) {
  const int64_t interval = ThisInterval();
  units_.store(Faded(interval) + units, std::memory_order_relaxed);
  interval_.store(interval, std::memory_order_relaxed);
}

bool Account::is_heavy() const {
  // Most clients never come near, and need no look at the clock.
  if (units_.load(std::memory_order_relaxed) < kHeavyUnits) return false;
  return Faded(ThisInterval()) >= kHeavyUnits;
}

const ClientPtr& ThisClient() {
  return this_client;
}

ClientScope::ClientScope(ClientPtr client)
    : before_(std::exchange(this_client, std::move(client))) {}

ClientScope::~ClientScope() {
  this_client = std::move(before_);
}

}  // namespace monotable::work
