#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/checked_model.h"
#include "cli/commands/model_verbs.h"
#include "cli/model_files.h"
#include "model/cloudformation/cloudformation.h"
#include "model/describe/model.h"
#include "model/estimate/estimate.h"
#include "model/estimate/prices.h"
#include "model/estimate/report.h"
#include "model/openapi/openapi.h"

namespace monotable::cli {
namespace {

// To the file if one is named, else to standard output.
int Put(const std::string& path, std::string_view text) {
  if (path.empty()) {
    fmt::print("{}", text);
    return kFine;
  }
  const Status written = WriteTextFile(path, text);
  return written ? kFine : Fail(written.error().message());
}

}  // namespace

int RunDocs(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    return Put(arguments.out, model::DescribeModel(model));
  });
}

int RunExport(const ModelArguments& arguments) {
  const std::string what = arguments.files.empty() ? "" : arguments.files[0];
  if (what != "cloudformation" && what != "openapi") {
    return Fail("Say what to export: monotable model export cloudformation FILE, or openapi FILE.");
  }
  if (what == "openapi" && !arguments.environment.empty()) {
    return Fail("An OpenAPI document is the same in all environments; leave out --environment.");
  }
  const std::vector<std::string> files(arguments.files.begin() + 1, arguments.files.end());
  return WithModel(files, [&](const model::Model& model) {
    if (what == "openapi") return Put(arguments.out, model::ToOpenApi(model, {}));
    const auto text = model::ToCloudFormation(model, arguments.environment);
    return text ? Put(arguments.out, *text) : Fail(text.error().message());
  });
}

int RunEstimate(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    if (!model.workload) return Fail("The model declares no workload, so there is no estimate.");
    const std::string path =
        arguments.prices.empty() ? FindPriceTable(arguments.files[0]) : arguments.prices;
    std::optional<model::PriceTable> prices;
    if (!path.empty()) {
      const auto text = ReadTextFile(path);
      if (!text) return Fail(text.error().message());
      auto read = model::ReadPrices(*text);
      if (!read) return Fail(fmt::format("{}: {}", path, read.error().message()));
      prices = std::move(read).value();
    }
    const model::Estimate estimate = model::EstimateWorkload(model);
    fmt::print("{}", arguments.plain ? model::ReportPlainEstimate(model, estimate, prices)
                                     : model::ReportEstimate(model, estimate, prices));
    if (!prices) fmt::print("\nNo price table was found; name one with --prices FILE.\n");
    return kFine;
  });
}

}  // namespace monotable::cli
