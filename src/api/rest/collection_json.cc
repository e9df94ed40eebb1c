#include "api/rest/collection_json.h"

#include <algorithm>

namespace monotable::api::rest {
namespace {

// Whether a field is of a member: lines or lines.Quantity.
bool IsOf(std::string_view field, std::string_view member) {
  return field.starts_with(member) &&
         (field.size() == member.size() || field[member.size()] == '.');
}

}  // namespace

CollectionJson::CollectionJson(const ServedPattern& pattern, const ReadOptions& options)
    : root_(*pattern.entity) {
  presentation_.numbers_as_strings = options.presentation.numbers_as_strings;
  const std::vector<std::string>& fields = options.presentation.fields;
  std::vector<bool> taken(fields.size());
  for (const auto& member : pattern.collection->members) {
    const bool expanded = options.expand.empty() ||
                          std::find(options.expand.begin(), options.expand.end(), member.name) !=
                              options.expand.end();
    Member shown{&member, {presentation_.numbers_as_strings, {}}};
    bool named = fields.empty() || !options.expand.empty();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!IsOf(fields[i], member.name)) continue;
      named = true;
      taken[i] = true;
      if (fields[i].size() > member.name.size()) {
        shown.presentation.fields.push_back(fields[i].substr(member.name.size() + 1));
      }
    }
    if (expanded && named) members_.push_back(std::move(shown));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!taken[i]) presentation_.fields.push_back(fields[i]);
  }
}

bool CollectionJson::HasRoot(const std::vector<entities::Found>& items) const {
  return std::any_of(items.begin(), items.end(),
                     [&](const entities::Found& found) { return found.entity == &root_; });
}

void CollectionJson::Append(const std::vector<entities::Found>& items, json::Writer* writer) const {
  std::string* out = writer->out();
  const auto root = std::find_if(items.begin(), items.end(), [&](const entities::Found& found) {
    return found.entity == &root_;
  });
  if (root == items.end()) {
    writer->BeginObject();
  } else {
    entities::AppendJson(root_, encoding::ItemView(root->item), presentation_, out, true);
  }
  for (const Member& member : members_) {
    writer->Key(member.model->name);
    if (member.model->many) writer->BeginArray();
    bool any = false;
    for (const entities::Found& found : items) {
      if (found.entity->name() != member.model->entity || (any && !member.model->many)) continue;
      if (any) out->push_back(',');
      any = true;
      entities::AppendJson(*found.entity, encoding::ItemView(found.item), member.presentation, out);
    }
    if (member.model->many) {
      writer->EndArray();
    } else if (!any) {
      writer->Raw("null");
    }
  }
}

}  // namespace monotable::api::rest
