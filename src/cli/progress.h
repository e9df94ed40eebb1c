#pragma once

#include <string_view>

namespace monotable::cli {

// One line on standard error about what goes on, where a person looks: it is there only if that is
// a terminal, and goes away at the end. Not thread-safe.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Replaces the line.
  void Say(std::string_view text);
  void Clear();

 private:
  const bool shows_;
};

}  // namespace monotable::cli
