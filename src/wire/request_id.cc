#include "wire/request_id.h"

#include <cstdint>
#include <random>
#include <string_view>

namespace monotable::wire {

std::string NewRequestId() {
  // Request ids of the service are in base 32, too.
  static constexpr std::string_view kCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  constexpr size_t kLength = 52;
  constexpr size_t kCharactersPerDraw = 12;
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string id(kLength, '\0');
  uint64_t draw = 0;
  for (size_t i = 0; i < kLength; ++i) {
    if (i % kCharactersPerDraw == 0) draw = random();
    id[i] = kCharacters[draw % 32];
    draw /= 32;
  }
  return id;
}

}  // namespace monotable::wire
