#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "item/value.h"

// A structure as the record of a job. The structure names its fields once, in a function that shows
// each to a visitor; one visitor writes them into an item and the other reads them back, so that
// the two cannot differ. Fields that a record lacks keep their defaults.
namespace monotable::operations {

class RecordWriter {
 public:
  explicit RecordWriter(item::Item* record) : record_(record) {}

  void operator()(std::string_view name, const std::string& text) {
    record_->Set(name, item::Value(text));
  }
  void operator()(std::string_view name, const std::vector<std::string>& texts) {
    item::List list;
    for (const std::string& text : texts) list.emplace_back(text);
    record_->Set(name, item::Value(std::move(list)));
  }
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view name, const Number& number) {
    record_->Set(name, item::Value(item::Number::FromInt(static_cast<int64_t>(number))));
  }
  template <typename Field>
  void operator()(std::string_view name, const std::optional<Field>& field) {
    if (field) (*this)(name, *field);
  }

 private:
  item::Item* record_;
};

class RecordReader {
 public:
  explicit RecordReader(const item::Item& record) : record_(record) {}

  void operator()(std::string_view name, std::string& text) {
    const item::Value* value = Find(name, item::Type::kString);
    if (value != nullptr) text = value->string();
  }
  void operator()(std::string_view name, std::vector<std::string>& texts) {
    const item::Value* value = Find(name, item::Type::kList);
    if (value == nullptr) return;
    for (const item::Value& member : value->list()) {
      if (member.is(item::Type::kString)) texts.push_back(member.string());
    }
  }
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view name, Number& number) {
    const item::Value* value = Find(name, item::Type::kNumber);
    int64_t read = 0;
    if (value != nullptr && value->number().ToInt64(&read)) number = static_cast<Number>(read);
  }
  template <typename Field>
  void operator()(std::string_view name, std::optional<Field>& field) {
    if (!record_.Contains(name)) return;
    (*this)(name, field.emplace());
  }

 private:
  const item::Value* Find(std::string_view name, item::Type type) const {
    const item::Value* value = record_.Find(name);
    return value != nullptr && value->is(type) ? value : nullptr;
  }

  const item::Item& record_;
};

}  // namespace monotable::operations
