#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "load/options.h"

namespace monotable::load {

// The head of every request of a run, with the headers that an AWS SDK sends. Only the length of
// the body differs, and it is filled in after the body was appended.
class RequestHead {
 public:
  RequestHead(const Options& options, std::string_view target);

  void AppendTo(std::string& request) const { request += text_; }
  // Writes the length of the body that was appended since.
  void FillLength(std::string& request) const;

 private:
  std::string text_;
  // Just after the last digit of the length.
  size_t length_end_ = 0;
};

}  // namespace monotable::load
