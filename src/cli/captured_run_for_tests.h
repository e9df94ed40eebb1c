#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

// Runs a command in a test and captures what it prints and returns.
namespace monotable::cli {

struct Outcome {
  int code = 0;
  std::string output;
  std::string errors;
};

inline Outcome CapturedRun(int (*run)(std::span<const std::string_view>),
                           const std::vector<std::string_view>& arguments) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run(arguments);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace monotable::cli
