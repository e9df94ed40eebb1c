#include "simulation/value.h"

#include <utility>

namespace monotable::simulation {
namespace {

using Kind = Value::Kind;

// The service charges two digits to the byte on either side of the point, without the zeros at the
// ends of the number.
size_t NumberSize(int64_t hundredths) {
  if (hundredths == 0) return 1;
  std::string text = DecimalText(hundredths);
  const bool negative = text.front() == '-';
  if (negative) text.erase(0, 1);
  const size_t point = text.find('.');
  std::string whole = text.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  if (whole == "0") {
    whole.clear();
    fraction.erase(0, fraction.find_first_not_of('0'));
  }
  if (fraction.empty()) whole.erase(whole.find_last_not_of('0') + 1);
  return 1 + (whole.size() + 1) / 2 + (fraction.size() + 1) / 2 + (negative ? 1 : 0);
}

// What is left of value along the paths, all of which go through it; `depth` steps are done.
std::optional<Value> ProjectValue(const Value& value, const std::vector<const Path*>& paths,
                                  size_t depth) {
  for (const Path* path : paths) {
    if (path->size() == depth) return value;
  }
  if (value.kind == Kind::kMap) {
    Item kept;
    for (const auto& [name, member] : value.map) {
      std::vector<const Path*> below;
      for (const Path* path : paths) {
        const Step& step = (*path)[depth];
        if (!step.position && step.name == name) below.push_back(path);
      }
      if (below.empty()) continue;
      if (auto part = ProjectValue(member, below, depth + 1)) kept[name] = *part;
    }
    if (kept.empty()) return std::nullopt;
    return Value::Map(kept);
  }
  if (value.kind == Kind::kList) {
    std::vector<Value> kept;
    for (size_t i = 0; i < value.list.size(); ++i) {
      std::vector<const Path*> below;
      for (const Path* path : paths) {
        if ((*path)[depth].position == i) below.push_back(path);
      }
      if (below.empty()) continue;
      if (auto part = ProjectValue(value.list[i], below, depth + 1)) kept.push_back(*part);
    }
    if (kept.empty()) return std::nullopt;
    return Value::List(kept);
  }
  return std::nullopt;
}

}  // namespace

Value Value::String(std::string text) {
  Value value;
  value.kind = Kind::kString;
  value.text = std::move(text);
  return value;
}

Value Value::Number(int64_t hundredths) {
  Value value;
  value.kind = Kind::kNumber;
  value.number = hundredths;
  return value;
}

Value Value::Binary(std::string bytes) {
  Value value;
  value.kind = Kind::kBinary;
  value.text = std::move(bytes);
  return value;
}

Value Value::Bool(bool flag) {
  Value value;
  value.kind = Kind::kBool;
  value.flag = flag;
  return value;
}

Value Value::Map(Item map) {
  Value value;
  value.kind = Kind::kMap;
  value.map = std::move(map);
  return value;
}

Value Value::List(std::vector<Value> list) {
  Value value;
  value.kind = Kind::kList;
  value.list = std::move(list);
  return value;
}

Value Value::StringSet(std::set<std::string> members) {
  Value value;
  value.kind = Kind::kStringSet;
  value.strings = std::move(members);
  return value;
}

Value Value::NumberSet(std::set<int64_t> members) {
  Value value;
  value.kind = Kind::kNumberSet;
  value.numbers = std::move(members);
  return value;
}

bool IsOrdered(Kind kind) {
  return kind == Kind::kString || kind == Kind::kNumber || kind == Kind::kBinary;
}

int Compare(const Value& a, const Value& b) {
  if (a.kind == Kind::kNumber) return a.number < b.number ? -1 : (a.number > b.number ? 1 : 0);
  // std::string compares as unsigned bytes.
  return a.text.compare(b.text);
}

size_t SizeOf(const Value& value) {
  size_t total = 0;
  switch (value.kind) {
    case Kind::kNull:
    case Kind::kBool:
      return 1;
    case Kind::kString:
    case Kind::kBinary:
      return value.text.size();
    case Kind::kNumber:
      return NumberSize(value.number);
    case Kind::kMap:
      return 3 + value.map.size() + SizeOf(value.map);
    case Kind::kList:
      for (const Value& member : value.list) total += SizeOf(member);
      return 3 + value.list.size() + total;
    case Kind::kStringSet:
      for (const std::string& member : value.strings) total += member.size();
      return total;
    case Kind::kNumberSet:
      for (const int64_t member : value.numbers) total += NumberSize(member);
      return total;
  }
  return total;
}

size_t SizeOf(const Item& item) {
  size_t total = 0;
  for (const auto& [name, value] : item) total += name.size() + SizeOf(value);
  return total;
}

std::string DecimalText(int64_t hundredths) {
  const uint64_t magnitude =
      hundredths < 0 ? static_cast<uint64_t>(-hundredths) : static_cast<uint64_t>(hundredths);
  std::string text = (hundredths < 0 ? "-" : "") + std::to_string(magnitude / 100);
  const uint64_t rest = magnitude % 100;
  if (rest == 0) return text;
  text += '.';
  text += static_cast<char>('0' + rest / 10);
  if (rest % 10 != 0) text += static_cast<char>('0' + rest % 10);
  return text;
}

std::string_view TypeCode(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "NULL";
    case Kind::kString:
      return "S";
    case Kind::kNumber:
      return "N";
    case Kind::kBinary:
      return "B";
    case Kind::kBool:
      return "BOOL";
    case Kind::kMap:
      return "M";
    case Kind::kList:
      return "L";
    case Kind::kStringSet:
      return "SS";
    case Kind::kNumberSet:
      return "NS";
  }
  return "";
}

