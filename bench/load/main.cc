// load: the load generator of bench/. kUsage in options.cc says what it does.

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "load/figures.h"
#include "load/options.h"
#include "load/run.h"
#include "load/workload.h"

namespace monotable::load {

namespace {

Result<std::string> Measure(const std::vector<std::string_view>& arguments) {
  TRY_ASSIGN(const Options options, ParseOptions(arguments));
  TRY_ASSIGN(Workload workload, Workload::Make(options));
  Run run(options, std::move(workload));
  TRY_ASSIGN(const Figures figures, run.Execute());
  return ToJson(options, figures);
}

int Main(const std::vector<std::string_view>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--help") {
    fmt::print("{}", kUsage);
    return 0;
  }
  const Result<std::string> json = Measure(arguments);
  if (!json) {
    fmt::print(stderr, "load: {}\n", json.error().message());
    return 1;
  }
  fmt::print("{}\n", *json);
  return 0;
}

}  // namespace

}  // namespace monotable::load

int main(int count, char** values) {
  return monotable::load::Main(std::vector<std::string_view>(values + 1, values + count));
}
