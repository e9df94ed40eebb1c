#pragma once

#include "cli/model_arguments.h"

// The commands `monotable model VERB`. Each returns the exit code: 0; 1 if there are errors or (of
// a diff) differences, which are printed; 2 after one line on standard error if it could not start.
namespace monotable::cli {

int RunCheck(const ModelArguments& arguments);
int RunDocs(const ModelArguments& arguments);
int RunExport(const ModelArguments& arguments);
int RunEstimate(const ModelArguments& arguments);
int RunDeploy(const ModelArguments& arguments);
int RunSamples(const ModelArguments& arguments);
int RunDiff(const ModelArguments& arguments);
int RunTest(const ModelArguments& arguments);

}  // namespace monotable::cli
