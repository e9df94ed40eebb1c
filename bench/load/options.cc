#include "load/options.h"

#include <charconv>
#include <system_error>

namespace monotable::load {

const std::string_view kUsage =
    R"(Sends one kind of request to a DynamoDB-compatible server, as fast as it answers, and prints
what it measured as JSON.

Usage: load --operation OPERATION [options]

  --host ADDRESS       an IPv4 address, 127.0.0.1 by default
  --port PORT          8000 by default
  --table NAME         plain by default
  --operation NAME     get, query-table, query-index, batch-get, scan, put, update, delete,
                       batch-write, batch-write-expiring, transact-2 or transact-10; on a table of
                       the sales model sale-load, sale-get, sale-query, buyer-load, buyer-put,
                       buyer-update; by its REST API rest-sale-get, rest-sale-list, rest-buyer-put,
                       rest-buyer-patch, rest-hot-add, rest-other-add, rest-hot-rename
  --connections N      each waits for its answer before it sends again; 1 by default
  --seconds S          how long to measure
  --requests N         how many requests to measure, instead or at most; without both, loads,
                       batch-writes and delete go through the items once
  --warmup S           how long to send before measuring; 0 by default
  --interval-us N      each connection sends a request every N microseconds; the latency counts from
                       the moment when the request was due, so a server that stalls is charged for
                       all requests that had to wait
  --patience S         give up when no answer came for so long; 60 by default. With an interval,
                       requests without an answer then count with the time they have waited
  --first I, --items N the items requests are about, 20000 from 0 by default
  --seed X             for the choice of items; 1 by default
  --server-pid PID     measure the CPU time of this process too
)";

namespace {

template <typename Number>
Status ParseNumber(std::string_view name, std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < Number{0}) {
    return Error::Validation(std::string(name) + " is not a number: " + std::string(text));
  }
  return {};
}

Status SetOption(std::string_view name, std::string_view value, Options& options) {
  if (name == "--host") {
    options.host = value;
  } else if (name == "--table") {
    options.table = value;
  } else if (name == "--operation") {
    options.operation = value;
  } else if (name == "--port") {
    return ParseNumber(name, value, options.port);
  } else if (name == "--connections") {
    return ParseNumber(name, value, options.connections);
  } else if (name == "--seconds") {
    return ParseNumber(name, value, options.seconds.emplace());
  } else if (name == "--requests") {
    return ParseNumber(name, value, options.requests.emplace());
  } else if (name == "--warmup") {
    return ParseNumber(name, value, options.warmup);
  } else if (name == "--interval-us") {
    return ParseNumber(name, value, options.interval_us);
  } else if (name == "--patience") {
    return ParseNumber(name, value, options.patience);
  } else if (name == "--items") {
    return ParseNumber(name, value, options.items);
  } else if (name == "--first") {
    return ParseNumber(name, value, options.first);
  } else if (name == "--seed") {
    return ParseNumber(name, value, options.seed);
  } else if (name == "--server-pid") {
    return ParseNumber(name, value, options.server_pid.emplace());
  } else {
    return Error::Validation("There is no option " + std::string(name));
  }
  return {};
}

}  // namespace

Result<Options> ParseOptions(const std::vector<std::string_view>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) {
      return Error::Validation(std::string(arguments[i]) + " needs a value");
    }
    TRY(SetOption(arguments[i], arguments[i + 1], options));
  }
  if (options.connections == 0) return Error::Validation("--connections must be at least 1");
  // The most items that one request names, all different.
  if (options.items < 25) return Error::Validation("--items must be at least 25");
  return options;
}

}  // namespace monotable::load
