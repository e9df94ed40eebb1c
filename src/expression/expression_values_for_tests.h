#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item/value.h"

// Short ways to write values in the tests of this folder.
namespace monotable::expression::test {

inline item::Value S(std::string_view text) {
  return item::Value(text);
}
inline item::Value N(std::string_view text) {
  return item::Value(item::Number::Parse(text).value());
}
inline item::Value B(std::string bytes) {
  return item::Value(item::Binary{std::move(bytes)});
}
inline item::Value Bool(bool flag) {
  return item::Value(flag);
}
inline item::Value Null() {
  return item::Value(item::Null{});
}
inline item::Value L(item::List values) {
  return item::Value(std::move(values));
}
inline item::Value SS(std::vector<std::string> members) {
  return item::Value(item::MakeStringSet(std::move(members)));
}
inline item::Value BS(std::vector<std::string> members) {
  return item::Value(item::MakeBinarySet(std::move(members)));
}
inline item::Value NS(std::initializer_list<std::string_view> members) {
  std::vector<item::Number> numbers;
  for (const std::string_view member : members) {
    numbers.push_back(item::Number::Parse(member).value());
  }
  return item::Value(item::MakeNumberSet(std::move(numbers)));
}

inline item::Item Item(std::initializer_list<item::Attribute> attributes) {
  return item::Item::FromUnsorted(attributes);
}
inline item::Value M(std::initializer_list<item::Attribute> attributes) {
  return item::Value(Item(attributes));
}

}  // namespace monotable::expression::test
