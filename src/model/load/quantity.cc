#include "model/load/quantity.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "model/load/reader.h"

namespace monotable::model {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

struct Quantity {
  std::string_view id;  // of the finding
  std::string_view name;
  std::string_view example;
  std::vector<Unit> units;
};

// The value of a number that is followed by one of the units.
std::optional<double> ParseQuantity(std::string_view text, const std::vector<Unit>& units) {
  constexpr double kMost = 1e15;
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  for (const Unit& one : units) {
    if (one.name != unit) continue;
    const double value = number * one.factor;
    if (value >= 0 && value <= kMost) return value;
  }
  return std::nullopt;
}

std::optional<double> ReadQuantity(const Node& node, const std::string& subject,
                                   const Quantity& quantity, LoadContext* context) {
  if (!ExpectText(node, subject, context->findings)) return std::nullopt;
  const std::optional<double> value = ParseQuantity(node.text, quantity.units);
  if (!value) {
    context->Error(std::string(quantity.id), node.place, subject,
                   Quoted(node.text) + " is no " + std::string(quantity.name) + ".",
                   "Write for example " + std::string(quantity.example) + ".");
  }
  return value;
}

std::optional<int64_t> Whole(std::optional<double> value) {
  if (!value) return std::nullopt;
  return static_cast<int64_t>(*value);
}

}  // namespace

std::optional<int64_t> ReadDuration(const Node& node, const std::string& subject,
                                    LoadContext* context) {
  const Quantity duration{"bad_duration",
                          "duration",
                          "90d; the units are ms, s, m, h and d",
                          {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}}};
  return Whole(ReadQuantity(node, subject, duration, context));
}

std::optional<int64_t> ReadBytes(const Node& node, const std::string& subject,
                                 LoadContext* context) {
  const Quantity size{"bad_size",
                      "size",
                      "4KB; the units are B, KB, MB and GB",
                      {{"", 1}, {"B", 1}, {"KB", 0x1p10}, {"MB", 0x1p20}, {"GB", 0x1p30}}};
  return Whole(ReadQuantity(node, subject, size, context));
}

std::optional<double> ReadRate(const Node& node, const std::string& subject, LoadContext* context) {
  const Quantity rate{
      "bad_rate",
      "rate",
      "1000/day; the units are second, minute, hour, day and month",
      {{"/second", 86400}, {"/minute", 1440}, {"/hour", 24}, {"/day", 1}, {"/month", 12.0 / 365}}};
  return ReadQuantity(node, subject, rate, context);
}

std::optional<double> ReadCount(const Node& node, const std::string& subject,
                                LoadContext* context) {
  return ReadQuantity(node, subject, {"bad_count", "count", "500", {{"", 1}}}, context);
}

}  // namespace monotable::model
