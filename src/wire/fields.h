#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/parse.h"

namespace monotable::wire {

template <typename E>
struct EnumName {
  std::string_view name;
  E value;
};

// The members of a request structure, typed. Types and constraints have been checked against the
// shape before, so nothing can fail: a required member is there, an enumeration has one of its
// values. Null members are absent. Valid as long as the document.
class Fields {
 public:
  explicit Fields(json::Object object) : object_(object) {}
  explicit Fields(const json::Element& element) : object_(json::ObjectOf(element)) {}

  std::optional<json::Element> Find(std::string_view name) const {
    return json::Find(object_, name);
  }
  bool Has(std::string_view name) const { return Find(name).has_value(); }

  std::string Text(std::string_view name) const;
  std::optional<std::string> OptionalText(std::string_view name) const;
  std::optional<std::vector<std::string>> OptionalTexts(std::string_view name) const;
  bool Flag(std::string_view name, bool otherwise = false) const;
  std::optional<bool> OptionalFlag(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  std::optional<int64_t> OptionalInteger(std::string_view name) const;
  // A timestamp, in milliseconds since the epoch.
  std::optional<int64_t> OptionalTimeMs(std::string_view name) const;

  template <typename E, size_t N>
  std::optional<E> OptionalEnum(std::string_view name, const EnumName<E> (&names)[N]) const {
    const auto element = Find(name);
    if (!element) return std::nullopt;
    const std::string_view text = json::StringOf(*element);
    for (const auto& candidate : names) {
      if (candidate.name == text) return candidate.value;
    }
    return std::nullopt;
  }

  const json::Object& object() const { return object_; }

 private:
  json::Object object_;
};

}  // namespace monotable::wire
