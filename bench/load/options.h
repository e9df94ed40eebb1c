#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

namespace monotable::load {

// What the command line asks for.
struct Options {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::string table = "plain";
  std::string operation;
  size_t connections = 1;
  // The run ends after so long, or after so many requests, whichever is first. Without either,
  // loads, batch-write and delete end when they have been through the items.
  std::optional<double> seconds;
  std::optional<uint64_t> requests;
  double warmup = 0;
  // Every connection sends a request each so many microseconds, instead of as fast as the server
  // answers; 0: as fast.
  uint64_t interval_us = 0;
  // The run is given up when nothing was answered for so many seconds.
  double patience = 60;
  // The items of the data set that requests are about: [first, first + items).
  uint64_t items = 20000;
  uint64_t first = 0;
  uint64_t seed = 1;
  // The process whose CPU time is measured too.
  std::optional<int> server_pid;
};

extern const std::string_view kUsage;

Result<Options> ParseOptions(const std::vector<std::string_view>& arguments);

}  // namespace monotable::load
