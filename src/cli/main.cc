#include <string_view>
#include <vector>

#include "cli/commands.h"

int main(int count, char** values) {
  const std::vector<std::string_view> arguments(values + 1, values + count);
  return monotable::cli::RunCommand(arguments);
}
