#include <string_view>
#include <vector>

#include <malloc.h>

#include "cli/commands.h"

namespace {

// Large blocks come from the system and go back to it. By itself the C library raises this limit to
// the size of the largest block that was freed, and then keeps the memory of large requests, once
// for each of the threads that served one.
constexpr int kLargeBlockBytes = 1 << 20;

}  // namespace

int main(int count, char** values) {
  mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
  const std::vector<std::string_view> arguments(values + 1, values + count);
  return monotable::cli::RunCommand(arguments);
}
