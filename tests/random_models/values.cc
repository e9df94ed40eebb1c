#include "random_models/values.h"

#include <ctime>

#include <fmt/format.h>

namespace monotable::random_models {

const Value* Find(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}

std::string TextOf(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string JsonOf(const Value& value) {
  if (std::holds_alternative<int64_t>(value)) return TextOf(value);
  return "\"" + TextOf(value) + "\"";  // no value here needs escapes
}

std::string TextOf(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", name, JsonOf(value));
  }
  return "{" + text + "}";
}

std::string TextOf(const Key& key) {
  return fmt::format("[{} | {}]", key.hash, key.range);
}

Rendered Render(const Template& text, const Attributes& attributes) {
  Rendered rendered;
  for (const Piece& piece : text) {
    rendered.text += piece.literal;
    if (piece.attribute.empty()) continue;
    const Value* value = Find(attributes, piece.attribute);
    if (value == nullptr) return {Rendered::Outcome::kMissing, ""};
    std::string part = TextOf(*value);
    if (piece.width > 0) {
      const auto* number = std::get_if<int64_t>(value);
      if (number == nullptr || *number < 0 || part.size() > static_cast<size_t>(piece.width)) {
        return {Rendered::Outcome::kBad, ""};
      }
      part.insert(0, piece.width - part.size(), '0');
    }
    if (part.empty() || part.find('#') != std::string::npos) return {Rendered::Outcome::kBad, ""};
    rendered.text += part;
  }
  return rendered;
}

std::optional<std::map<std::string, std::string>> Match(const Template& text,
                                                        std::string_view made) {
  std::map<std::string, std::string> found;
  for (const Piece& piece : text) {
    if (!made.starts_with(piece.literal)) return std::nullopt;
    made.remove_prefix(piece.literal.size());
    if (piece.attribute.empty()) continue;
    const std::string value(made.substr(0, made.find('#')));
    if (value.empty()) return std::nullopt;
    if (piece.width > 0 && (value.size() != static_cast<size_t>(piece.width) ||
                            value.find_first_not_of("0123456789") != std::string::npos)) {
      return std::nullopt;
    }
    made.remove_prefix(value.size());
    const auto [known, is_new] = found.emplace(piece.attribute, value);
    if (!is_new && known->second != value) return std::nullopt;
  }
  if (!made.empty()) return std::nullopt;
  return found;
}

std::string InstantText(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::optional<int64_t> InstantSeconds(std::string_view text) {
  std::tm parts = {};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&parts);
}

}  // namespace monotable::random_models
