#include "entities/codec/key_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "entities/record.h"

namespace monotable::entities {
namespace {

// The pointer of an attribute by its path with dots. Names of attributes in keys have no slashes.
std::string PointerOf(const FieldPath& root, std::string attribute) {
  std::replace(attribute.begin(), attribute.end(), '.', '/');
  return root.Pointer() + "/" + attribute;
}

}  // namespace

void CheckKeyTexts(const CodecContext& context, const Entity& entity, const item::Map& attributes,
                   const FieldPath& path) {
  const model::Template::Rules rules = context.application.key_rules();
  std::vector<std::string_view> reported;  // an attribute may be part of several keys
  for (const model::KeyModel& key : entity.model->keys) {
    if (key.when) continue;
    for (const model::KeyModel::Part& text : key.parts) {
      for (const model::TemplatePart& part : text.text.parts()) {
        if (part.is_literal()) continue;
        const item::Value* value = FindPath(attributes, part.attribute);
        if (value == nullptr || value->is(item::Type::kNull)) continue;
        const auto rendered = model::Template::PartText(part, *value, rules);
        if (rendered) continue;
        const bool is_known =
            std::find(reported.begin(), reported.end(), part.attribute) != reported.end();
        if (is_known) continue;
        reported.emplace_back(part.attribute);
        context.problems->push_back(
            {PointerOf(path, part.attribute), "key_text", rendered.error().message() + "."});
      }
    }
  }
}

}  // namespace monotable::entities
