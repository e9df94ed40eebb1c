#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"

// Reading JSON fast: simdjson parses, and the classes here read what it wrote. Only this folder
// sees the header of simdjson, which is larger than all of ours together.
//
// simdjson leaves a document as a tape: an array of 64-bit words, each with a tag in its highest
// byte and a payload below it (simdjson's doc/tape.md). An object or array is its opening word, its
// members one after the other, and its closing word; the payload of the opening word is the place
// after the closing word, in 32 bits, and the number of members above that. A string's payload is
// its place in a buffer of lengths and bytes. A number is in the word after its tag.
namespace monotable::json {

// This many readable bytes must follow a text to be parsed.
inline constexpr size_t kPadding = 64;

// Containers may be nested this deep, which bounds every recursion over a document. A DynamoDB
// item of 32 levels takes about 70 in a request.
inline constexpr size_t kMaxDepth = 256;

enum class ElementType : uint8_t {
  kObject,
  kArray,
  kString,
  kInteger,          // fits int64_t
  kUnsignedInteger,  // fits uint64_t only
  kDouble,
  kBool,
  kNull,
};

class Array;
class Object;

// A place on the tape of a document. A view: it holds until its parser parses another document.
class Element {
 public:
  Element() = default;

  ElementType type() const;
  bool is_null() const { return tag() == 'n'; }
  bool is_object() const { return tag() == '{'; }
  bool is_array() const { return tag() == '['; }

  // Each sets *value and returns true, or returns false if the element is of another type. An
  // integer is also a double.
  [[nodiscard]] bool Get(std::string_view* value) const;
  [[nodiscard]] bool Get(bool* value) const;
  [[nodiscard]] bool Get(int64_t* value) const;
  [[nodiscard]] bool Get(uint64_t* value) const;  // of what int64_t cannot hold
  [[nodiscard]] bool Get(double* value) const;
  [[nodiscard]] bool Get(Object* value) const;
  [[nodiscard]] bool Get(Array* value) const;

  friend bool operator==(const Element&, const Element&) = default;

 private:
  friend class Array;
  friend class Object;
  friend class Parser;

  Element(const uint64_t* tape, const char* strings, uint32_t at)
      : tape_(tape), strings_(strings), at_(at) {}

  char tag() const { return static_cast<char>(tape_[at_] >> 56); }
  // The place after a container's closing word.
  uint32_t container_end() const { return static_cast<uint32_t>(tape_[at_]); }
  size_t container_size() const { return (tape_[at_] >> 32) & 0xFFFFFF; }
  Element At(uint32_t place) const { return {tape_, strings_, place}; }
  Element Next() const;
  template <typename Number>
  Number NumberAt() const {
    Number number;
    std::memcpy(&number, &tape_[at_ + 1], sizeof(number));
    return number;
  }

  const uint64_t* tape_ = nullptr;
  const char* strings_ = nullptr;
  uint32_t at_ = 0;
};

// The elements of an array in the order of the text. A default-constructed array is empty.
class Array {
 public:
  class Iterator {
   public:
    using value_type = Element;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Element operator*() const { return element_; }
    Iterator& operator++() {
      element_ = element_.Next();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class Array;
    explicit Iterator(const Element& element) : element_(element) {}
    Element element_;
  };

  Array() = default;

  Iterator begin() const { return Iterator(is_set() ? array_.At(array_.at_ + 1) : array_); }
  Iterator end() const {
    return Iterator(is_set() ? array_.At(array_.container_end() - 1) : array_);
  }
  // The number of elements, at most 16,777,215 even if there are more.
  size_t size() const { return is_set() ? array_.container_size() : 0; }

 private:
  friend class Element;
  explicit Array(const Element& array) : array_(array) {}
  bool is_set() const { return array_.tape_ != nullptr; }

  Element array_;
};

struct Field {
  std::string_view key;
  Element value;
};

// The fields of an object in the order of the text, including those with equal names. A
// default-constructed object is empty.
class Object {
 public:
  class Iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Field operator*() const {
      Field field;
      if (key_.Get(&field.key)) field.value = key_.At(key_.at_ + 1);
      return field;
    }
    Iterator& operator++() {
      key_ = key_.At(key_.at_ + 1).Next();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class Object;
    explicit Iterator(const Element& key) : key_(key) {}
    Element key_;
  };

