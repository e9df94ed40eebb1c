#include "entities/codec/field_path.h"

#include <algorithm>

#include "error/suggestion.h"
#include "text/characters.h"

namespace monotable::entities {
namespace {

void AppendEscaped(std::string_view name, std::string* pointer) {
  for (const char c : name) {
    if (c == '~') {
      *pointer += "~0";
    } else if (c == '/') {
      *pointer += "~1";
    } else {
      pointer->push_back(c);
    }
  }
}

std::string Unescaped(std::string_view part) {
  std::string name;
  for (size_t at = 0; at < part.size(); ++at) {
    if (part[at] != '~' || at + 1 == part.size()) {
      name.push_back(part[at]);
      continue;
    }
    name.push_back(part[++at] == '1' ? '/' : '~');
  }
  return name;
}

bool IsIndex(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), text::IsDigit);
}

}  // namespace

std::string FieldPath::Pointer() const {
  if (parent_ == nullptr) return std::string(name_);
  std::string pointer = parent_->Pointer();
  pointer.push_back('/');
  if (is_index_) {
    pointer += std::to_string(index_);
  } else {
    AppendEscaped(name_, &pointer);
  }
  return pointer;
}

std::string FieldPath::Readable() const {
  std::string pointer = Pointer();
  if (pointer.empty()) return "The body";
  if (pointer.front() != '/') return pointer;
  std::string text;
  for (size_t begin = 1; begin <= pointer.size();) {
    const size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string_view part = std::string_view(pointer).substr(begin, end - begin);
    begin = end + 1;
    if (IsIndex(part) && !text.empty()) {
      text.append("[").append(part).append("]");
      continue;
    }
    if (!text.empty()) text.push_back('.');
    text += Unescaped(part);
  }
  return text;
}

std::string DidYouMean(std::string_view typed, const std::vector<std::string_view>& candidates) {
  const auto nearest = Suggest(typed, candidates);
  return nearest ? "; did you mean " + std::string(*nearest) + "?" : "";
}

void ReportUnknown(const CodecContext& context, const FieldPath& path, std::string_view name,
                   const std::vector<model::AttributeModel>& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const model::AttributeModel& attribute : known) names.emplace_back(attribute.name);
  context.Report(path, "unknown", "is not in the model" + DidYouMean(name, names));
}

}  // namespace monotable::entities
