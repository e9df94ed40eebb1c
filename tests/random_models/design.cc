#include "random_models/design.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace monotable::random_models {
namespace {

void AddAttributes(const Template& text, std::vector<std::string>* names) {
  for (const Piece& piece : text) {
    if (piece.attribute.empty()) continue;
    if (std::find(names->begin(), names->end(), piece.attribute) != names->end()) continue;
    names->push_back(piece.attribute);
  }
}

std::string FormulaText(const Formula& formula) {
  switch (formula.kind) {
    case Formula::Kind::kSum:
      return fmt::format("sum({}.{})", formula.first, formula.second);
    case Formula::Kind::kCount:
      return fmt::format("count({})", formula.first);
    case Formula::Kind::kAdd:
      return fmt::format("{} + {}", formula.first, formula.second);
    case Formula::Kind::kRelated:
      break;
  }
  return fmt::format("{}.{}", formula.first, formula.second);
}

std::string TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return "integer";
    case Kind::kState:
      return "State";
    case Kind::kInstant:
      return "instant";
    case Kind::kText:
      break;
  }
  return "string";
}

std::string YamlOf(const AttributeDesign& attribute) {
  std::string text = fmt::format("{{type: {}", TypeOf(attribute.kind));
  if (attribute.required) text += ", required: true";
  if (!attribute.ref.empty()) text += ", ref: " + attribute.ref;
  if (attribute.preset) text += ", default: " + *attribute.preset;
  if (attribute.max) text += fmt::format(", max: {}", *attribute.max);
  if (attribute.derive) text += fmt::format(", derive: \"{}\"", FormulaText(*attribute.derive));
  if (attribute.stamp == Stamp::kOnCreate) text += ", set: on_create";
  if (attribute.stamp == Stamp::kOnWrite) text += ", set: on_write";
  if (attribute.stamp == Stamp::kCallerOnCreate) text += ", set: caller_on_create";
  return text + "}";
}

std::string YamlOf(const EntityDesign& entity) {
  std::string text = fmt::format("  {}:\n    path: {}s\n", entity.name, entity.name);
  if (!entity.parent.empty()) text += fmt::format("    parent: {}\n", entity.parent);
  if (entity.only_one) text += "    cardinality: one\n";
  if (!entity.id.empty()) {
    text += fmt::format(
        "    id: {{attribute: {}{}}}\n", entity.id,
        entity.generated ? fmt::format(", format: \"{}-{{n:03}}\", generate: counter", entity.name)
                         : "");
  }
  text += fmt::format("    keys:\n      primary: {{PK: \"{}\", SK: \"{}\"}}\n", TextOf(entity.hash),
                      TextOf(entity.range));
  for (const IndexKeyDesign& key : entity.indexes) {
    text += fmt::format("      {0}: {{{0}PK: \"{1}\", {0}SK: \"{2}\"{3}}}\n", key.index,
                        TextOf(key.hash), TextOf(key.range),
                        key.in_state.empty() ? "" : ", when: \"state == " + key.in_state + "\"");
  }
  text += "    attributes:\n";
  for (const AttributeDesign& attribute : entity.attributes) {
    text += fmt::format("      {}: {}\n", attribute.name, YamlOf(attribute));
  }
  if (!entity.from_key.empty()) {
    text += fmt::format("    from_key: [{}]\n", fmt::join(entity.from_key, ", "));
  }
  if (entity.envelope) text += "    envelope: {attribute: data, outside: [state]}\n";
  if (!entity.unique.empty()) text += "    unique:\n";
  for (const UniqueDesign& unique : entity.unique) {
    text += fmt::format("      - {{name: {}, fields: [\"{{{}}}\"], scope: [{}]}}\n", unique.name,
                        unique.attribute, fmt::join(unique.scope, ", "));
  }
  if (!entity.copies.empty()) text += "    copies:\n";
  for (const CopyDesign& copy : entity.copies) {
    text += fmt::format("      - {{set: {}, from: {}.{}, via: {}, mode: {}{}}}\n", copy.attribute,
                        copy.source, copy.source_attribute, copy.via, copy.live ? "live" : "once",
                        copy.frozen_in.empty()
                            ? ""
                            : fmt::format(", freeze_when: \"state == {}\"", copy.frozen_in));
  }
  if (!entity.asserts.empty()) text += "    assert:\n";
  for (const AssertDesign& rule : entity.asserts) {
    text +=
        fmt::format("      - {{name: {0}, that: \"{1} == null or {2} == null or {1} <= {2}\"}}\n",
                    rule.name, rule.first, rule.second);
  }
  if (entity.ttl) {
    text += fmt::format(
        "    ttl: {{base: {}, after: {}s{}, hide_expired: {}}}\n", entity.ttl->base,
        entity.ttl->seconds,
        entity.ttl->in_state.empty() ? "" : ", when: \"state == " + entity.ttl->in_state + "\"",
        entity.ttl->hides);
  }
  if (entity.moves) text += "    on_key_change: move\n";
  std::string on_delete;
  if (entity.cascades) on_delete = "cascade: collection";
  if (!entity.restricted_by.empty()) {
    on_delete += fmt::format("{}restrict_if: {}Of{}", on_delete.empty() ? "" : ", ",
                             entity.restricted_by, entity.name);
  }
  if (!on_delete.empty()) text += fmt::format("    delete: {{{}}}\n", on_delete);
  return text;
}

