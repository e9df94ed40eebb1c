#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// A fuzz target takes any bytes and must neither crash nor break the properties it checks.
//
//   FUZZ_TARGET(number) { … input … }
//
// With libFuzzer (MONOTABLE_FUZZ) each file becomes a program of its own. All of them together are
// also one program that runs the files of corpus/, so that targets and corpus stay usable.
namespace monotable::fuzz {

using Target = void (*)(std::string_view input);

// Adds a target to those that replay.cc runs.
bool Register(const char* name, Target target);

// Ends the program, which is how a target reports a finding.
inline void Check(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

// Removes one byte from the front of the input and returns it; zero if there is none.
inline uint8_t TakeByte(std::string_view* input) {
  if (input->empty()) return 0;
  const auto byte = static_cast<uint8_t>(input->front());
  input->remove_prefix(1);
  return byte;
}

// Removes the text before the next separator, and the separator, from the front of the input.
inline std::string_view TakeUntil(std::string_view* input, char separator) {
  const size_t end = input->find(separator);
  const std::string_view part = input->substr(0, end);
  input->remove_prefix(end == std::string_view::npos ? input->size() : end + 1);
  return part;
}

}  // namespace monotable::fuzz

#ifdef MONOTABLE_LIBFUZZER
#define FUZZ_TARGET(name)                                                     \
  static void Fuzz_##name(std::string_view input);                            \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {   \
    Fuzz_##name(std::string_view(reinterpret_cast<const char*>(data), size)); \
    return 0;                                                                 \
  }                                                                           \
  static void Fuzz_##name(std::string_view input)
#else
#define FUZZ_TARGET(name)                                \
  static void Fuzz_##name(std::string_view input);       \
  [[maybe_unused]] static const bool registered_##name = \
      monotable::fuzz::Register(#name, Fuzz_##name);     \
  static void Fuzz_##name(std::string_view input)
#endif
