#include "cli/commands/audit_report.h"

#include <utility>

#include "json/json_writer.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

constexpr size_t kMaxListed = 100'000;
constexpr std::string_view kFormat = "monotable-audit/1";

void WriteFinding(const AuditFinding& finding, json::Writer* writer) {
  // One finding a line, so that a report can be searched.
  writer->BeginObject().Key("Kind").String(finding.kind);
  writer->Key("State").String(finding.state);
  writer->Key("TableName").String(finding.table);
  if (!finding.entity.empty()) writer->Key("Entity").String(finding.entity);
  writer->Key("Key").BeginObject();
  for (const AuditFinding::KeyPart& part : finding.key) {
    writer->Key(part.name).BeginObject().Key(part.type).String(part.text).EndObject();
  }
  writer->EndObject();
  if (!finding.attribute.empty()) writer->Key("Attribute").String(finding.attribute);
  writer->Key("Message").String(finding.message);
  writer->Key("Remedy").String(finding.remedy).EndObject();
}

void WriteFindings(std::string_view name, const std::vector<AuditFinding>& findings,
                   std::string* out) {
  out->append(",\n");
  json::AppendString(name, out);
  out->append(":[");
  bool first = true;
  for (const AuditFinding& finding : findings) {
    out->append(first ? "\n" : ",\n");
    first = false;
    std::string line;
    json::Writer writer(&line);
    WriteFinding(finding, &writer);
    out->append(line);
  }
  out->append("]");
}

std::vector<AuditFinding> ReadFindings(const json::Node& root, std::string_view name) {
  std::vector<AuditFinding> findings;
  if (const json::Node* list = root.Find(name)) {
    for (const json::Node& node : list->items) findings.push_back(AuditFinding::Read(node));
  }
  return findings;
}

bool IsTrue(const json::Node& object, std::string_view name) {
  const json::Node* member = object.Find(name);
  return member != nullptr && member->boolean;
}

}  // namespace

std::string TextIn(const json::Node& object, std::string_view name) {
  const json::Node* member = object.Find(name);
  return member != nullptr && member->is_string() ? std::string(member->text) : std::string();
}

int64_t NumberIn(const json::Node& object, std::string_view name) {
  const json::Node* member = object.Find(name);
  if (member == nullptr || !member->is_number()) return 0;
  return text::ParseNumber<int64_t>(member->text).value_or(0);
}

AuditFinding AuditFinding::Read(const json::Node& node) {
  AuditFinding finding;
  finding.kind = TextIn(node, "Kind");
  finding.state = TextIn(node, "State");
  finding.table = TextIn(node, "TableName");
  finding.entity = TextIn(node, "Entity");
  finding.attribute = TextIn(node, "Attribute");
  finding.message = TextIn(node, "Message");
  finding.remedy = TextIn(node, "Remedy");
  if (const json::Node* key = node.Find("Key")) {
    for (const json::Member& part : key->members) {
      if (part.value.members.size() != 1) continue;
      const json::Member& value = part.value.members.front();
      finding.key.push_back(
          {std::string(part.name), std::string(value.name), std::string(value.value.text)});
    }
  }
  return finding;
}

std::string AuditFinding::Where() const {
  std::string where = table;
  if (!entity.empty()) where += " " + entity;
  for (const KeyPart& part : key) where += " " + part.name + "=" + part.text;
  return where;
}

void AuditReport::Add(AuditFinding finding) {
  if (finding.state == "repaired") {
    ++repaired_count;
    ++repaired_in_pass;
    if (repaired.size() < kMaxListed) repaired.push_back(std::move(finding));
    return;
  }
  if (finding.state == "note") {
    // Every page may say it of a counter. The last one knows most.
    std::erase_if(findings, [&](const AuditFinding& other) {
      return other.state == "note" && other.kind == finding.kind && other.table == finding.table &&
             other.key == finding.key;
    });
  } else {
    ++(finding.state == "repairable" ? repairable_count : undecided_count);
  }
  if (findings.size() < kMaxListed) findings.push_back(std::move(finding));
}

void AuditReport::BeginPass() {
  ++pass;
  position.clear();
  items = 0;
  undecided_count = 0;
  repairable_count = 0;
  repaired_in_pass = 0;
  findings.clear();
}

std::string AuditReport::ToJson() const {
  std::string text;
  json::Writer writer(&text);
  writer.BeginObject().Key("Format").String(kFormat);
  writer.Key("Command").String(command).Key("Model").String(model).Key("Apply").Bool(apply);
  writer.Key("Complete").Bool(complete).Key("Pass").Integer(pass);
  if (!position.empty()) writer.Key("Position").String(position);
  writer.Key("Items").Integer(items).Key("Undecided").Integer(undecided_count);
  writer.Key("Repairable").Integer(repairable_count).Key("Repaired").Integer(repaired_count);
  writer.Key("RepairedInPass").Integer(repaired_in_pass);
  WriteFindings("Findings", findings, &text);
  WriteFindings("Repairs", repaired, &text);
  return text + "}\n";
}

Result<AuditReport> AuditReport::Parse(std::string_view text) {
  TRY_ASSIGN(const json::Tree tree, json::Tree::Parse(text));
  const json::Node& root = tree.root();
  if (TextIn(root, "Format") != kFormat) {
    return Error::Validation("This is not a report of model verify or model repair.");
  }
  AuditReport report;
  report.command = TextIn(root, "Command");
  report.model = TextIn(root, "Model");
  report.apply = IsTrue(root, "Apply");
  report.complete = IsTrue(root, "Complete");
  report.pass = static_cast<int>(NumberIn(root, "Pass"));
  report.position = TextIn(root, "Position");
  report.items = NumberIn(root, "Items");
  report.undecided_count = NumberIn(root, "Undecided");
  report.repairable_count = NumberIn(root, "Repairable");
  report.repaired_count = NumberIn(root, "Repaired");
  report.repaired_in_pass = NumberIn(root, "RepairedInPass");
  report.findings = ReadFindings(root, "Findings");
  report.repaired = ReadFindings(root, "Repairs");
  return report;
}

}  // namespace monotable::cli
