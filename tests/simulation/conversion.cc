// Between the values of the model and those of the server.

#include <utility>

#include "simulation/value.h"

namespace monotable::simulation {
namespace {

using Kind = Value::Kind;

int64_t HundredthsOf(std::string_view text, bool* exact) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  *exact = fraction.size() <= 2 && !digits.empty() && digits.size() < 15;
  if (!*exact) return 0;
  fraction.resize(2, '0');
  int64_t value = 0;
  for (const char c : digits + fraction) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

Value Alien(std::string_view what) {
  return Value::String("<not made by the model: " + std::string(what) + ">");
}

}  // namespace

item::Value ToServer(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return item::Value(item::Null{});
    case Kind::kString:
      return item::Value(value.text);
    case Kind::kNumber:
      return item::Value(item::Number::Parse(DecimalText(value.number)).value());
    case Kind::kBinary:
      return item::Value(item::Binary{value.text});
    case Kind::kBool:
      return item::Value(value.flag);
    case Kind::kMap:
      return item::Value(ToServer(value.map));
    case Kind::kList: {
      item::List list;
      for (const Value& member : value.list) list.push_back(ToServer(member));
      return item::Value(std::move(list));
    }
    case Kind::kStringSet:
      return item::Value(
          item::MakeStringSet(std::vector(value.strings.begin(), value.strings.end())));
    case Kind::kNumberSet: {
      std::vector<item::Number> members;
      for (const int64_t member : value.numbers) {
        members.push_back(item::Number::Parse(DecimalText(member)).value());
      }
      return item::Value(item::MakeNumberSet(std::move(members)));
    }
  }
  return item::Value();
}

item::Item ToServer(const Item& item) {
  item::Item out;
  for (const auto& [name, value] : item) out.Set(name, ToServer(value));
  return out;
}

Value FromServer(const item::Value& value) {
  bool exact = true;
  switch (value.type()) {
    case item::Type::kString:
      return Value::String(value.string());
    case item::Type::kNumber: {
      const std::string text = value.number().ToString();
      const int64_t number = HundredthsOf(text, &exact);
      return exact ? Value::Number(number) : Alien(text);
    }
    case item::Type::kBinary:
      return Value::Binary(value.binary());
    case item::Type::kBool:
      return Value::Bool(value.boolean());
    case item::Type::kNull:
      return Value();
    case item::Type::kMap: {
      Item map;
      for (const item::Attribute& member : value.map()) map[member.name] = FromServer(member.value);
      return Value::Map(std::move(map));
    }
    case item::Type::kList: {
      std::vector<Value> list;
      for (const item::Value& member : value.list()) list.push_back(FromServer(member));
      return Value::List(std::move(list));
    }
    case item::Type::kStringSet:
      return Value::StringSet({value.string_set().begin(), value.string_set().end()});
    case item::Type::kNumberSet: {
      std::set<int64_t> members;
      for (const item::Number& member : value.number_set()) {
        bool member_exact = true;
        members.insert(HundredthsOf(member.ToString(), &member_exact));
        exact = exact && member_exact;
      }
      return exact ? Value::NumberSet(std::move(members)) : Alien("number set");
    }
    case item::Type::kBinarySet:
      break;
  }
  return Alien("binary set");
}

Item FromServer(encoding::ItemView item) {
  const auto decoded = encoding::DecodeItem(item.record());
  if (!decoded) return {{"damaged", Alien(decoded.error().message())}};
  Item out;
  for (const item::Attribute& attribute : *decoded) {
    out[attribute.name] = FromServer(attribute.value);
  }
  return out;
}

Item FromServer(const encoding::EncodedItem& item) {
  return FromServer(encoding::ItemView(item));
}

std::optional<Item> FromServer(const std::optional<encoding::EncodedItem>& item) {
  if (!item) return std::nullopt;
  return FromServer(*item);
}

}  // namespace monotable::simulation
