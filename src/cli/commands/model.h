#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Runs `monotable model …`: check, docs, export, estimate. Returns the exit code: 0; 1 if a model
// has errors, which are printed; 2 after one line on standard error if there was no way to start.
int RunModel(std::span<const std::string_view> arguments);

}  // namespace monotable::cli
