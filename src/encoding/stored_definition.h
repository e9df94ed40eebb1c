#pragma once

#include <string>
#include <string_view>

#include "error/result.h"
#include "table/definition.h"

// Table definitions at rest. A definition is stored as an item (encoding/item.h), so that there is
// no second format: attributes that this version does not know are ignored and missing ones take
// their defaults, which lets neighbouring versions read each other's catalog.
namespace monotable::encoding {

std::string EncodeDefinition(const table::TableDefinition& definition);

// A damaged record is an internal error, never a crash.
Result<table::TableDefinition> DecodeDefinition(std::string_view record);

}  // namespace monotable::encoding
