#include "entities/read/item_attributes.h"

#include <utility>

#include "entities/record.h"

namespace monotable::entities {
namespace {

using encoding::ValueView;

// A member of a map by its path; the value itself if the path is empty.
std::optional<ValueView> Descend(ValueView value, std::string_view path) {
  while (!path.empty()) {
    if (value.type() != item::Type::kMap) return std::nullopt;
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    encoding::MapView members = value.map();
    std::string_view found;
    do {
      if (!members.Next(&found, &value)) return std::nullopt;
    } while (found != name);
  }
  return value;
}

std::optional<ValueView> FindStored(const Entity& entity, encoding::ItemView item,
                                    std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  if (entity.InEnvelope(name)) {
    const auto envelope = item.Find(entity.model->envelope);
    return envelope ? Descend(*envelope, path) : std::nullopt;
  }
  const auto value = item.Find(name);
  if (!value) return std::nullopt;
  return Descend(*value, path.substr(std::min(name.size() + 1, path.size())));
}

std::optional<item::Value> ReadOutOfKey(const Entity& entity, encoding::ItemView item,
                                        std::string_view path) {
  const model::TypeModel* type = entity.model->FindPath(path);
  if (type == nullptr) return std::nullopt;
  for (const model::KeyModel::Part& part : entity.model->primary().parts) {
    const auto text = item.Find(part.attribute);
    if (!text || text->type() != item::Type::kString) continue;
    const auto bindings = part.text.Match(text->scalar(), entity.application->key_rules());
    if (!bindings) continue;
    for (const model::Template::Binding& binding : *bindings) {
      if (binding.attribute == path) return ValueOfKeyText(*type, binding.text);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<item::Value> ItemAttributes::Read(std::string_view path) const {
  if (const auto stored = FindStored(entity_, item_, path)) {
    auto decoded = stored->Decode();
    if (!decoded || decoded->is(item::Type::kNull)) return std::nullopt;
    return *std::move(decoded);
  }
  return ReadOutOfKey(entity_, item_, path);
}

const item::Value* ItemAttributes::Find(std::string_view path) {
  auto [place, is_new] = read_.try_emplace(std::string(path));
  if (is_new) place->second = Read(path);
  return place->second ? &*place->second : nullptr;
}

}  // namespace monotable::entities
