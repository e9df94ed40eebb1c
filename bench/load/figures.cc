#include "load/figures.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace monotable::load {

std::string ToJson(const Options& options, const Figures& figures) {
  const auto per_request = [&](double amount) {
    return amount / static_cast<double>(std::max<uint64_t>(figures.requests, 1));
  };
  const auto percentile = [&](double share) {
    return static_cast<double>(figures.latencies.Percentile(share)) / 1000;
  };
  uint64_t errors = 0;
  std::string by_code;
  for (const auto& [code, count] : figures.errors) {
    errors += count;
    fmt::format_to(std::back_inserter(by_code), "{}\"{}\": {}", by_code.empty() ? "" : ", ", code,
                   count);
  }
  std::string out = fmt::format(
      R"({{"operation": "{}", "table": "{}", "connections": {}, "requests": {}, "conflicts": {}, )"
      R"("errors": {}, "errors_by_code": {{{}}}, "seconds": {:.3f}, )",
      options.operation, options.table, options.connections, figures.requests, figures.conflicts,
      errors, by_code, figures.seconds);
  fmt::format_to(
      std::back_inserter(out),
      R"("requests_per_second": {:.1f}, "p50_us": {:.1f}, "p99_us": {:.1f}, "p999_us": {:.1f}, )"
      R"("max_us": {:.1f}, "generator_cpu_us_per_request": {:.2f})",
      static_cast<double>(figures.requests) / std::max(figures.seconds, 1e-9), percentile(0.5),
      percentile(0.99), percentile(0.999), static_cast<double>(figures.latencies.max()) / 1000,
      per_request(figures.generator_cpu));
  if (figures.server_cpu) {
    fmt::format_to(std::back_inserter(out), R"(, "server_cpu_us_per_request": {:.2f})",
                   per_request(*figures.server_cpu));
  }
  return out + '}';
}

}  // namespace monotable::load
