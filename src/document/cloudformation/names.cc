#include "document/cloudformation/names.h"

#include "text/characters.h"

namespace monotable::document {
std::string LogicalId(std::string_view text) {
  std::string id;
  bool word_begins = true;
  for (char c : text) {
    if (!text::IsAlphanumeric(c)) {
      word_begins = true;
      continue;
    }
    if (word_begins) c = text::ToUpper(c);
    id += c;
    word_begins = false;
  }
  return id;
}

std::string TableLogicalId(const model::Model& model, const model::TableModel& table) {
  std::string id = LogicalId(model.tables.size() == 1 ? model.name : table.id);
  if (!id.ends_with("Table")) id += "Table";
  return id;
}

void WriteFilledIn(std::string_view text, std::string_view environment, json::Writer* out) {
  std::string filled;
  bool open = false;
  while (!text.empty()) {
    const size_t brace = text.find('{');
    const size_t end = brace == std::string_view::npos ? brace : text.find('}', brace);
    if (end == std::string_view::npos) break;
    filled += text.substr(0, brace);
    const std::string_view name = text.substr(brace + 1, end - brace - 1);
    const bool is_environment = name == "environment" || name == kEnvironmentParameter;
    if (is_environment && !environment.empty()) {
      filled += environment;
    } else {
      filled += "${";
      filled += is_environment ? kEnvironmentParameter : name;
      filled += "}";
      open = true;
    }
    text.remove_prefix(end + 1);
  }
  filled += text;
  if (!open) {
    out->String(filled);
    return;
  }
  out->BeginObject().Key("Fn::Sub").String(filled).EndObject();
}

void WriteRef(std::string_view name, json::Writer* out) {
  out->BeginObject().Key("Ref").String(name).EndObject();
}

}  // namespace monotable::document
