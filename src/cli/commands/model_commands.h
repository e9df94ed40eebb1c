#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "error/result.h"
#include "model/check/check_model.h"
#include "server/text_file.h"

// What the commands `monotable model VERB` have in common.
namespace monotable::cli {

// The arguments of `monotable model VERB`.
struct ModelArguments {
  std::vector<std::string> files;  // all arguments that are not options
  bool json = false;               // --format json
  bool strict = false;             // --strict
  bool plain = false;              // --as-the-document
  std::string out;                 // --out FILE
  std::string environment;         // --environment NAME
  std::string prices;              // --prices FILE
  std::string endpoint;            // --endpoint URL
  std::string ca_file;             // --ca-file FILE
  std::vector<std::string> set;    // --set Name=Value, each
  std::string now;                 // --now TIME
  bool dry_run = false;            // --dry-run
  bool destructive = false;        // --allow-destructive
  bool create_adopted = false;     // --create-adopted
  bool samples = false;            // --samples
  bool overwrite = false;          // --overwrite
  bool apply = false;              // --apply
  std::string report;              // --report FILE
  std::string resume;              // --resume FILE
  std::string page;                // --page ITEMS
};

// Reads the arguments of a verb. An error is one line.
Result<ModelArguments> ParseModelArguments(std::string_view verb,
                                           std::span<const std::string_view> arguments);

// A model file with the findings about it.
struct CheckedFile {
  std::string path;
  model::CheckedText text;
};

Result<CheckedFile> CheckFile(const std::string& path);

void PrintFindings(const CheckedFile& checked, std::FILE* to);

// Loads the one model of a command and hands it to use. A model with mistakes is not used, because
// everything made from it would be wrong, too.
template <typename Use>
int WithModel(const std::vector<std::string>& files, Use use) {
  if (files.size() != 1) return Fail("Give one model file.");
  const auto checked = CheckFile(files[0]);
  if (!checked) return Fail(checked.error().message());
  if (!checked->text.model) {
    PrintFindings(*checked, stderr);
    return kHasErrors;
  }
  return use(*checked->text.model);
}

using server::ReadTextFile;
using server::WriteTextFile;

// The newest price table beside a model: the last one by name in the folder `prices` next to the
// model. Empty if there is none.
std::string FindPriceTable(const std::string& model_path);

int RunCheck(const ModelArguments& arguments);
int RunDocs(const ModelArguments& arguments);
int RunExport(const ModelArguments& arguments);
int RunEstimate(const ModelArguments& arguments);
int RunDeploy(const ModelArguments& arguments);
int RunSamples(const ModelArguments& arguments);
int RunDiff(const ModelArguments& arguments);
int RunTest(const ModelArguments& arguments);
int RunVerify(const ModelArguments& arguments);
int RunModelRepair(const ModelArguments& arguments);

}  // namespace monotable::cli