std::string YamlOf(const Design& design, const OperationDesign& operation) {
  const EntityDesign& entity = *design.Find(operation.entity);
  std::string text = fmt::format("  {}:\n", operation.name);
  if (operation.kind == OperationDesign::Kind::kPutAll) {
    return text + fmt::format(
                      "    route: POST /ops/{0}\n"
                      "    input: {{root: {1}, kids: \"{2}[0..3]\"}}\n"
                      "    transact:\n"
                      "      - {{put: {1}, from: root}}\n"
                      "      - {{put: {2}, each: kids}}\n",
                      operation.name, entity.name, operation.child);
  }
  std::string path;
  std::string inputs;
  for (const std::string& name : entity.KeyAttributes()) {
    if (name == kTenant) continue;
    path += "/{" + name + "}";
    inputs +=
        fmt::format("{}{}: {}!", inputs.empty() ? "" : ", ", name, TypeOf(entity.Find(name)->kind));
  }
  text += fmt::format("    route: \"POST /ops/{}{}\"\n    input: {{{}}}\n    transact:\n",
                      operation.name, path, inputs);
  if (operation.kind == OperationDesign::Kind::kDelete) {
    return text + fmt::format("      - {{delete: {}}}\n", entity.name);
  }
  return text + fmt::format("      - {{update: {0}, set: {{{1}: {1} + 1{2}}}}}\n", entity.name,
                            operation.number,
                            operation.state.empty() ? "" : ", state: " + operation.state);
}

}  // namespace

const AttributeDesign* EntityDesign::Find(std::string_view attribute) const {
  for (const AttributeDesign& one : attributes) {
    if (one.name == attribute) return &one;
  }
  return nullptr;
}

std::vector<std::string> EntityDesign::KeyAttributes() const {
  std::vector<std::string> names;
  AddAttributes(hash, &names);
  AddAttributes(range, &names);
  return names;
}

bool EntityDesign::IsFromKey(std::string_view attribute) const {
  return std::find(from_key.begin(), from_key.end(), attribute) != from_key.end();
}

bool EntityDesign::IsReadOnly(std::string_view attribute) const {
  const AttributeDesign* found = Find(attribute);
  if (found != nullptr && (found->derive || found->stamp != Stamp::kNone)) return true;
  return std::any_of(copies.begin(), copies.end(),
                     [&](const CopyDesign& copy) { return copy.attribute == attribute; });
}

