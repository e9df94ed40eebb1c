#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "item/value.h"

namespace monotable::expression {

// One step of a document path: into a map by attribute name, or into a list by position.
struct PathElement {
  std::string_view name;  // of a map's attribute; not meaningful with an index
  std::optional<uint32_t> index;

  friend bool operator==(const PathElement& a, const PathElement& b) {
    return a.index == b.index && (a.index.has_value() || a.name == b.name);
  }
};

// A document path such as a.b[0], with its `#names` already replaced. The first element is always
// a name. A view: it lives as long as the bound expression it came from.
using Path = std::span<const PathElement>;

// What the path leads to in the item, or nullptr.
const item::Value* Resolve(Path path, const item::Item& item);

bool SamePath(Path a, Path b);

// "[a, b, [0]]", the way the service's messages show a path.
std::string Describe(Path path);

}  // namespace monotable::expression
