#include "wire/constraint_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::wire {
namespace {

// The service is written in Java, and prints the values of a request in its messages as Java does.
// A text that is longer than this is cut.
constexpr size_t kMaxText = 2048;

// "TableName" as "tableName".
std::string LowerFirst(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

void Append(const Shape& shape, const json::Element& value, std::string* out);

void AppendList(const Shape& shape, const json::Element& value, std::string* out) {
  out->push_back('[');
  bool first = true;
  for (const auto& element : json::ArrayOf(value)) {
    if (out->size() > kMaxText) return;
    if (!first) out->append(", ");
    first = false;
    Append(*shape.element, element, out);
  }
  out->push_back(']');
}

void AppendMap(const Shape& shape, const json::Element& value, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [name, element] : json::ObjectOf(value)) {
    if (out->size() > kMaxText) return;
    if (!first) out->append(", ");
    first = false;
    out->append(name).push_back('=');
    Append(*shape.element, element, out);
  }
  out->push_back('}');
}

void AppendStructure(const Shape& shape, const json::Element& value, std::string* out) {
  out->append(shape.name).push_back('(');
  bool first = true;
  const json::Object object = json::ObjectOf(value);
  for (const Member& member : shape.members) {
    if (out->size() > kMaxText) return;
    const auto element = json::Find(object, member.name);
    if (!element) continue;
    if (!first) out->append(", ");
    first = false;
    out->append(LowerFirst(member.name)).push_back('=');
    Append(*member.shape, *element, out);
  }
  out->push_back(')');
}

void Append(const Shape& shape, const json::Element& value, std::string* out) {
  if (value.is_null()) {
    out->append("null");
    return;
  }
  switch (shape.kind) {
    case Kind::kList:
      return AppendList(shape, value, out);
    case Kind::kMap:
      return AppendMap(shape, value, out);
    case Kind::kStructure:
      return AppendStructure(shape, value, out);
    case Kind::kInteger:
    case Kind::kLong:
      out->append(std::to_string(json::IntegerOf(value)));
      return;
    case Kind::kBoolean:
      out->append(json::BoolOf(value) ? "true" : "false");
      return;
    default:
      out->append(json::StringOf(value));
  }
}

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// The length of UTF-8 text as Java counts it: in UTF-16 code units.
size_t Utf16Length(std::string_view text) {
  size_t length = 0;
  for (const char byte : text) {
    if (IsContinuation(byte)) continue;
    length += static_cast<unsigned char>(byte) >= 0xf0 ? 2 : 1;
  }
  return length;
}

// A value as Java's toString: x, [x, y], {k=v}, Tag(key=k, value=v). Long texts are cut, so that a
// message does not repeat a whole request.
std::string JavaText(const Shape& shape, const json::Element& value) {
  std::string text;
  Append(shape, value, &text);
  if (text.size() <= kMaxText) return text;
  size_t end = kMaxText;
  while (end > 0 && IsContinuation(text[end])) --end;
  text.resize(end);
  return text.append("...");
}

constexpr size_t kMaxViolations = 10;

// An empty name does not match the pattern. But where one character is enough, the service reports
// only the length of an empty name.
bool IsName(const Shape& shape, std::string_view text) {
  if (text.empty()) return shape.min <= 1;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return text::IsAlphanumeric(c) || c == '_' || c == '.' || c == '-';
  });
}

bool IsArn(const Shape& shape, std::string_view text) {
  return shape.pattern == Pattern::kNameOrArn && text.starts_with("arn:");
}

// Where a value is in the request; a list of frames on the call stack, so that a request without
// violations never builds the text.
struct Path {
  enum class Step : uint8_t { kMember, kIndex, kKey };

  const Path* parent;
  Step step;
  std::string_view name;
  size_t index;

  static Path Member(const Path* parent, std::string_view name) {
    return {parent, Step::kMember, name, 0};
  }
  static Path Index(const Path* parent, size_t index) { return {parent, Step::kIndex, {}, index}; }
  static Path Key(const Path* parent, std::string_view key) { return {parent, Step::kKey, key, 0}; }

