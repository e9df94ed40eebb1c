#include "encoding/item.h"

#include <algorithm>

#include "encoding/varint.h"
#include "item/value.h"
#include "work/meter.h"

namespace monotable::encoding {
namespace {

using item::Type;

Error Damaged() {
  return Error::Internal("A stored item is damaged");
}

void AppendValue(const item::Value& value, std::string* out);

// Appends a body with its length before it. Most bodies are under 128 bytes, so the length is
// written as one byte and widened in the rare other case.
template <typename AppendBody>
void AppendWithLength(std::string* out, const AppendBody& append_body) {
  const size_t start = out->size();
  out->push_back(0);
  append_body();
  const size_t length = out->size() - start - 1;
  if (length < 0x80) {
    (*out)[start] = static_cast<char>(length);
    return;
  }
  std::string prefix;
  AppendVarint(length, &prefix);
  out->replace(start, 1, prefix);
}

struct PayloadAppender {
  std::string* out;

  void operator()(const std::string& text) const { AppendBytes(text, out); }
  void operator()(const item::Number& number) const { AppendNumber(number); }
  void operator()(const item::Binary& binary) const { AppendBytes(binary.bytes, out); }
  void operator()(bool flag) const { out->push_back(flag ? 1 : 0); }
  void operator()(item::Null) const {}
  void operator()(const item::Map& map) const {
    AppendWithLength(out, [&] {
      AppendVarint(map.size(), out);
      for (const item::Attribute& attribute : map) {
        AppendBytes(attribute.name, out);
        AppendValue(attribute.value, out);
      }
    });
  }
  void operator()(const item::List& list) const {
    AppendWithLength(out, [&] {
      AppendVarint(list.size(), out);
      for (const item::Value& member : list) AppendValue(member, out);
    });
  }
  void operator()(const item::StringSet& set) const { AppendSet(set.members); }
  void operator()(const item::BinarySet& set) const { AppendSet(set.members); }
  void operator()(const item::NumberSet& set) const {
    AppendWithLength(out, [&] {
      AppendVarint(set.members.size(), out);
      for (const item::Number& member : set.members) AppendNumber(member);
    });
  }

