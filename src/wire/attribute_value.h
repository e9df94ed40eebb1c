#pragma once

#include <cstddef>

#include "encoding/item.h"
#include "error/result.h"
#include "item/value.h"
#include "json/json_writer.h"
#include "json/parse.h"
#include "wire/shape.h"

// Attribute values on the wire: {"S":"text"}, {"N":"1"}, {"M":{…}} and so on.
namespace monotable::wire {

// The shape of an attribute value, which contains itself.
extern const Shape kAttributeValueShape;

// Whether the depth of a value is checked. Values of expressions in a transaction may be nested
// deeper than an item; the item that such a value becomes part of is checked instead.
enum class Nesting { kChecked, kUnchecked };

// Decode elements whose JSON types have been checked (type_check.h). Errors have the wording of the
// service.
Result<item::Value> DecodeValue(const json::Element& element, Nesting nesting = Nesting::kChecked);
Result<item::Item> DecodeItem(const json::Object& object);

// Prints an item from its encoded bytes, without decoding them; nothing if the work is stopped.
void EncodeItem(const encoding::ItemView& item, json::Writer* writer);
// About how many bytes a printed item takes, so that a caller who prints many can reserve them.
size_t ExpectedSize(const encoding::ItemView& item);
// Prints one of the few items of an answer that do not come from the store.
void EncodeItem(const item::Item& item, json::Writer* writer);

}  // namespace monotable::wire
