#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "random_models/design.h"

// Values and items in the words of this test.
namespace monotable::random_models {

using Value = std::variant<std::string, int64_t>;
using Attributes = std::map<std::string, Value, std::less<>>;

// The primary key as the table has it.
struct Key {
  std::string hash;
  std::string range;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Item {
  std::string entity;
  Attributes attributes;
  int64_t version = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

// An item as the table holds it: all attributes with their keys. A member of a map is a name with a
// dot.
using Stored = std::map<std::string, Value, std::less<>>;

const Value* Find(const Attributes& attributes, std::string_view name);
std::string TextOf(const Value& value);
std::string JsonOf(const Value& value);
std::string TextOf(const Attributes& attributes);
std::string TextOf(const Key& key);

// The text of a template. Missing: an attribute is not there. Bad: a value cannot be in a key.
struct Rendered {
  enum class Outcome { kText, kMissing, kBad };
  Outcome outcome = Outcome::kText;
  std::string text;
};
Rendered Render(const Template& text, const Attributes& attributes);
// The attributes of a template in a text that it made, as texts. Nothing if it did not make it.
std::optional<std::map<std::string, std::string>> Match(const Template& text,
                                                        std::string_view made);

std::string InstantText(int64_t seconds);                      // 2027-01-15T08:00:00Z
std::optional<int64_t> InstantSeconds(std::string_view text);  // of such a text

// Random choices that follow from one seed.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  size_t Below(size_t end) { return static_cast<size_t>(engine_() % end); }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  uint64_t Seed() { return engine_(); }
  template <typename T>
  const T& Of(const std::vector<T>& all) {
    return all[Below(all.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace monotable::random_models
