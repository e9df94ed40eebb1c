// Runs every target on the files of its folder under the given corpus folder, and on each file cut
// short at every length up to a limit, which is a cheap way to get more inputs.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "fuzz/fuzz_target.h"

namespace monotable::fuzz {
namespace {

std::map<std::string, Target>& Targets() {
  static std::map<std::string, Target> targets;
  return targets;
}

constexpr size_t kCuts = 400;

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

size_t RunFile(Target target, const std::filesystem::path& path) {
  const std::string input = Read(path);
  // Printed first, because a finding ends the program.
  std::fprintf(stderr, "%s\n", path.c_str());
  target(input);
  const size_t cuts = std::min(input.size(), kCuts);
  // A copy of its own, so that a sanitizer sees a read past the end.
  for (size_t length = 0; length < cuts; ++length) target(std::string(input, 0, length));
  return 1 + cuts;
}

int Main(const std::filesystem::path& corpus) {
  size_t inputs = 0;
  for (const auto& [name, target] : Targets()) {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / name)) {
      inputs += RunFile(target, entry.path());
      ++files;
    }
    if (files == 0) {
      std::fprintf(stderr, "%s has no corpus\n", name.c_str());
      return 1;
    }
  }
  std::printf("%zu inputs for %zu targets\n", inputs, Targets().size());
  return Targets().empty() ? 1 : 0;
}

}  // namespace

bool Register(const char* name, Target target) {
  return Targets().emplace(name, target).second;
}

}  // namespace monotable::fuzz

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_corpus FOLDER\n");
    return 2;
  }
  return monotable::fuzz::Main(arguments[1]);
}
