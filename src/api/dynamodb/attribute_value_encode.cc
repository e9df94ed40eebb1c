#include <string_view>

#include "api/dynamodb/attribute_value.h"
#include "json/base64.h"

namespace monotable::api::dynamodb {
namespace {

// The beginning of every value of a type, so that the common ones are one append.
std::string_view Opening(item::Type type) {
  switch (type) {
    case item::Type::kString:
      return R"({"S":)";
    case item::Type::kNumber:
      return R"({"N":")";
    case item::Type::kBinary:
      return R"({"B":")";
    case item::Type::kBool:
      return R"({"BOOL":)";
    case item::Type::kNull:
      return R"({"NULL":true)";
    case item::Type::kMap:
      return R"({"M":)";
    case item::Type::kList:
      return R"({"L":[)";
    case item::Type::kStringSet:
      return R"({"SS":[)";
    case item::Type::kNumberSet:
      return R"({"NS":[)";
    case item::Type::kBinarySet:
      return R"({"BS":[)";
  }
  return "{";
}

// Appends an item to a text. Items are most of what the server prints, so room is made for a whole
// value at a time and then filled, instead of growing the text with every quote and colon.
class ItemPrinter {
 public:
  // Expected is a guess at how much will be appended.
  ItemPrinter(std::string* out, size_t expected) : out_(*out), size_(out->size()) {
    out_.resize(size_ + expected);
  }
  ~ItemPrinter() { out_.resize(size_); }
  ItemPrinter(const ItemPrinter&) = delete;
  ItemPrinter& operator=(const ItemPrinter&) = delete;

  void PrintMap(encoding::MapView map) {
    std::string_view name;
    encoding::ValueView value(item::Type::kNull, {});
    Print('{');
    for (bool first = true; map.Next(&name, &value); first = false) {
      if (!first) Print(',');
      PrintString(name);
      Print(':');
      PrintValue(value);
    }
    Print('}');
  }

 private:
  // Longer strings are appended, as room for the worst case would be too much to ask for.
  static constexpr size_t kLongString = 1024;

  char* Room(size_t bytes) {
    if (out_.size() - size_ < bytes) out_.resize(2 * (size_ + bytes));
    return out_.data() + size_;
  }

  void Print(char character) {
    *Room(1) = character;
    ++size_;
  }

  void Print(std::string_view text) {
    text.copy(Room(text.size()), text.size());
    size_ += text.size();
  }

  void PrintString(std::string_view text) {
    if (text.size() > kLongString) {
      out_.resize(size_);
      json::AppendString(text, &out_);
      size_ = out_.size();
      return;
    }
    char* const begin = Room(json::MaxStringLength(text.size()));
    size_ += static_cast<size_t>(json::PrintString(text, begin) - begin);
  }

  void PrintBinary(std::string_view bytes) {
    out_.resize(size_);
    json::AppendBase64(bytes, &out_);
    size_ = out_.size();
  }

  void PrintList(encoding::ListView list) {
    encoding::ValueView value(item::Type::kNull, {});
    for (bool first = true; list.Next(&value); first = false) {
      if (!first) Print(',');
      PrintValue(value);
    }
  }

  void PrintSet(const encoding::ValueView& value) {
    std::string_view member;
    bool first = true;
    for (encoding::SetView set = value.set(); set.Next(&member); first = false) {
      if (!first) Print(',');
      if (value.type() == item::Type::kStringSet) {
        PrintString(member);
        continue;
      }
      Print('"');
      if (value.type() == item::Type::kNumberSet) {
        Print(member);
      } else {
        PrintBinary(member);
      }
      Print('"');
    }
  }

  void PrintValue(const encoding::ValueView& value) {
    Print(Opening(value.type()));
    switch (value.type()) {
      case item::Type::kString:
        PrintString(value.scalar());
        break;
      case item::Type::kNumber:
        Print(value.scalar());
        Print('"');
        break;
      case item::Type::kBinary:
        PrintBinary(value.scalar());
        Print('"');
        break;
      case item::Type::kBool:
        Print(value.boolean() ? std::string_view("true") : std::string_view("false"));
        break;
      case item::Type::kNull:
        break;
      case item::Type::kMap:
        PrintMap(value.map());
        break;
      case item::Type::kList:
        PrintList(value.list());
        Print(']');
        break;
      default:
        PrintSet(value);
        Print(']');
    }
    Print('}');
  }

  std::string& out_;  // longer than what was printed, until the end
  size_t size_;       // of what was printed
};

}  // namespace

size_t ExpectedSize(const encoding::ItemView& item) {
  // About half as much again: type letters, quotes and braces.
  return item.record().size() * 3 / 2 + 64;
}

void EncodeItem(const encoding::ItemView& item, json::Writer* writer) {
  writer->Raw("");  // a comma, if one is due
  ItemPrinter(writer->out(), ExpectedSize(item)).PrintMap(item.attributes());
}

void EncodeItem(const item::Item& item, json::Writer* writer) {
  const encoding::EncodedItem encoded = encoding::EncodeItem(item);
  EncodeItem(encoding::ItemView(encoded), writer);
}

}  // namespace monotable::api::dynamodb
