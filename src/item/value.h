#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "error/result.h"
#include "item/number.h"

namespace monotable::item {

// The ten DynamoDB types. Their numbers are stored on disk, so they must never change.
enum class Type : uint8_t {
  kString = 1,
  kNumber = 2,
  kBinary = 3,
  kBool = 4,
  kNull = 5,
  kMap = 6,
  kList = 7,
  kStringSet = 8,
  kNumberSet = 9,
  kBinarySet = 10,
};

// "S", "N", … as the wire writes them.
std::string_view TypeName(Type type);

class Value;
struct Attribute;

// Attributes by name. Kept sorted by name (as bytes) without duplicates, so that equal maps have
// equal members. An item is such a map.
class Map {
 public:
  using Attributes = std::vector<Attribute>;

  Map();
  Map(const Map&);
  Map(Map&&) noexcept;
  Map& operator=(const Map&);
  Map& operator=(Map&&) noexcept;
  ~Map();

  const Value* Find(std::string_view name) const;
  Value* Find(std::string_view name);
  bool Contains(std::string_view name) const { return Find(name) != nullptr; }
  // Sets an attribute, replacing one of the same name.
  void Set(std::string_view name, Value value);
  // Sets several attributes, whose names ascend, and moves the others only once.
  void SetAll(Attributes attributes);
  // Returns whether the attribute was there.
  bool Remove(std::string_view name);
  // Removes several attributes, whose names ascend, and moves the others only once.
  void RemoveAll(std::span<const std::string_view> names);
  // Takes over attributes in any order; of two with the same name the later wins.
  static Map FromUnsorted(Attributes attributes);

  bool empty() const;
  size_t size() const;
  Attributes::const_iterator begin() const;
  Attributes::const_iterator end() const;
  // Callers must not change names through these iterators.
  Attributes::iterator begin();
  Attributes::iterator end();

  friend bool operator==(const Map&, const Map&);

 private:
  Attributes attributes_;
};

using Item = Map;
using List = std::vector<Value>;

struct Null {
  friend bool operator==(Null, Null) = default;
};

struct Binary {
  std::string bytes;
  friend bool operator==(const Binary&, const Binary&) = default;
};

// The members of a set are sorted and distinct; the Make… functions below see to that.
struct StringSet {
  std::vector<std::string> members;
  friend bool operator==(const StringSet&, const StringSet&) = default;
};
struct NumberSet {
  std::vector<Number> members;
  friend bool operator==(const NumberSet&, const NumberSet&) = default;
};
struct BinarySet {
  std::vector<std::string> members;
  friend bool operator==(const BinarySet&, const BinarySet&) = default;
};

// Sort the members and drop equal ones.
StringSet MakeStringSet(std::vector<std::string> members);
NumberSet MakeNumberSet(std::vector<Number> members);
BinarySet MakeBinarySet(std::vector<std::string> members);

// One attribute value. A plain value type: copies are deep, equality is DynamoDB's (the order of
// map attributes and set members does not matter, 1 equals 1.0, "1" does not equal 1).
class Value {
 public:
  using Data = std::variant<std::string, Number, Binary, bool, Null, Map, List, StringSet,
                            NumberSet, BinarySet>;

  Value() : data_(Null{}) {}
  explicit Value(std::string text) : data_(std::move(text)) {}
  explicit Value(std::string_view text) : data_(std::string(text)) {}
  explicit Value(const char* text) : data_(std::string(text)) {}
  explicit Value(Number number) : data_(number) {}
  explicit Value(Binary binary) : data_(std::move(binary)) {}
  explicit Value(bool flag) : data_(flag) {}
  explicit Value(Null) : data_(Null{}) {}
  explicit Value(Map map) : data_(std::move(map)) {}
  explicit Value(List list) : data_(std::move(list)) {}
  explicit Value(StringSet set) : data_(std::move(set)) {}
  explicit Value(NumberSet set) : data_(std::move(set)) {}
  explicit Value(BinarySet set) : data_(std::move(set)) {}

  Type type() const { return static_cast<Type>(data_.index() + 1); }
  bool is(Type wanted) const { return type() == wanted; }

  // The caller has checked the type.
  const std::string& string() const { return *std::get_if<std::string>(&data_); }
  const Number& number() const { return *std::get_if<Number>(&data_); }
  const std::string& binary() const { return std::get_if<Binary>(&data_)->bytes; }
  bool boolean() const { return *std::get_if<bool>(&data_); }
  const Map& map() const { return *std::get_if<Map>(&data_); }
  Map& map() { return *std::get_if<Map>(&data_); }
  const List& list() const { return *std::get_if<List>(&data_); }
  List& list() { return *std::get_if<List>(&data_); }
  const std::vector<std::string>& string_set() const {
    return std::get_if<StringSet>(&data_)->members;
  }
  const std::vector<Number>& number_set() const { return std::get_if<NumberSet>(&data_)->members; }
  const std::vector<std::string>& binary_set() const {
    return std::get_if<BinarySet>(&data_)->members;
  }

  const Data& data() const { return data_; }

  friend bool operator==(const Value& a, const Value& b) { return a.data_ == b.data_; }

 private:
  Data data_;
};

struct Attribute {
  std::string name;
  Value value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// Whether an attribute, of an item or of a map in one, may have this name: 1 to 65,535 bytes.
Status CheckAttributeName(std::string_view name);

inline constexpr size_t kMaxItemBytes = 409600;
inline constexpr int kMaxNesting = 32;  // levels of maps and lists, the item itself included

// The size the service charges and limits: UTF-8 bytes of names plus value sizes; 3 bytes for a
// list or map and 1 for each of its members; 1 for a boolean or null.
size_t SizeOf(const Value& value);
size_t SizeOf(const Item& item);

// Levels of lists and maps below this value: 0 for a scalar, 1 for an empty map.
int DepthOf(const Value& value);

}  // namespace monotable::item
