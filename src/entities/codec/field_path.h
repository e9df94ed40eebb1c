#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace monotable::entities {

// Where a value stands in a request. Parts are linked from the inside out, on the stack of what
// walks through the value, and become text only when something is wrong.
class FieldPath {
 public:
  // A JSON pointer, or the name of a parameter. It must outlive the path, as parents must.
  explicit FieldPath(std::string_view root) : name_(root) {}
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  FieldPath(const FieldPath& parent, size_t index)
      : parent_(&parent), index_(index), is_index_(true) {}

  // /lines/0/Quantity, as RFC 6901 has it.
  std::string Pointer() const;
  // The same for people: lines[0].Quantity.
  std::string Readable() const;

 private:
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace monotable::entities
