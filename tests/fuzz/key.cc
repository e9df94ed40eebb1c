// Key values and their bytes: the order of the bytes is the order of the values, one value after
// the other, and begins_with is a prefix of bytes.
//
// The input is a byte that chooses the types, then four values, each up to a line feed.

#include <compare>
#include <string>

#include "encoding/item.h"
#include "encoding/ordered_key.h"
#include "fuzz/fuzz_target.h"
#include "item/number.h"
#include "item/value.h"

using monotable::encoding::AppendKeyComponent;
using monotable::fuzz::Check;
using monotable::fuzz::TakeByte;
using monotable::fuzz::TakeUntil;
using monotable::item::Type;
using monotable::item::Value;

namespace {

Value MakeValue(unsigned choice, std::string_view text) {
  switch (choice % 3) {
    case 0:
      return Value(text);
    case 1:
      return Value(monotable::item::Binary{std::string(text)});
    default:
      break;
  }
  const auto number = monotable::item::Number::Parse(text);
  return Value(number ? *number : monotable::item::Number());
}

std::strong_ordering Order(const Value& a, const Value& b) {
  if (a.is(Type::kNumber)) return a.number() <=> b.number();
  const int order =
      a.is(Type::kString) ? a.string().compare(b.string()) : a.binary().compare(b.binary());
  return order <=> 0;
}

std::string Encode(const Value& value) {
  std::string bytes;
  AppendKeyComponent(value, &bytes);
  return bytes;
}

// Stored items are read in place, so there is a second way from a value to its key.
void CheckView(const Value& value) {
  monotable::item::Item item;
  item.Set("k", value);
  const auto record = monotable::encoding::EncodeItem(item);
  const auto view = monotable::encoding::ItemView(record).Find("k");
  Check(view.has_value(), "an attribute that was stored is found");
  std::string bytes;
  AppendKeyComponent(*view, &bytes);
  Check(bytes == Encode(value), "a key is the same from a value and from a stored item");
}

void CheckPrefix(const Value& whole, const Value& part) {
  if (whole.is(Type::kNumber)) return;
  std::string prefix;
  monotable::encoding::AppendKeyPrefix(part, &prefix);
  const bool begins = whole.is(Type::kString) ? whole.string().starts_with(part.string())
                                              : whole.binary().starts_with(part.binary());
  const std::string bytes = Encode(whole);
  Check(bytes.starts_with(prefix) == begins, "begins_with is a prefix of bytes");
  const std::string end = monotable::encoding::PrefixEnd(prefix);
  if (begins) Check(end.empty() || bytes < end, "what begins with a prefix ends before its end");
}

}  // namespace

FUZZ_TARGET(key) {
  const unsigned types = TakeByte(&input);
  const Value a1 = MakeValue(types, TakeUntil(&input, '\n'));
  const Value b1 = MakeValue(types, TakeUntil(&input, '\n'));
  const Value a2 = MakeValue(types / 3, TakeUntil(&input, '\n'));
  const Value b2 = MakeValue(types / 3, input);
  Check((Encode(a1) <=> Encode(b1)) == Order(a1, b1), "bytes sort as values");
  const auto order = Order(a1, b1) != 0 ? Order(a1, b1) : Order(a2, b2);
  Check((Encode(a1) + Encode(a2) <=> Encode(b1) + Encode(b2)) == order,
        "bytes of several values sort one value after the other");
  CheckView(a1);
  CheckPrefix(a1, b1);
}
