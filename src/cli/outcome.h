#pragma once

#include <string_view>

#include "error/error.h"

// How commands end.
namespace monotable::cli {

inline constexpr int kFine = 0;
inline constexpr int kHasErrors = 1;
inline constexpr int kUnusable = 2;

// One line on standard error, and the exit code for a command that could not start.
int Fail(std::string_view message);

// The same for a command that could start but not end well.
int Refuse(const Error& error);

}  // namespace monotable::cli
