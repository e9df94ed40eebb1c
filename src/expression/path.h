#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
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

// Several document paths merged by their common beginnings. The names are views, so a tree must not
// outlive the expression that the paths came from. Immutable, hence thread-safe.
class PathTree {
 public:
  // No path may equal or begin another ("overlap"), and no two may treat one value as a map and as
  // a list ("conflict"). `parameter` names the expression in the messages that say so.
  static Result<PathTree> Merge(std::span<const Path> paths, std::string_view parameter);

  // The part of the item the paths lead to. As in the service, selected list elements move together
  // in ascending order, and maps and lists in which nothing was found are left out.
  item::Item Project(const item::Item& item) const;

  // The top-level attributes, each once, sorted.
  std::vector<std::string_view> TopLevelNames() const;
  // Those top-level attributes into which some path leads further.
  std::vector<std::string_view> NestedNames() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Node {
    PathElement element;
    uint32_t first_child = kNone;
    uint32_t next_sibling = kNone;  // siblings ascend
    uint32_t path = 0;              // the first path that came through here
    bool is_end = false;            // whether that path ends here
  };

  PathTree() : nodes_(1) {}

  // Where a path that cannot be added clashes with an earlier one.
  struct Clash {
    std::string_view how;
    uint32_t earlier = 0;
  };
  std::optional<Clash> Add(Path path, uint32_t number);
  // The child of a node for an element, made for path `number` if it is not there.
  uint32_t Child(uint32_t parent, const PathElement& element, uint32_t number);

  item::Map ProjectMap(uint32_t parent, const item::Map& map) const;
  item::List ProjectList(uint32_t parent, const item::List& list) const;
  std::optional<item::Value> ProjectValue(uint32_t node, const item::Value& value) const;

  std::vector<Node> nodes_;  // the first is the root
};

}  // namespace monotable::expression
