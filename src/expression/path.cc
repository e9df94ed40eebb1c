#include "expression/path.h"

#include <algorithm>

namespace monotable::expression {

const item::Value* Resolve(Path path, const item::Item& item) {
  const item::Value* value = item.Find(path.front().name);
  for (const PathElement& element : path.subspan(1)) {
    if (value == nullptr) return nullptr;
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

}  // namespace monotable::expression
