#pragma once

#include <string>
#include <string_view>

#include "encoding/item.h"
#include "item/value.h"

// Key values as bytes that sort as DynamoDB sorts them: strings and binaries by their bytes,
// numbers by value. The layout is in docs/storage-format.md.
namespace monotable::encoding {

// Appends a string, number or binary so that any sequence of such components compares component by
// component: no component is a prefix of another one.
void AppendKeyComponent(const item::Value& value, std::string* out);
void AppendKeyComponent(const ValueView& value, std::string* out);

// Appends the bytes with which every component starts whose string or binary begins with value:
// the form for begins_with.
void AppendKeyPrefix(const item::Value& value, std::string* out);

// How many bytes of a key value count towards kMaxHashKeyBytes and kMaxRangeKeyBytes.
size_t KeyBytes(const item::Value& value);
// The same for an encoded value. A number counts by its text, which is far below every limit.
inline size_t KeyBytes(const ValueView& value) {
  return value.scalar().size();
}

// The smallest byte string greater than every string that starts with prefix; empty (no bound) if
// there is none.
std::string PrefixEnd(std::string_view prefix);

}  // namespace monotable::encoding
