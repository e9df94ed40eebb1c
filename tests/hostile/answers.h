#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/parse.h"

namespace monotable::hostile {

// Reads the answers of one connection and checks each: HTTP that can be read, a known status, and
// for an error of the DynamoDB API a known type. Not thread-safe.
class AnswerCheck {
 public:
  // By the hundreds of their status, and those of 503.
  struct Counts {
    std::array<uint64_t, 6> by_class{};
    uint64_t unavailable = 0;
    uint64_t all = 0;
  };

  // Takes bytes that came. What is wrong with them, if anything.
  std::optional<std::string> Feed(std::string_view bytes);
  // Begins with another connection.
  void Reset();

  // Final answers of this connection, without 100 Continue.
  size_t answers() const { return answers_; }
  // Whether the last one said that the connection ends.
  bool said_close() const { return said_close_; }
  // Whether the bytes end between two answers.
  bool complete() const { return buffer_.empty(); }
  const Counts& counts() const { return counts_; }

 private:
  std::optional<std::string> Check(int status, std::string_view head, std::string_view body);

  json::Parser parser_;
  std::string buffer_;
  std::string padded_;
  size_t answers_ = 0;
  bool said_close_ = false;
  Counts counts_;
};

}  // namespace monotable::hostile
