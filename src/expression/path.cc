#include "expression/path.h"

#include <algorithm>
#include <string>
#include <utility>

#include "expression/substitutions.h"
#include "work/meter.h"

namespace monotable::expression {

namespace {

// What one step of a path costs, beside the bytes of its name.
constexpr size_t kStepUnits = 16;

}  // namespace

const item::Value* Resolve(Path path, const item::Item& item) {
  if (!work::Charge(kStepUnits + path.front().name.size())) return nullptr;
  const item::Value* value = item.Find(path.front().name);
  for (const PathElement& element : path.subspan(1)) {
    if (value == nullptr || !work::Charge(kStepUnits + element.name.size())) return nullptr;
    if (element.index) {
      if (!value->is(item::Type::kList) || *element.index >= value->list().size()) return nullptr;
      value = &value->list()[*element.index];
    } else {
      if (!value->is(item::Type::kMap)) return nullptr;
      value = value->map().Find(element.name);
    }
  }
  return value;
}

bool SamePath(Path a, Path b) {
  return std::ranges::equal(a, b);
}

std::string Describe(Path path) {
  std::string text = "[";
  for (const PathElement& element : path) {
    if (text.size() > 1) text += ", ";
    if (element.index) {
      text.append("[").append(std::to_string(*element.index)).append("]");
    } else {
      text += element.name;
    }
  }
  return text += "]";
}

namespace {

bool Before(const PathElement& a, const PathElement& b) {
  return a.index ? *a.index < *b.index : a.name < b.name;
}

}  // namespace

Result<PathTree> PathTree::Merge(std::span<const Path> paths, std::string_view parameter) {
  PathTree tree;
  for (uint32_t number = 0; number < paths.size(); ++number) {
    if (const std::optional<Clash> clash = tree.Add(paths[number], number)) {
      std::string what = "Two document paths ";
      what.append(clash->how)
          .append(" with each other; must remove or rewrite one of these paths; path one: ")
          .append(Describe(paths[clash->earlier]))
          .append(", path two: ")
          .append(Describe(paths[number]));
      return InvalidExpression(parameter, what);
    }
  }
  return tree;
}

std::optional<PathTree::Clash> PathTree::Add(Path path, uint32_t number) {
  uint32_t at = 0;
  for (const PathElement& element : path) {
    if (nodes_[at].is_end) return Clash{"overlap", nodes_[at].path};
    if (const uint32_t child = nodes_[at].first_child; child != kNone) {
      const Node& node = nodes_[child];
      if (node.element.index.has_value() != element.index.has_value()) {
        return Clash{"conflict", node.path};
      }
    }
    at = Child(at, element, number);
  }
  if (nodes_[at].path != number) return Clash{"overlap", nodes_[at].path};
  nodes_[at].is_end = true;
  return std::nullopt;
}

uint32_t PathTree::Child(uint32_t parent, const PathElement& element, uint32_t number) {
  uint32_t previous = kNone;
  uint32_t next = nodes_[parent].first_child;
  // Work that is stopped stops here; its tree is not used.
  while (next != kNone && work::Charge(kStepUnits + element.name.size()) &&
         Before(nodes_[next].element, element)) {
    previous = std::exchange(next, nodes_[next].next_sibling);
  }
  if (next != kNone && nodes_[next].element == element) return next;
  const auto made = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({element, kNone, next, number, false});
  (previous == kNone ? nodes_[parent].first_child : nodes_[previous].next_sibling) = made;
  return made;
}

item::Item PathTree::Project(const item::Item& item) const {
  return ProjectMap(0, item);
}

item::Map PathTree::ProjectMap(uint32_t parent, const item::Map& map) const {
  item::Map::Attributes found;
  for (uint32_t at = nodes_[parent].first_child; at != kNone; at = nodes_[at].next_sibling) {
    const std::string_view name = nodes_[at].element.name;
    if (!work::Charge(kStepUnits + name.size())) break;
    const item::Value* value = map.Find(name);
    if (value == nullptr) continue;
    if (std::optional<item::Value> part = ProjectValue(at, *value)) {
      found.push_back({std::string(name), *std::move(part)});
    }
  }
  return item::Map::FromUnsorted(std::move(found));
}

item::List PathTree::ProjectList(uint32_t parent, const item::List& list) const {
  item::List found;
  for (uint32_t at = nodes_[parent].first_child; at != kNone; at = nodes_[at].next_sibling) {
    const uint32_t index = *nodes_[at].element.index;
    if (index >= list.size()) break;
    if (std::optional<item::Value> part = ProjectValue(at, list[index])) {
      found.push_back(*std::move(part));
    }
  }
  return found;
}

std::optional<item::Value> PathTree::ProjectValue(uint32_t node, const item::Value& value) const {
  if (nodes_[node].is_end) {
    if (!work::Charge(item::SizeOf(value))) return std::nullopt;
    return value;
  }
  const bool wants_list = nodes_[nodes_[node].first_child].element.index.has_value();
  if (wants_list && value.is(item::Type::kList)) {
    item::List found = ProjectList(node, value.list());
    if (!found.empty()) return item::Value(std::move(found));
  }
  if (!wants_list && value.is(item::Type::kMap)) {
    item::Map found = ProjectMap(node, value.map());
    if (!found.empty()) return item::Value(std::move(found));
  }
  return std::nullopt;
}

std::vector<std::string_view> PathTree::TopLevelNames() const {
  std::vector<std::string_view> names;
  for (uint32_t at = nodes_[0].first_child; at != kNone; at = nodes_[at].next_sibling) {
    names.push_back(nodes_[at].element.name);
  }
  return names;
}

std::vector<std::string_view> PathTree::NestedNames() const {
  std::vector<std::string_view> names;
  for (uint32_t at = nodes_[0].first_child; at != kNone; at = nodes_[at].next_sibling) {
    if (nodes_[at].first_child != kNone) names.push_back(nodes_[at].element.name);
  }
  return names;
}

}  // namespace monotable::expression