const EntityDesign* Design::Find(std::string_view entity) const {
  for (const EntityDesign& one : entities) {
    if (one.name == entity) return &one;
  }
  return nullptr;
}

const OperationDesign* Design::FindOperation(std::string_view name) const {
  for (const OperationDesign& one : operations) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const MemberDesign* Design::FindMember(std::string_view root, std::string_view member) const {
  for (const MemberDesign& one : members) {
    if (one.root == root && one.name == member) return &one;
  }
  return nullptr;
}

bool Design::HasChildren(std::string_view entity) const {
  return std::any_of(entities.begin(), entities.end(),
                     [&](const EntityDesign& one) { return one.parent == entity; });
}

std::string TextOf(const Template& text) {
  std::string result;
  for (const Piece& piece : text) {
    result += piece.literal;
    if (piece.attribute.empty()) continue;
    result += "{" + piece.attribute;
    if (piece.width > 0) result += fmt::format(":0{}", piece.width);
    result += "}";
  }
  return result;
}

std::string YamlOf(const Design& design) {
  std::string text = "format: stm/1\nmodel: random\n";
  text += "tables:\n  main:\n";
  text += fmt::format("    name: {}\n", kTable);
  text += "    keys: {hash: \"PK S\", range: \"SK S\"}\n    rules: enforce\n";
  if (design.has_type) text += "    type_attribute: type\n";
  if (design.has_version) text += "    version_attribute: _v\n";
  text += "    ttl_attribute: ttl\n    indexes:\n";
  for (int i = 1; i <= 3; ++i) {
    text +=
        fmt::format("      GSI{0}: {{hash: \"GSI{0}PK S\", range: \"GSI{0}SK S\", project: {1}}}\n",
                    i, i == 3 ? "keys" : "all");
  }
  if (design.has_tenants) {
    text += fmt::format("tenancy: {{attribute: {}, claim: tenant_id}}\n", kTenant);
  }
  text += "enums:\n  State:\n    values: [OPEN, BUSY, DONE]\n    initial: OPEN\n    transitions:\n";
  for (const auto& [from, to] : design.transitions) {
    text += fmt::format("      {}: [{}]\n", from, fmt::join(to, ", "));
  }
  text += "entities:\n";
  for (const EntityDesign& entity : design.entities) text += YamlOf(entity);
  std::map<std::string, std::string> collections;
  for (const MemberDesign& member : design.members) {
    std::string& list = collections[member.root];
    list += fmt::format("{}{}: \"{}{}\"", list.empty() ? "" : ", ", member.name, member.entity,
                        design.Find(member.entity)->only_one ? "" : "[]");
  }
  if (!collections.empty()) text += "collections:\n";
  for (const auto& [root, list] : collections) {
    text += fmt::format("  {0}Full: {{root: {0}, members: {{{1}}}, partition: \"{2}\"}}\n", root,
                        list, TextOf(design.Find(root)->hash));
  }
  std::string patterns;
  for (const EntityDesign& entity : design.entities) {
    if (entity.restricted_by.empty()) continue;
    const EntityDesign& other = *design.Find(entity.restricted_by);
    const auto key = std::find_if(
        other.indexes.begin(), other.indexes.end(), [&](const IndexKeyDesign& candidate) {
          std::vector<std::string> names;
          AddAttributes(candidate.hash, &names);
          return std::find(names.begin(), names.end(), entity.id) != names.end();
        });
    patterns +=
        fmt::format("  - {{name: {0}Of{1}, list: {0}, index: {2}, where: \"{2}PK = {3}\"}}\n",
                    other.name, entity.name, key->index, TextOf(key->hash));
  }
  if (!patterns.empty()) text += "patterns:\n" + patterns;
  if (!design.operations.empty()) text += "operations:\n";
  for (const OperationDesign& operation : design.operations) text += YamlOf(design, operation);
  return text;
}

}  // namespace monotable::random_models