  std::string Text(Report report) const {
    std::string text = parent ? parent->Text(report) : std::string();
    if (!text.empty()) text.push_back('.');
    switch (step) {
      case Step::kMember:
        return text.append(report == Report::kNewer ? std::string(name) : LowerFirst(name));
      case Step::kIndex:
        return text.append(std::to_string(index)).append(".member");
      case Step::kKey:
        return text.append(name).append(".member");
    }
    return text;
  }
};

std::string AtLeast(const Shape& shape) {
  const bool length = shape.kind != Kind::kInteger && shape.kind != Kind::kLong;
  return fmt::format("Member must have {} greater than or equal to {}", length ? "length" : "value",
                     shape.min);
}

std::string AtMost(const Shape& shape, int64_t max) {
  const bool length = shape.kind != Kind::kInteger && shape.kind != Kind::kLong;
  return fmt::format("Member must have {} less than or equal to {}", length ? "length" : "value",
                     max);
}

std::string MatchesPattern() {
  return fmt::format("Member must satisfy regular expression pattern: {}", kNamePattern);
}

std::string InSet(const Shape& shape) {
  return fmt::format("Member must satisfy enum value set: [{}]", fmt::join(shape.values, ", "));
}

// The constraints that a string violates.
void CheckText(const Shape& shape, std::string_view text, std::vector<std::string>* violated) {
  if (!shape.values.empty()) {
    if (std::find(shape.values.begin(), shape.values.end(), text) == shape.values.end()) {
      violated->push_back(InSet(shape));
    }
    return;
  }
  const bool arn = IsArn(shape, text);
  const bool mismatch = shape.pattern != Pattern::kNone && !arn && !IsName(shape, text);
  if (mismatch && !shape.length_first) violated->push_back(MatchesPattern());
  const int64_t max = arn ? kMaxArnLength : shape.max;
  const auto length = static_cast<int64_t>(Utf16Length(text));
  if (length > max) violated->push_back(AtMost(shape, max));
  if (length < shape.min) violated->push_back(AtLeast(shape));
  if (mismatch && shape.length_first) violated->push_back(MatchesPattern());
}

void CheckNumber(const Shape& shape, int64_t number, std::vector<std::string>* violated) {
  if (number > shape.max) violated->push_back(AtMost(shape, shape.max));
  if (number < shape.min) violated->push_back(AtLeast(shape));
}

// The constraints that a value itself violates, apart from its members and elements.
std::vector<std::string> Violated(const Shape& shape, const json::Element& value) {
  std::vector<std::string> violated;
  switch (shape.kind) {
    case Kind::kString:
      CheckText(shape, json::StringOf(value), &violated);
      break;
    case Kind::kInteger:
    case Kind::kLong:
      CheckNumber(shape, json::IntegerOf(value), &violated);
      break;
    case Kind::kList:
      CheckNumber(shape, static_cast<int64_t>(json::ArrayOf(value).size()), &violated);
      break;
    case Kind::kMap:
      CheckNumber(shape, static_cast<int64_t>(json::ObjectOf(value).size()), &violated);
      break;
    default:
      break;
  }
  return violated;
}

