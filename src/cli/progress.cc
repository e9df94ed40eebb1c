#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace monotable::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

Progress::Progress() : shows_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  Clear();
}

void Progress::Say(std::string_view text) {
  if (shows_) fmt::print(stderr, "{}{}", kClearLine, text);
}

void Progress::Clear() {
  if (shows_) fmt::print(stderr, "{}", kClearLine);
}

}  // namespace monotable::cli
