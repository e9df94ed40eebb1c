#include "model/load/node_reader.h"

#include <algorithm>
#include <cstddef>

#include "item/number.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

std::string Describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kBoolean:
      return node.text;
    case Node::Kind::kNumber:
      return "the number " + node.text;
    case Node::Kind::kText:
      return "the text " + Quoted(node.text);
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "";
}

// {SaleId} without quotes is a map whose only member has no value.
bool LooksLikeBraces(const Node& node) {
  return node.is_map() && node.members.size() == 1 &&
         node.members.front().value.kind == Node::Kind::kNull;
}

}  // namespace

bool ExpectText(const Node& node, const std::string& subject, Findings* findings) {
  if (node.is_text() || node.kind == Node::Kind::kNumber) return true;
  if (node.kind == Node::Kind::kNull) {
    findings->Error(
        "missing_value", node.place, subject, "The value is missing here.",
        "Write a value. Text that begins with # must be in quotes; otherwise it is a comment.");
  } else if (LooksLikeBraces(node)) {
    findings->Error("unquoted_braces", node.place, subject,
                    "{" + node.members.front().name + "} without quotes is a map, not text.",
                    "Put the whole text in double quotes.");
  } else {
    findings->Error("not_text", node.place, subject,
                    "Text is expected here, but this is " + Describe(node) + ".",
                    node.is_scalar() ? "Put it in quotes." : "Write a single text.");
  }
  return false;
}

bool ExpectMap(const Node& node, const std::string& subject, Findings* findings) {
  if (node.is_map()) return true;
  findings->Error("not_a_map", node.place, subject,
                  "A map is expected here, but this is " + Describe(node) + ".",
                  "Write name: value members, or {}.");
  return false;
}

bool ExpectList(const Node& node, const std::string& subject, Findings* findings) {
  if (node.is_list()) return true;
  findings->Error("not_a_list", node.place, subject,
                  "A list is expected here, but this is " + Describe(node) + ".",
                  "Put it in [brackets], or begin each line with a hyphen.");
  return false;
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string Suggest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t kMostNames = 24;
  const std::string closest = ClosestName(name, known);
  if (!closest.empty()) return "Did you mean " + Quoted(closest) + "?";
  if (known.empty()) return "None are declared yet; declare it first.";
  std::string list;
  for (size_t i = 0; i < std::min(known.size(), kMostNames); ++i) {
    list += (i == 0 ? "" : ", ") + known[i];
  }
  return "Known names: " + list + (known.size() > kMostNames ? ", …" : ".");
}

bool IsName(std::string_view text) {
  // Letters beyond ASCII are accepted, because some designs are in Portuguese.
  const auto is_letter = [](char c) { return text::IsLetter(c) || c == '_' || (c & 0x80) != 0; };
  if (text.empty() || text.size() > 255 || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || text::IsDigit(c) || c == '-'; });
}

bool ExpectName(std::string_view name, Place place, const std::string& subject,
                Findings* findings) {
  if (IsName(name)) return true;
  findings->Error("bad_name", place, subject, Quoted(name) + " cannot be a name.",
                  "Begin with a letter and use letters, digits, _ and - only.");
  return false;
}

MapReader::MapReader(const Node& node, std::string subject, Findings* findings)
    : place_(node.place), subject_(std::move(subject)), findings_(findings) {
  if (ExpectMap(node, subject_, findings_)) map_ = &node;
}

const Node* MapReader::Find(std::string_view name) {
  asked_.emplace(name);
  return map_ == nullptr ? nullptr : map_->Find(name);
}

const Node* MapReader::Require(std::string_view name) {
  const Node* node = Find(name);
  if (node == nullptr && map_ != nullptr) {
    findings_->Error("missing_member", place_, subject_,
                     Quoted(name) + " is required here but missing.",
                     "Add " + std::string(name) + ": ….");
  }
  return node;
}

const Node* MapReader::FindMap(std::string_view name) {
  const Node* node = Find(name);
  return node != nullptr && ExpectMap(*node, SubjectOf(name), findings_) ? node : nullptr;
}

const Node* MapReader::FindList(std::string_view name) {
  const Node* node = Find(name);
  return node != nullptr && ExpectList(*node, SubjectOf(name), findings_) ? node : nullptr;
}

const Node* MapReader::FindText(std::string_view name) {
  const Node* node = Find(name);
  return node != nullptr && ExpectText(*node, SubjectOf(name), findings_) ? node : nullptr;
}

std::string MapReader::Text(std::string_view name) {
  const Node* node = FindText(name);
  return node == nullptr ? std::string() : node->text;
}

std::string MapReader::RequiredText(std::string_view name) {
  return Require(name) == nullptr ? std::string() : Text(name);
}

std::vector<const Node*> MapReader::Texts(std::string_view name) {
  std::vector<const Node*> texts;
  const Node* list = FindList(name);
  if (list == nullptr) return texts;
  for (const Node& item : list->items) {
    if (ExpectText(item, SubjectOf(name), findings_)) texts.push_back(&item);
  }
  return texts;
}

std::vector<std::string> MapReader::Strings(std::string_view name) {
  std::vector<std::string> strings;
  for (const Node* node : Texts(name)) strings.push_back(node->text);
  return strings;
}

bool MapReader::Boolean(std::string_view name, bool fallback) {
  const Node* node = Find(name);
  if (node == nullptr) return fallback;
  if (node->kind == Node::Kind::kBoolean) return node->text == "true";
  findings_->Error("not_a_boolean", node->place, SubjectOf(name),
                   "true or false is expected here, but this is " + Describe(*node) + ".",
                   "Write true or false, without quotes.");
  return fallback;
}

int MapReader::Integer(std::string_view name, int fallback, int least, int most) {
  const Node* node = Find(name);
  if (node == nullptr) return fallback;
  int64_t value = 0;
  const Result<item::Number> number = item::Number::Parse(node->text);
  if (node->kind != Node::Kind::kNumber || !number || !number->ToInt64(&value)) {
    findings_->Error("not_an_integer", node->place, SubjectOf(name),
                     "A whole number is expected here, but this is " + Describe(*node) + ".",
                     "Write digits, without quotes.");
    return fallback;
  }
  if (value < least || value > most) {
    findings_->Error("number_out_of_range", node->place, SubjectOf(name),
                     node->text + " is not between " + std::to_string(least) + " and " +
                         std::to_string(most) + ".",
                     "Write a number in that range.");
    return fallback;
  }
  return static_cast<int>(value);
}

void MapReader::Finish() {
  if (map_ == nullptr) return;
  for (const Node::Member& member : map_->members) {
    if (asked_.contains(member.name)) continue;
    findings_->Error("unknown_member", member.place, subject_,
                     Quoted(member.name) + " is not known here.",
                     Suggest(member.name, {asked_.begin(), asked_.end()}));
  }
}

void MapReader::ReportChoice(const Node& node, std::string_view name,
                             const std::vector<std::string>& known) {
  findings_->Error("unknown_choice", node.place, SubjectOf(name),
                   Quoted(node.text) + " is not one of the words that are allowed here.",
                   Suggest(node.text, known));
}

}  // namespace monotable::model
