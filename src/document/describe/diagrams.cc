#include "document/describe/diagrams.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::document {
namespace {

bool IsPlainNameCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_';
}

// Mermaid takes plain names only; anything else becomes an underscore.
std::string Name(std::string_view text) {
  std::string name;
  for (const char c : text) name += IsPlainNameCharacter(c) ? c : '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "_");
  return name;
}

// Text between double quotes of Mermaid, whose only escapes are those of HTML.
std::string Label(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (c == '"') {
      label += "#quot;";
    } else if (c == '#') {
      label += "#35;";
    } else if (c == '\n') {
      label += ' ';
    } else {
      label += c;
    }
  }
  return label;
}

std::string Fenced(const std::string& diagram) {
  return fmt::format("```mermaid\n{}```\n\n", diagram);
}

bool InKey(const model::EntityModel& entity, std::string_view attribute, bool primary) {
  return std::any_of(entity.keys.begin(), entity.keys.end(), [&](const model::KeyModel& key) {
    if (key.index.empty() != primary) return false;
    return std::any_of(key.parts.begin(), key.parts.end(), [&](const model::KeyModel::Part& part) {
      const std::vector<std::string> used = part.text.attributes();
      return std::find(used.begin(), used.end(), attribute) != used.end();
    });
  });
}

std::string_view DiagramType(const model::TypeModel& type) {
  switch (type.kind) {
    case model::TypeKind::kInteger:
      return "integer";
    case model::TypeKind::kDecimal:
      return "decimal";
    case model::TypeKind::kBoolean:
      return "boolean";
    case model::TypeKind::kInstant:
      return "instant";
    case model::TypeKind::kDate:
      return "date";
    case model::TypeKind::kBinary:
      return "binary";
    case model::TypeKind::kObject:
      return "object";
    case model::TypeKind::kList:
      return "list";
    case model::TypeKind::kSet:
      return "set";
    case model::TypeKind::kMap:
      return "map";
    case model::TypeKind::kAny:
      return "any";
    case model::TypeKind::kString:
    case model::TypeKind::kEnum:
      return "string";
  }
  return "any";
}

// The attributes in keys and the attributes that refer to other entities. More attributes would
// make the diagram unreadable, and the attribute tables list them all.
std::string EntityBox(const model::EntityModel& entity) {
  std::string box = fmt::format("  {} {{\n", Name(entity.name));
  for (const model::AttributeModel& attribute : entity.attributes) {
    std::string role;
    if (InKey(entity, attribute.name, true)) {
      role = " PK";
    } else if (!attribute.references.empty()) {
      role = " FK";
    } else if (!InKey(entity, attribute.name, false)) {
      continue;
    }
    if (role == " PK" && !attribute.references.empty()) role = " PK, FK";
    box += fmt::format("    {} {}{}\n", DiagramType(attribute.type), Name(attribute.name), role);
  }
  return box + "  }\n";
}

// Where a step reads: the node of the table or of the index.
std::string TargetNode(const std::string& table, const std::string& index) {
  return index.empty() ? Name(table) : Name(table + "_" + index);
}

std::string KeyNameText(const table::KeySchema& key) {
  std::string names;
  for (const auto* part : {&key.hash, &key.range}) {
    for (const table::KeyAttribute& attribute : *part) {
      if (!names.empty()) names += " / ";
      names += attribute.name;
    }
  }
  return names;
}

}  // namespace

std::string StateDiagram(const model::EnumModel& states) {
  if (states.transitions != model::EnumModel::Transitions::kListed) return "";
  std::string diagram = "stateDiagram-v2\n";
  for (const model::EnumModel::Value& value : states.values) {
    if (const std::string name = Name(value.text); name != value.text) {
      diagram += fmt::format("  state \"{}\" as {}\n", Label(value.text), name);
    }
  }
  if (!states.initial.empty()) diagram += fmt::format("  [*] --> {}\n", Name(states.initial));
  for (const model::EnumModel::Value& value : states.values) {
    const std::vector<std::string> next = states.AllowedFrom(value.text);
    for (const std::string& to : next) {
      diagram += fmt::format("  {} --> {}\n", Name(value.text), Name(to));
    }
    if (next.empty()) diagram += fmt::format("  {} --> [*]\n", Name(value.text));
  }
  return Fenced(diagram);
}

std::string EntityDiagram(const model::Model& model) {
  std::string diagram = "erDiagram\n";
  for (const model::EntityModel& entity : model.entities) diagram += EntityBox(entity);
  for (const model::EntityModel& entity : model.entities) {
    if (!entity.parent.empty()) {
      diagram += fmt::format("  {} ||--{} {} : \"{}\"\n", Name(entity.parent),
                             entity.cardinality == model::Cardinality::kOne ? "o|" : "o{",
                             Name(entity.name), Label(entity.path));
    }
    for (const model::AttributeModel& attribute : entity.attributes) {
      if (attribute.references.empty() || attribute.references == entity.parent) continue;
      diagram +=
          fmt::format("  {} {}--o{{ {} : \"{}\"\n", Name(attribute.references),
                      attribute.required ? "||" : "|o", Name(entity.name), Label(attribute.name));
    }
  }
  return Fenced(diagram);
}

std::string AccessDiagram(const model::Model& model, const std::vector<model::ReadPlan>& plans) {
  std::string diagram = "graph LR\n  API[\"API\"]\n";
  for (const model::TableModel& table : model.tables) {
    diagram += fmt::format("  {}[(\"{}: {}\")]\n", TargetNode(table.id, ""), Label(table.name),
                           Label(KeyNameText(table.key)));
    for (const model::IndexModel& index : table.indexes) {
      diagram += fmt::format("  {}[(\"{}: {}\")]\n", TargetNode(table.id, index.name),
                             Label(index.name), Label(KeyNameText(index.key)));
    }
  }
  bool scans = false;
  for (size_t i = 0; i < plans.size(); ++i) {
    const model::PatternModel& pattern = model.patterns[i];
    const std::string label =
        Label(pattern.id.empty() ? pattern.name : pattern.id + " " + pattern.name);
    if (plans[i].steps.empty()) {
      scans = true;
      diagram += fmt::format("  API -.->|\"{}\"| unserved\n", label);
      continue;
    }
    std::vector<std::string> drawn;
    for (const model::ReadStep& step : plans[i].steps) {
      const std::string target = TargetNode(step.table, step.index);
      if (std::find(drawn.begin(), drawn.end(), target) != drawn.end()) continue;
      drawn.push_back(target);
      diagram += fmt::format("  API -->|\"{}\"| {}\n", label, target);
    }
  }
  if (scans) diagram += "  unserved[\"no key serves it\"]\n";
  return Fenced(diagram);
}

}  // namespace monotable::document
