#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "item/value.h"

// The right to do a job in the background. It is a part of the job's item, so whoever does the job
// checks and renews it in the writes of the job itself. A server that dies leaves a lease that
// ends, and another server goes on.
namespace monotable::entities {

// How long a job stays with a server that says nothing more about it.
inline constexpr int64_t kLeaseMs = 3000;

struct Lease {
  std::string owner;
  int64_t until_ms = 0;  // on the clock of the engine

  // Whether somebody else must keep away from the job.
  bool KeepsOut(const std::string& other, int64_t now_ms) const {
    return owner != other && until_ms > now_ms;
  }
};

// Nothing if nobody has the job.
std::optional<Lease> ReadLease(const item::Item& job);
void SetLease(const Lease& lease, item::Item* job);
void RemoveLease(item::Item* job);

}  // namespace monotable::entities