Path PathOf(std::string attribute) {
  return {{std::move(attribute), std::nullopt}};
}

Path PathOf(std::string attribute, std::string member) {
  return {{std::move(attribute), std::nullopt}, {std::move(member), std::nullopt}};
}

Path PathOf(std::string attribute, size_t position) {
  return {{std::move(attribute), std::nullopt}, {"", position}};
}

const Value* Find(const Item& item, const Path& path) {
  const auto first = item.find(path.front().name);
  if (first == item.end()) return nullptr;
  const Value* value = &first->second;
  for (size_t i = 1; i < path.size(); ++i) {
    if (path[i].position) {
      if (value->kind != Kind::kList || *path[i].position >= value->list.size()) return nullptr;
      value = &value->list[*path[i].position];
    } else {
      if (value->kind != Kind::kMap) return nullptr;
      const auto member = value->map.find(path[i].name);
      if (member == value->map.end()) return nullptr;
      value = &member->second;
    }
  }
  return value;
}

Item Project(const Item& item, const std::vector<Path>& paths) {
  std::vector<const Path*> pointers;
  for (const Path& path : paths) pointers.push_back(&path);
  const auto kept = ProjectValue(Value::Map(item), pointers, 0);
  return kept ? kept->map : Item();
}

std::string Describe(const Value& value) {
  std::string text;
  switch (value.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kString:
      if (value.text.size() > 100) return "'" + std::to_string(value.text.size()) + " bytes'";
      return "'" + value.text + "'";
    case Kind::kNumber:
      return DecimalText(value.number);
    case Kind::kBinary:
      text = "x'";
      for (const char c : value.text) {
        text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        text += "0123456789abcdef"[c & 15];
      }
      return text + "'";
    case Kind::kBool:
      return value.flag ? "true" : "false";
    case Kind::kMap:
      return Describe(value.map);
    case Kind::kList:
      for (const Value& member : value.list) text += (text.empty() ? "" : ", ") + Describe(member);
      return "[" + text + "]";
    case Kind::kStringSet:
      for (const std::string& member : value.strings) text += " " + member;
      return "SS(" + text + " )";
    case Kind::kNumberSet:
      for (const int64_t member : value.numbers) text += " " + DecimalText(member);
      return "NS(" + text + " )";
  }
  return text;
}

std::string Describe(const Item& item) {
  std::string text;
  for (const auto& [name, value] : item) {
    text += (text.empty() ? "" : ", ") + name + "=" + Describe(value);
  }
  return "{" + text + "}";
}

std::string Describe(const std::optional<Item>& item) {
  return item ? Describe(*item) : "nothing";
}

}  // namespace monotable::simulation
