#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/checked_model.h"
#include "cli/commands/model_verbs.h"
#include "cli/model_files.h"
#include "document/cloudformation/cloudformation.h"
#include "document/describe/describe_model.h"
#include "document/estimate/estimate.h"
#include "document/estimate/estimate_report.h"
#include "document/openapi/openapi.h"

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
    return Put(arguments.out, document::DescribeModel(model));
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
    if (what == "openapi") return Put(arguments.out, document::ToOpenApi(model, {}));
    const auto text = document::ToCloudFormation(model, arguments.environment);
    return text ? Put(arguments.out, *text) : Fail(text.error().message());
  });
}

int RunEstimate(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    if (!model.workload) return Fail("The model declares no workload, so there is no estimate.");
    const std::string path =
        arguments.prices.empty() ? FindPriceTable(arguments.files[0]) : arguments.prices;
    std::optional<document::PriceTable> prices;
    if (!path.empty()) {
      const auto text = ReadTextFile(path);
      if (!text) return Fail(text.error().message());
      auto read = document::ReadPrices(*text);
      if (!read) return Fail(fmt::format("{}: {}", path, read.error().message()));
      prices = std::move(read).value();
    }
    const document::Estimate estimate = document::EstimateWorkload(model);
    fmt::print("{}", arguments.plain ? document::ReportPlainEstimate(model, estimate, prices)
                                     : document::ReportEstimate(model, estimate, prices));
    if (!prices) fmt::print("\nNo price table was found; name one with --prices FILE.\n");
    return kFine;
  });
}

}  // namespace monotable::cli