// All constraints of a shape, as the service lists them when an element of a list or map breaks
// any of them.
std::string AllConstraints(const Shape& shape) {
  std::vector<std::string> all;
  if (shape.max != kNoMax) all.push_back(AtMost(shape, shape.max));
  if (shape.min != kNoMin) all.push_back(AtLeast(shape));
  if (shape.pattern != Pattern::kNone) all.push_back(MatchesPattern());
  if (!shape.values.empty()) all.push_back(InSet(shape));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

class ConstraintWalk {
 public:
  explicit ConstraintWalk(size_t limit) : limit_(limit) {}

  void CheckStructure(const Shape& shape, const json::Object& object, const Path* path);

  Status Outcome() const {
    if (!replacement_.empty()) return Error::Validation(std::string(replacement_));
    if (violations_.empty()) return {};
    return Error::Validation(fmt::format("{} validation error{} detected: {}", violations_.size(),
                                         violations_.size() == 1 ? "" : "s",
                                         fmt::join(violations_, "; ")));
  }

 private:
  // A value and what reporting it takes.
  struct Subject {
    const Shape& shape;
    const json::Element& value;
    const Path& path;
    Report report;
  };

  void CheckValue(const Subject& subject);
  void CheckList(const Subject& subject);
  void CheckMap(const Subject& subject);
  void Add(const Subject& subject, std::string_view constraint);
  void AddNull(const Path& path, Report report);
  bool full() const { return violations_.size() >= limit_ || !replacement_.empty(); }

  size_t limit_;
  std::vector<std::string> violations_;
  std::string_view replacement_;  // of the whole list
};

void ConstraintWalk::Add(const Subject& subject, std::string_view constraint) {
  if (full()) return;
  const std::string echo = subject.report == Report::kNewer
                               ? std::string()
                               : fmt::format(" '{}'", JavaText(subject.shape, subject.value));
  violations_.push_back(fmt::format("Value{} at '{}' failed to satisfy constraint: {}", echo,
                                    subject.path.Text(subject.report), constraint));
}

void ConstraintWalk::AddNull(const Path& path, Report report) {
  if (full()) return;
  violations_.push_back(
      fmt::format("Value null at '{}' failed to satisfy constraint: Member must not be null",
                  path.Text(report)));
}

void ConstraintWalk::CheckStructure(const Shape& shape, const json::Object& object,
                                    const Path* path) {
  for (const Member& member : shape.members) {
    if (full()) return;
    if (!member.required && !member.shape->constrained) continue;
    const auto value = json::Find(object, member.name);
    const Path here = Path::Member(path, member.name);
    if (value) {
      CheckValue({*member.shape, *value, here, member.report});
    } else if (!member.missing_message.empty()) {
      replacement_ = member.missing_message;
    } else if (member.required) {
      AddNull(here, Report::kClassic);
    }
  }
}

void ConstraintWalk::CheckValue(const Subject& subject) {
  if (!subject.shape.constrained) return;
  switch (subject.shape.kind) {
    case Kind::kStructure:
      return CheckStructure(subject.shape, json::ObjectOf(subject.value), &subject.path);
    case Kind::kList:
      return CheckList(subject);
    case Kind::kMap:
      return CheckMap(subject);
    default:
      for (const auto& constraint : Violated(subject.shape, subject.value)) {
        Add(subject, constraint);
      }
  }
}

void ConstraintWalk::CheckList(const Subject& subject) {
  for (const auto& constraint : Violated(subject.shape, subject.value)) Add(subject, constraint);
  const Shape& element_shape = *subject.shape.element;
  if (!element_shape.constrained) return;
  const bool nested = element_shape.kind == Kind::kStructure;
  size_t index = 0;
  for (const auto& element : json::ArrayOf(subject.value)) {
    ++index;
    if (full()) return;
    const Path here = Path::Index(&subject.path, index);
    if (element.is_null()) {
      AddNull(here, subject.report);
    } else if (nested) {
      CheckValue({element_shape, element, here, subject.report});
    } else if (!Violated(element_shape, element).empty()) {
      Add(subject, "Member must satisfy constraint: " + AllConstraints(element_shape));
      return;
    }
  }
}

void ConstraintWalk::CheckMap(const Subject& subject) {
  for (const auto& constraint : Violated(subject.shape, subject.value)) Add(subject, constraint);
  const Shape& element_shape = *subject.shape.element;
  for (const auto& [key, element] : json::ObjectOf(subject.value)) {
    if (full()) return;
    if (subject.shape.key) {
      std::vector<std::string> violated;
      CheckText(*subject.shape.key, key, &violated);
      if (!violated.empty()) {
        Add(subject, "Map keys must satisfy constraint: " + AllConstraints(*subject.shape.key));
        return;
      }
    }
    if (!element_shape.constrained) continue;
    const Path here = Path::Key(&subject.path, key);
    if (element.is_null()) {
      AddNull(here, subject.report);
      continue;
    }
    if (!Violated(element_shape, element).empty()) {
      Add(subject, "Map value must satisfy constraint: " + AllConstraints(element_shape));
      return;
    }
    CheckValue({element_shape, element, here, subject.report});
  }
}

}  // namespace

Status CheckConstraints(const Shape& shape, const json::Object& request) {
  ConstraintWalk walk(shape.first_violation_only ? 1 : kMaxViolations);
  walk.CheckStructure(shape, request, nullptr);
  return walk.Outcome();
}

}  // namespace monotable::wire