 private:
  void AppendNumber(const item::Number& number) const {
    AppendWithLength(out, [&] { number.AppendTo(out); });
  }
  void AppendSet(const std::vector<std::string>& members) const {
    AppendWithLength(out, [&] {
      AppendVarint(members.size(), out);
      for (const std::string& member : members) AppendBytes(member, out);
    });
  }
};

void AppendValue(const item::Value& value, std::string* out) {
  out->push_back(static_cast<char>(value.type()));
  std::visit(PayloadAppender{out}, value.data());
}

[[gnu::always_inline]] inline bool ReadValue(std::string_view* in, ValueView* value) {
  if (in->empty()) return false;
  const auto tag = static_cast<unsigned char>(in->front());
  if (tag < static_cast<unsigned char>(Type::kString) ||
      tag > static_cast<unsigned char>(Type::kBinarySet)) {
    return false;
  }
  const auto type = static_cast<Type>(tag);
  in->remove_prefix(1);
  if (type == Type::kNull || type == Type::kBool) {
    const size_t size = type == Type::kBool ? 1 : 0;
    if (in->size() < size) return false;
    *value = ValueView(type, std::string_view(in->data(), size));
    in->remove_prefix(size);
    return true;
  }
  std::string_view payload;
  if (!ReadBytes(in, &payload)) return false;
  *value = ValueView(type, payload);
  return true;
}

// Splits a container's payload into the count and the members.
template <typename View>
View OpenContainer(std::string_view payload) {
  uint64_t count = 0;
  if (!ReadVarint(&payload, &count)) return View({}, 0);
  return View(payload, count);
}

Result<item::Value> DecodeValue(const ValueView& view, int depth);

Result<item::Map> DecodeMap(MapView view, int depth) {
  item::Map::Attributes attributes;
  attributes.reserve(std::min<uint64_t>(view.count(), 1024));
  std::string_view name;
  ValueView value(Type::kNull, {});
  const uint64_t count = view.count();
  while (view.Next(&name, &value)) {
    TRY_ASSIGN(item::Value decoded, DecodeValue(value, depth + 1));
    attributes.push_back({std::string(name), std::move(decoded)});
  }
  if (attributes.size() != count) return Damaged();
  return item::Map::FromUnsorted(std::move(attributes));
}

Result<item::List> DecodeList(ListView view, int depth) {
  item::List list;
  list.reserve(std::min<uint64_t>(view.count(), 1024));
  ValueView value(Type::kNull, {});
  const uint64_t count = view.count();
  while (view.Next(&value)) {
    TRY_ASSIGN(item::Value decoded, DecodeValue(value, depth + 1));
    list.push_back(std::move(decoded));
  }
  if (list.size() != count) return Damaged();
  return list;
}

Result<item::Value> DecodeSet(const ValueView& view) {
  SetView set = view.set();
  const uint64_t count = set.count();
  std::vector<std::string> members;
  std::string_view member;
  while (set.Next(&member)) members.emplace_back(member);
  if (members.size() != count) return Damaged();
  if (view.type() == Type::kStringSet) return item::Value(item::StringSet{std::move(members)});
  if (view.type() == Type::kBinarySet) return item::Value(item::BinarySet{std::move(members)});
  item::NumberSet numbers;
  for (const std::string& text : members) {
    auto number = item::Number::Parse(text);
    if (!number) return Damaged();
    numbers.members.push_back(*number);
  }
  return item::Value(std::move(numbers));
}

Result<item::Value> DecodeValue(const ValueView& view, int depth) {
  // Writes allow 32 levels; anything much deeper is damage and must not exhaust the stack.
  if (depth > 2 * item::kMaxNesting) return Damaged();
  switch (view.type()) {
    case Type::kString:
      return item::Value(std::string(view.scalar()));
    case Type::kNumber: {
      auto number = item::Number::Parse(view.scalar());
      if (!number) return Damaged();
      return item::Value(*number);
    }
    case Type::kBinary:
      return item::Value(item::Binary{std::string(view.scalar())});
    case Type::kBool:
      return item::Value(view.boolean());
    case Type::kNull:
      return item::Value(item::Null{});
    case Type::kMap: {
      TRY_ASSIGN(item::Map map, DecodeMap(view.map(), depth));
      return item::Value(std::move(map));
    }
    case Type::kList: {
      TRY_ASSIGN(item::List list, DecodeList(view.list(), depth));
      return item::Value(std::move(list));
    }
    case Type::kStringSet:
    case Type::kNumberSet:
    case Type::kBinarySet:
      return DecodeSet(view);
  }
  return Damaged();
}

// What comes before the attributes of a record.
struct RecordHead {
  uint64_t charged = 0;
  uint64_t count = 0;
};

// Removes the head from the front of the record, whose bytes it charges for.
Result<RecordHead> OpenRecord(std::string_view* record) {
  if (!work::Charge(record->size())) return Error::Internal("The work on a request was stopped");
  RecordHead head;
  if (!ReadVarint(record, &head.charged) || !ReadVarint(record, &head.count)) return Damaged();
  return head;
}

void AppendAttribute(const item::Attribute& attribute, std::string* out) {
  AppendBytes(attribute.name, out);
  AppendValue(attribute.value, out);
}

// As item::SizeOf; 0 for what is damaged.
size_t SizeOfValue(const ValueView& view, int depth) {
  if (depth > 2 * item::kMaxNesting) return 0;
  const auto number_size = [](std::string_view text) {
    const auto number = item::Number::Parse(text);
    return number ? number->StoredSize() : 0;
  };
  size_t size = 0;
  switch (view.type()) {
    case Type::kString:
    case Type::kBinary:
      return view.scalar().size();
    case Type::kNumber:
      return number_size(view.scalar());
    case Type::kBool:
    case Type::kNull:
      return 1;
    case Type::kMap: {
      MapView map = view.map();
      size = 3 + map.count();
      std::string_view name;
      for (ValueView member; map.Next(&name, &member);) {
        size += name.size() + SizeOfValue(member, depth + 1);
      }
      return size;
    }
    case Type::kList: {
      ListView list = view.list();
      size = 3 + list.count();
      for (ValueView member; list.Next(&member);) size += SizeOfValue(member, depth + 1);
      return size;
    }
    case Type::kStringSet:
    case Type::kNumberSet:
    case Type::kBinarySet: {
      SetView set = view.set();
      for (std::string_view member; set.Next(&member);) {
        size += view.type() == Type::kNumberSet ? number_size(member) : member.size();
      }
      return size;
    }
  }
  return size;
}

}  // namespace

EncodedItem EncodeItem(const item::Item& item) {
  const size_t charged = item::SizeOf(item);
  EncodedItem encoded;
  encoded.bytes.reserve(charged + 4 * item.size() + 16);
  AppendVarint(charged, &encoded.bytes);
  AppendVarint(item.size(), &encoded.bytes);
  for (const item::Attribute& attribute : item) AppendAttribute(attribute, &encoded.bytes);
  return encoded;
}

Result<item::Item> DecodeItem(std::string_view record) {
  TRY_ASSIGN(const RecordHead head, OpenRecord(&record));
  return DecodeMap(MapView(record, head.count), 0);
}

Result<item::Item> DecodeAttributes(std::string_view record,
                                    std::span<const std::string_view> names) {
  TRY_ASSIGN(const RecordHead head, OpenRecord(&record));
  MapView view(record, head.count);
  item::Map::Attributes attributes;
  attributes.reserve(std::min<uint64_t>(head.count, names.size()));
  auto wanted = names.begin();
  std::string_view name;
  ValueView value(Type::kNull, {});
  uint64_t seen = 0;
  while (wanted != names.end() && view.Next(&name, &value)) {
    ++seen;
    while (wanted != names.end() && *wanted < name) ++wanted;
    if (wanted == names.end() || *wanted != name) continue;
    TRY_ASSIGN(item::Value decoded, DecodeValue(value, 1));
    attributes.push_back({std::string(name), std::move(decoded)});
  }
  if (wanted != names.end() && seen != head.count) return Damaged();
  return item::Map::FromUnsorted(std::move(attributes));
}

Result<EncodedItem> ExchangeAttributes(std::string_view record, const item::Item& before,
                                       const item::Item& after) {
  const size_t old_bytes = record.size();
  TRY_ASSIGN(const RecordHead head, OpenRecord(&record));
  if (head.count < before.size()) return Damaged();
  const size_t added = item::SizeOf(after);
  EncodedItem encoded;
  std::string& out = encoded.bytes;
  out.reserve(old_bytes + added + 4 * after.size() + 16);
  AppendVarint(head.charged - item::SizeOf(before) + added, &out);
  AppendVarint(head.count - before.size() + after.size(), &out);
  auto gone = before.begin();
  auto next = after.begin();
  for (uint64_t i = 0; i < head.count; ++i) {
    const std::string_view from = record;
    std::string_view name;
    ValueView value(Type::kNull, {});
    if (!ReadBytes(&record, &name) || !ReadValue(&record, &value)) return Damaged();
    for (; next != after.end() && next->name <= name; ++next) AppendAttribute(*next, &out);
    if (gone != before.end() && gone->name == name) {
      ++gone;
    } else {
      out.append(from.substr(0, from.size() - record.size()));
    }
  }
  for (; next != after.end(); ++next) AppendAttribute(*next, &out);
  return encoded;
}

MapView ValueView::map() const {
  return OpenContainer<MapView>(payload_);
}

ListView ValueView::list() const {
  return OpenContainer<ListView>(payload_);
}

SetView ValueView::set() const {
  return OpenContainer<SetView>(payload_);
}

Result<item::Value> ValueView::Decode() const {
  return DecodeValue(*this, 0);
}

size_t ValueView::ChargedSize() const {
  return SizeOfValue(*this, 0);
}

bool MapView::Next(std::string_view* name, ValueView* value) {
  if (count_ == 0) return false;
  --count_;
  if (ReadBytes(&rest_, name) && ReadValue(&rest_, value)) return true;
  count_ = 0;
  return false;
}

bool ListView::Next(ValueView* value) {
  if (count_ == 0) return false;
  --count_;
  if (ReadValue(&rest_, value)) return true;
  count_ = 0;
  return false;
}

bool SetView::Next(std::string_view* member) {
  if (count_ == 0) return false;
  --count_;
  if (ReadBytes(&rest_, member)) return true;
  count_ = 0;
  return false;
}

size_t ItemView::ChargedSize() const {
  std::string_view rest = record_;
  uint64_t charged = 0;
  return ReadVarint(&rest, &charged) ? charged : 0;
}

MapView ItemView::attributes() const {
  std::string_view rest = record_;
  uint64_t charged = 0;
  if (!ReadVarint(&rest, &charged)) return MapView({}, 0);
  return OpenContainer<MapView>(rest);
}

std::optional<ValueView> ItemView::Find(std::string_view name) const {
  MapView all = attributes();
  std::string_view found;
  ValueView value(Type::kNull, {});
  while (all.Next(&found, &value)) {
    if (found == name) return value;
    // Names are sorted. Comparing first bytes ends most walks early and costs less than comparing
    // whole names.
    if (found.substr(0, 1) > name.substr(0, 1)) break;
  }
  return std::nullopt;
}

EncodedItem ItemView::Select(const std::function<bool(std::string_view)>& keep) const {
  uint64_t charged = 0;
  uint64_t count = 0;
  std::string kept;
  kept.reserve(record_.size());
  MapView all = attributes();
  std::string_view name;
  for (ValueView value; all.Next(&name, &value);) {
    if (!keep(name)) continue;
    ++count;
    charged += name.size() + value.ChargedSize();
    AppendBytes(name, &kept);
    kept.push_back(static_cast<char>(value.type()));
    if (value.type() == Type::kBool) {
      kept.append(value.scalar());
    } else if (value.type() != Type::kNull) {
      AppendBytes(value.scalar(), &kept);
    }
  }
  EncodedItem selected;
  selected.bytes.reserve(kept.size() + 16);
  AppendVarint(charged, &selected.bytes);
  AppendVarint(count, &selected.bytes);
  selected.bytes.append(kept);
  return selected;
}

AttributeLookup::AttributeLookup(ItemView item) : item_(item) {
  MapView all = item.attributes();
  is_complete_ = all.count() <= places_.size();
  while (count_ < places_.size() && all.Next(&places_[count_].name, &places_[count_].value)) {
    ++count_;
  }
}

std::optional<ValueView> AttributeLookup::Find(std::string_view name) const {
  for (size_t i = 0; i < count_; ++i) {
    if (places_[i].name == name) return places_[i].value;
  }
  return is_complete_ ? std::nullopt : item_.Find(name);
}

}  // namespace monotable::encoding
