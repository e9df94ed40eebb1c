#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "item/value.h"

// Values of the reference model. They share nothing with the server's own: comparison, order, size
// and paths are written a second time here, as plainly as possible, so that a mistake has to be
// made twice to go unnoticed. Only the conversions at the end know the server's types.
namespace monotable::simulation {

struct Value;
using Item = std::map<std::string, Value>;

struct Value {
  enum class Kind { kNull, kString, kNumber, kBinary, kBool, kMap, kList, kStringSet, kNumberSet };

  Kind kind = Kind::kNull;
  std::string text;    // of a string or binary
  int64_t number = 0;  // in hundredths
  bool flag = false;
  Item map;
  std::vector<Value> list;
  std::set<std::string> strings;
  std::set<int64_t> numbers;

  static Value String(std::string text);
  static Value Number(int64_t hundredths);
  static Value Binary(std::string bytes);
  static Value Bool(bool flag);
  static Value Map(Item map);
  static Value List(std::vector<Value> list);
  static Value StringSet(std::set<std::string> members);
  static Value NumberSet(std::set<int64_t> members);

  friend bool operator==(const Value&, const Value&) = default;
};

// Whether the kind has an order, that is, can be a key or stand beside <.
bool IsOrdered(Value::Kind kind);
// Negative, zero or positive; both are of the same ordered kind.
int Compare(const Value& a, const Value& b);

size_t SizeOf(const Value& value);
size_t SizeOf(const Item& item);

// "12.5" for 1250.
std::string DecimalText(int64_t hundredths);
// "S", "N", …
std::string_view TypeCode(Value::Kind kind);

// One step into a map (by name) or list (by position).
struct Step {
  std::string name;
  std::optional<size_t> position;
};
using Path = std::vector<Step>;

Path PathOf(std::string attribute);
Path PathOf(std::string attribute, std::string member);
Path PathOf(std::string attribute, size_t position);

const Value* Find(const Item& item, const Path& path);
// The part of an item at some paths, with list elements closed up; empty maps and lists left out.
Item Project(const Item& item, const std::vector<Path>& paths);

// For messages: short and readable.
std::string Describe(const Value& value);
std::string Describe(const Item& item);
std::string Describe(const std::optional<Item>& item);

item::Value ToServer(const Value& value);
item::Item ToServer(const Item& item);
// A value that the model cannot hold, which it therefore never sent, becomes a string that says so
// and equals nothing.
Value FromServer(const item::Value& value);
Item FromServer(const encoding::EncodedItem& item);
Item FromServer(encoding::ItemView item);
std::optional<Item> FromServer(const std::optional<encoding::EncodedItem>& item);

}  // namespace monotable::simulation
