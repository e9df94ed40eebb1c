#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Runs `monotable model …`; the verbs are in model_verbs.h. Returns the exit code: 0; 1 if there
// are errors or differences, which are printed; 2 after one line on standard error if there was no
// way to start.
int RunModel(std::span<const std::string_view> arguments);

}  // namespace monotable::cli
