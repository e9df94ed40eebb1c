#pragma once

#include <cstddef>
#include <string>

#include "encoding/item.h"
#include "error/result.h"
#include "item/value.h"
#include "json/json_writer.h"
#include "json/parse.h"

// Attribute values on the wire: {"S":"text"}, {"N":"1"}, {"M":{…}} and so on.
namespace monotable::api::dynamodb {

// Values of expressions in a transaction may be nested deeper than those of an item; it is the
// item they end up in that is checked.
enum class Nesting { kChecked, kUnchecked };

// Both take elements whose JSON types have been checked (type_check.h). Errors have the wording of
// the service.
Result<item::Value> DecodeValue(const json::Element& element, Nesting nesting = Nesting::kChecked);
Result<item::Item> DecodeItem(const json::Object& object);

// Print from the encoded bytes, without decoding.
void EncodeItem(const encoding::ItemView& item, json::Writer* writer);
// How long that will be, roughly, for those who print many and make room at once.
size_t ExpectedSize(const encoding::ItemView& item);
// For the few items of an answer that do not come from the store.
void EncodeItem(const item::Item& item, json::Writer* writer);

}  // namespace monotable::api::dynamodb
