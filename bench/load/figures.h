#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "load/histogram.h"
#include "load/options.h"

namespace monotable::load {

// What a run measured.
struct Figures {
  // Right answers while measuring, and how long that was.
  uint64_t requests = 0;
  double seconds = 0;
  // Answers that a transaction met another one; neither right nor an error.
  uint64_t conflicts = 0;
  // Anything else at any time, the warm-up included, by error code.
  std::map<std::string, uint64_t> errors;
  Histogram latencies;
  // Microseconds of CPU while measuring.
  double generator_cpu = 0;
  std::optional<double> server_cpu;
};

// As one JSON object on one line.
std::string ToJson(const Options& options, const Figures& figures);

}  // namespace monotable::load
