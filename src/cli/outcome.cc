#include "cli/outcome.h"

#include <cstdio>

#include <fmt/format.h>

namespace monotable::cli {

int Fail(std::string_view message) {
  fmt::print(stderr, "monotable: {}\n", message);
  return kUnusable;
}

int Refuse(const Error& error) {
  fmt::print(stderr, "monotable: {}\n", error.message());
  return kHasErrors;
}

}  // namespace monotable::cli
