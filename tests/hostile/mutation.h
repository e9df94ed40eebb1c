#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace monotable::hostile {

// Random numbers that a seed repeats. Not thread-safe.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}

  // From 0 to limit - 1.
  size_t Below(size_t limit) { return static_cast<size_t>(Next() % limit); }
  bool OneIn(size_t times) { return Below(times) == 0; }
  template <typename Choices>
  const auto& Of(const Choices& choices) {
    return choices[Below(std::size(choices))];
  }

 private:
  uint64_t Next();

  uint64_t state_;
};

// A valid request, to begin with.
struct Seed {
  std::string method = "POST";
  std::string target = "/";
  std::string operation;  // of DynamoDB; empty: REST
  std::string body;
};

// The requests of a folder, each a file with the operation in its first line, and some for the REST
// API of the model sales.
std::vector<Seed> LoadSeeds(const std::string& folder);

// The table that the seeds read and write.
Seed CreateTableSeed();

// Makes requests that are wrong in one way or several. Not thread-safe.
class Mutator {
 public:
  Mutator(const std::vector<Seed>& seeds, uint64_t seed) : seeds_(seeds), random_(seed) {}

  Random& random() { return random_; }
  // A request whose framing is right, so that it has exactly one answer.
  std::string Framed();
  // A request whose framing is wrong, most likely.
  std::string Broken();
  // A seed as it is.
  std::string Valid(const Seed& seed);

 private:
  struct Head;

  const Seed& Choose();
  Head HeadOf(const Seed& seed) const;
  std::string Write(const Head& head, const std::string& body);
  void MutateBody(std::string* body);
  void MutateText(std::string* body);
  void MutateSpan(std::string* body);
  void MutateBytes(std::string* body);
  void MutateHeaders(Head* head);
  std::string Expression();
  std::string Chunked(std::string_view body);

  const std::vector<Seed>& seeds_;
  Random random_;
};

}  // namespace monotable::hostile
