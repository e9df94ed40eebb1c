// Any bytes as a stored item: they decode or they do not, but nothing reads past them.

#include "encoding/item.h"
#include "fuzz/fuzz_target.h"
#include "item/value.h"

using monotable::encoding::ItemView;
using monotable::encoding::ListView;
using monotable::encoding::MapView;
using monotable::encoding::SetView;
using monotable::encoding::ValueView;
using monotable::fuzz::Check;
using monotable::item::Type;

namespace {

// Walks everything that the views show of damaged bytes, to a depth that items can have.
size_t Walk(const ValueView& value, int depth) {
  size_t bytes = 0;
  std::string_view text;
  ValueView member(Type::kNull, {});
  if (depth > 40) return 0;
  switch (value.type()) {
    case Type::kMap:
      for (MapView map = value.map(); map.Next(&text, &member);) {
        bytes += text.size() + Walk(member, depth + 1);
      }
      return bytes;
    case Type::kList:
      for (ListView list = value.list(); list.Next(&member);) bytes += Walk(member, depth + 1);
      return bytes;
    case Type::kStringSet:
    case Type::kNumberSet:
    case Type::kBinarySet:
      for (SetView set = value.set(); set.Next(&text);) bytes += text.size();
      return bytes;
    case Type::kBool:
      return value.boolean() ? 1 : 0;
    default:
      return value.scalar().size();
  }
}

}  // namespace

FUZZ_TARGET(stored_item) {
  const ItemView view(input);
  size_t bytes = view.ChargedSize() == 0 ? 1 : 0;
  std::string_view name;
  ValueView value(Type::kNull, {});
  for (MapView attributes = view.attributes(); attributes.Next(&name, &value);) {
    bytes += Walk(value, 0);
    static_cast<void>(value.Decode());
    static_cast<void>(view.Find(name));  // which may not find it, where names are not in order
  }
  Check(bytes <= input.size() + 1, "views stay within the record");

  const auto item = monotable::encoding::DecodeItem(input);
  if (!item) return;
  const auto record = monotable::encoding::EncodeItem(*item);
  const auto again = monotable::encoding::DecodeItem(record.bytes);
  Check(again.has_value() && *again == *item, "an encoded item decodes to itself");
  Check(monotable::encoding::EncodeItem(*again) == record, "the encoding is canonical");
  Check(ItemView(record).ChargedSize() == monotable::item::SizeOf(*item),
        "the size in a record is the item's");
}
