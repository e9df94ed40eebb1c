#include "document/describe/entities.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "document/describe/markdown.h"
#include "model/type_text.h"

namespace monotable::document {
namespace {

std::string KeyText(const model::KeyModel& key) {
  std::string text;
  for (const model::KeyModel::Part& part : key.parts) {
    if (!text.empty()) text += " / ";
    text += Code(part.text.text());
  }
  if (key.when) text += " when " + Code(key.when->text());
  return text;
}

std::string PartText(const model::KeyModel& key, const table::KeyAttribute& attribute) {
  const model::KeyModel::Part* part = key.Find(attribute.name);
  return part == nullptr ? "" : Code(part->text.text());
}

std::string Title(const model::EntityModel& entity) {
  return entity.title.empty() || entity.title == entity.name
             ? entity.name
             : fmt::format("{} ({})", entity.name, Prose(entity.title));
}

std::string_view SetByText(model::SetBy set) {
  switch (set) {
    case model::SetBy::kClient:
      return "";
    case model::SetBy::kOnCreate:
      return "set by the server when the item is created";
    case model::SetBy::kOnWrite:
      return "set by the server with every write";
    case model::SetBy::kCallerOnCreate:
      return "who created the item";
    case model::SetBy::kCallerOnWrite:
      return "who wrote the item last";
  }
  return "";
}

// What else there is to say of an attribute, as Markdown: who sets it, defaults, references.
std::string DescribeNotes(const model::AttributeModel& attribute) {
  std::vector<std::string> notes;
  if (!attribute.description.empty()) notes.push_back(Prose(attribute.description));
  if (attribute.set != model::SetBy::kClient) notes.emplace_back(SetByText(attribute.set));
  if (attribute.derive) notes.push_back("derived: " + Code(attribute.derive->text()));
  if (attribute.default_value) notes.push_back("default " + Code(attribute.default_value->text));
  if (!attribute.default_from.empty()) {
    notes.push_back("default from " + Code(attribute.default_from));
  }
  if (!attribute.references.empty()) notes.push_back("names a " + attribute.references);
  if (attribute.hidden) notes.emplace_back("hidden");
  if (!attribute.type.pattern.empty()) notes.push_back("matches " + Code(attribute.type.pattern));
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::string AttributeTable(const model::EntityModel& entity) {
  MarkdownTable table({"Attribute", "Type", "Required", "Notes"});
  for (const model::AttributeModel& attribute : entity.attributes) {
    std::string notes = DescribeNotes(attribute);
    const auto& from_key = entity.from_key;
    if (std::find(from_key.begin(), from_key.end(), attribute.name) != from_key.end()) {
      notes += notes.empty() ? "read out of the key" : "; read out of the key";
    }
    table.Add({Code(attribute.name), Prose(model::DescribeType(attribute.type)),
               attribute.required ? "yes" : "", notes});
  }
  return table.empty() ? "" : table.Text();
}

std::string CopyText(const model::CopyModel& copy) {
  std::string text = fmt::format("{} is copied from {} that {} names, {}", Code(copy.attribute),
                                 Code(copy.source_entity + "." + copy.source_attribute),
                                 Code(copy.via), copy.live ? "and follows it" : "once");
  if (copy.freeze_when) text += " until " + Code(copy.freeze_when->text());
  return text + ".";
}

std::string TtlText(const model::TtlModel& ttl) {
  constexpr int64_t kDay = 86'400;
  const std::string after = ttl.after_seconds % kDay == 0
                                ? fmt::format("{} days", ttl.after_seconds / kDay)
                                : fmt::format("{} seconds", ttl.after_seconds);
  std::string text = fmt::format("Expires {} after {}", after, Code(ttl.base));
  if (ttl.when) text += " once " + Code(ttl.when->text());
  if (ttl.hide_expired) text += "; expired items are hidden at once";
  return text + ".";
}

std::string UniqueText(const model::UniqueModel& unique) {
  std::vector<std::string> fields;
  for (const model::Template& field : unique.fields) fields.push_back(field.text());
  std::string text = fmt::format("Unique: {}", CodeList(fields));
  if (!unique.scope.empty()) text += " among items with the same " + CodeList(unique.scope);
  return fmt::format("{} ({}).", text, Code(unique.name));
}

std::string_view GenerateText(model::IdModel::Generate generate) {
  switch (generate) {
    case model::IdModel::Generate::kNone:
      return "given by the client";
    case model::IdModel::Generate::kCounter:
      return "counted up by the server";
    case model::IdModel::Generate::kUlid:
      return "a ULID of the server";
    case model::IdModel::Generate::kUuid:
      return "a UUID of the server";
  }
  return "";
}

std::vector<std::string> RuleLines(const model::EntityModel& entity) {
  std::vector<std::string> lines;
  if (entity.id) {
    std::string line = fmt::format("Its id is {}, {}", Code(entity.id->attribute),
                                   GenerateText(entity.id->generate));
    if (!entity.id->format.empty()) line += ", as " + Code(entity.id->format);
    lines.push_back(line + ".");
  }
  if (!entity.envelope.empty()) {
    std::string line = fmt::format("Attributes are inside the map {}", Code(entity.envelope));
    if (!entity.outside_envelope.empty()) line += " but " + CodeList(entity.outside_envelope);
    lines.push_back(line + ".");
  }
  for (const model::AssertModel& rule : entity.rules) {
    lines.push_back(fmt::format("{}{} ({}).", Code(rule.assertion.text()),
                                rule.on_create_only ? " when it is created" : "", Code(rule.name)));
  }
  for (const model::UniqueModel& unique : entity.unique) lines.push_back(UniqueText(unique));
  for (const model::CopyModel& copy : entity.copies) lines.push_back(CopyText(copy));
  if (entity.ttl) lines.push_back(TtlText(*entity.ttl));
  if (entity.on_key_change == model::KeyChange::kMove) {
    lines.emplace_back("A change of its primary key moves it, in one transaction.");
  }
  if (!entity.bump_attribute.empty()) {
    lines.push_back(fmt::format("If its key is taken, {} moves on by {} ms.",
                                Code(entity.bump_attribute), entity.bump_ms));
  }
  if (!entity.restrict_delete_if.empty()) {
    lines.push_back(fmt::format("Cannot be deleted while {} finds something.",
                                Code(entity.restrict_delete_if)));
  }
  if (entity.cascade_collection) lines.emplace_back("Deleting it deletes its collection.");
  return lines;
}

}  // namespace

std::string EntityChart(const model::Model& model, const model::TableModel& table) {
  std::vector<std::string> header = {"Entity"};
  std::vector<table::KeyAttribute> key = table.key.hash;
  key.insert(key.end(), table.key.range.begin(), table.key.range.end());
  for (const table::KeyAttribute& attribute : key) header.push_back(Code(attribute.name));
  for (const model::IndexModel& index : table.indexes) header.push_back(index.name);
  MarkdownTable chart(header);
  for (const model::EntityModel& entity : model.entities) {
    if (entity.table != table.id) continue;
    std::vector<std::string> row = {Title(entity)};
    for (const table::KeyAttribute& attribute : key) {
      row.push_back(PartText(entity.primary(), attribute));
    }
    for (const model::IndexModel& index : table.indexes) {
      const model::KeyModel* keys = entity.FindKeys(index.name);
      row.push_back(keys == nullptr ? "" : KeyText(*keys));
    }
    chart.Add(std::move(row));
  }
  return chart.empty() ? "" : chart.Text();
}

std::string DescribeEntity(const model::EntityModel& entity) {
  std::string text = fmt::format("### {}\n\n", Title(entity));
  if (!entity.description.empty()) text += Prose(entity.description) + "\n\n";
  text += AttributeTable(entity);
  const std::vector<std::string> lines = RuleLines(entity);
  for (const std::string& line : lines) text += "- " + line + "\n";
  if (!lines.empty()) text += "\n";
  return text;
}

}  // namespace monotable::document
