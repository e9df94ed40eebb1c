#include "encoding/ordered_key.h"

namespace monotable::encoding {
namespace {

using item::Type;

// A zero byte within text becomes 00 FF and text ends with 00 01, so that a shorter text sorts
// before any longer one that starts with it.
void AppendEscaped(std::string_view text, std::string* out) {
  for (;;) {
    const size_t zero = text.find('\0');
    if (zero == std::string_view::npos) break;
    out->append(text.substr(0, zero + 1));
    out->push_back('\xFF');
    text.remove_prefix(zero + 1);
  }
  out->append(text);
}

void AppendText(std::string_view text, std::string* out) {
  AppendEscaped(text, out);
  out->push_back('\x00');
  out->push_back('\x01');
}

// Sign, magnitude, then the digits two by two, each pair plus one, ended by a zero byte. Bytes of
// negative numbers are inverted, so that the larger magnitude sorts first.
void AppendNumber(const item::Number& number, std::string* out) {
  constexpr char kNegative = 0x01;
  constexpr char kZero = 0x02;
  constexpr char kPositive = 0x03;
  if (number.is_zero()) {
    out->push_back(kZero);
    return;
  }
  out->push_back(number.negative() ? kNegative : kPositive);
  const unsigned flip = number.negative() ? 0xFF : 0x00;
  const auto push = [&](int byte) {
    out->push_back(static_cast<char>(static_cast<unsigned>(byte) ^ flip));
  };
  push(number.magnitude() - item::Number::kMinMagnitude);
  std::string digits = number.Digits();
  if (digits.size() % 2 == 1) digits.push_back('0');
  for (size_t i = 0; i < digits.size(); i += 2) {
    push((digits[i] - '0') * 10 + (digits[i + 1] - '0') + 1);
  }
  push(0);
}

}  // namespace

void AppendKeyComponent(const item::Value& value, std::string* out) {
  switch (value.type()) {
    case Type::kString:
      AppendText(value.string(), out);
      break;
    case Type::kBinary:
      AppendText(value.binary(), out);
      break;
    case Type::kNumber:
      AppendNumber(value.number(), out);
      break;
    default:
      break;  // other types are never keys; the schema check has refused them
  }
}

void AppendKeyComponent(const ValueView& value, std::string* out) {
  if (value.type() != Type::kNumber) {
    AppendText(value.scalar(), out);
  } else if (const auto number = item::Number::Parse(value.scalar())) {
    AppendNumber(*number, out);
  }
}

void AppendKeyPrefix(const item::Value& value, std::string* out) {
  AppendEscaped(value.is(Type::kBinary) ? value.binary() : value.string(), out);
}

size_t KeyBytes(const item::Value& value) {
  if (value.is(Type::kNumber)) return value.number().StoredSize();
  return value.is(Type::kString) ? value.string().size() : value.binary().size();
}

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace monotable::encoding