  Object() = default;

  Iterator begin() const { return Iterator(is_set() ? object_.At(object_.at_ + 1) : object_); }
  Iterator end() const {
    return Iterator(is_set() ? object_.At(object_.container_end() - 1) : object_);
  }
  // The number of fields, at most 16,777,215 even if there are more.
  size_t size() const { return is_set() ? object_.container_size() : 0; }

 private:
  friend class Element;
  explicit Object(const Element& object) : object_(object) {}
  bool is_set() const { return object_.tape_ != nullptr; }

  Element object_;
};

// Parses one document after the other and keeps its buffers in between, so a thread should reuse
// its parser. Never throws. Not thread-safe.
class Parser {
 public:
  Parser();
  ~Parser();

  // The root of the document. The root and everything read from it hold until the next call. Text
  // that is not one complete JSON document in UTF-8 is a kSerialization error with no message,
  // which is how the service answers it.
  Result<Element> Parse(std::string_view padded_text);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// The typed contents of an element whose type the caller has checked; zero or empty otherwise.
inline std::string_view StringOf(const Element& element) {
  std::string_view text;
  return element.Get(&text) ? text : std::string_view();
}
inline bool BoolOf(const Element& element) {
  bool flag = false;
  return element.Get(&flag) && flag;
}
// Fractions are cut off and values out of range clamped, as Java's number conversions do.
int64_t IntegerOf(const Element& element);
inline Object ObjectOf(const Element& element) {
  Object object;
  return element.Get(&object) ? object : Object();
}
inline Array ArrayOf(const Element& element) {
  Array array;
  return element.Get(&array) ? array : Array();
}

// The member with that name, or the last of several, as most parsers do. A null member counts as
// absent.
std::optional<Element> Find(const Object& object, std::string_view name);

// JSON text without blanks.
std::string Minify(const Element& element);
std::string Minify(const Object& object);

bool IsUtf8(std::string_view text);
// The text, or if it is not UTF-8, its ASCII characters with question marks for all other bytes.
// For messages that repeat what a client has sent.
std::string AsUtf8(std::string_view text);

// The request path reads every element, so these are inline.

inline ElementType Element::type() const {
  switch (tag()) {
    case '{':
      return ElementType::kObject;
    case '[':
      return ElementType::kArray;
    case '"':
      return ElementType::kString;
    case 'l':
      return ElementType::kInteger;
    case 'u':
      return ElementType::kUnsignedInteger;
    case 'd':
      return ElementType::kDouble;
    case 't':
    case 'f':
      return ElementType::kBool;
    default:
      return ElementType::kNull;
  }
}

inline Element Element::Next() const {
  switch (tag()) {
    case '{':
    case '[':
      return At(container_end());
    case 'l':
    case 'u':
    case 'd':
      return At(at_ + 2);
    default:
      return At(at_ + 1);
  }
}

inline bool Element::Get(std::string_view* value) const {
  if (tag() != '"') return false;
  const char* const string = strings_ + (tape_[at_] & 0x00FF'FFFF'FFFF'FFFF);
  uint32_t length = 0;
  std::memcpy(&length, string, sizeof(length));
  *value = {string + sizeof(length), length};
  return true;
}

inline bool Element::Get(bool* value) const {
  if (tag() != 't' && tag() != 'f') return false;
  *value = tag() == 't';
  return true;
}

inline bool Element::Get(int64_t* value) const {
  if (tag() != 'l') return false;
  *value = NumberAt<int64_t>();
  return true;
}

inline bool Element::Get(uint64_t* value) const {
  if (tag() != 'u') return false;
  *value = NumberAt<uint64_t>();
  return true;
}

inline bool Element::Get(double* value) const {
  switch (tag()) {
    case 'd':
      *value = NumberAt<double>();
      return true;
    case 'l':
      *value = static_cast<double>(NumberAt<int64_t>());
      return true;
    case 'u':
      *value = static_cast<double>(NumberAt<uint64_t>());
      return true;
    default:
      return false;
  }
}

inline bool Element::Get(Object* value) const {
  if (!is_object()) return false;
  *value = Object(*this);
  return true;
}

inline bool Element::Get(Array* value) const {
  if (!is_array()) return false;
  *value = Array(*this);
  return true;
}

}  // namespace monotable::json
