#include "expression/substitutions.h"

#include <algorithm>
#include <utility>

#include "item/value.h"
#include "text/characters.h"

namespace monotable::expression {
namespace {

constexpr size_t kMaxTokenSize = 255;
constexpr size_t kMaxTotalSize = size_t{2} * 1024 * 1024;

bool IsToken(std::string_view token, char sigil) {
  const auto is_word_character = [](char c) { return text::IsAlphanumeric(c) || c == '_'; };
  return token.size() > 1 && token.front() == sigil &&
         std::ranges::all_of(token.substr(1), is_word_character);
}

// "UpdateExpression and ConditionExpression are null"
std::string AllNull(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += " and ";
    text += name;
  }
  return text += names.size() > 1 ? " are null" : " is null";
}

}  // namespace

Substitutions::Substitutions(std::optional<Names> names, std::optional<Values> values)
    : names_(Take(std::move(names))), values_(Take(std::move(values))) {}

template <typename T>
Substitutions::Entries<T> Substitutions::Take(std::optional<std::map<std::string, T>> map) {
  if (!map) return std::nullopt;
  std::vector<Entry<T>> entries;
  entries.reserve(map->size());
  for (auto& [token, meaning] : *map) entries.push_back({token, std::move(meaning)});
  return entries;
}

Status Substitutions::Check(std::span<const ExpressionParameter> parameters) const {
  const auto present = [](const ExpressionParameter& parameter) { return parameter.present; };
  if (names_ && std::ranges::none_of(parameters, present)) {
    return Error::Validation(
        "ExpressionAttributeNames can only be specified when using expressions");
  }
  if (values_) {
    std::vector<std::string_view> absent;
    bool usable = false;
    for (const ExpressionParameter& parameter : parameters) {
      if (!parameter.takes_values) continue;
      usable = usable || parameter.present;
      absent.push_back(parameter.name);
    }
    if (!usable) {
      return Error::Validation(
          "ExpressionAttributeValues can only be specified when using expressions: " +
          AllNull(absent));
    }
  }
  TRY(CheckTokens(names_, "ExpressionAttributeNames", '#'));
  TRY(CheckNames());
  TRY(CheckTokens(values_, "ExpressionAttributeValues", ':'));
  return CheckSize();
}

template <typename T>
Status Substitutions::CheckTokens(const Entries<T>& entries, std::string_view parameter,
                                  char sigil) {
  if (!entries) return {};
  std::string message(parameter);
  if (entries->empty()) return Error::Validation(message + " must not be empty");
  for (const Entry<T>& entry : *entries) {
    if (!IsToken(entry.token, sigil)) {
      return Error::Validation(message + " contains invalid key: Syntax error; key: \"" +
                               entry.token + "\"");
    }
    if (entry.token.size() > kMaxTokenSize) {
      return Error::Validation(message + " contains invalid key: The key is longer than " +
                               std::to_string(kMaxTokenSize) + " bytes; key: \"" + entry.token +
                               "\"");
    }
  }
  return {};
}

// No attribute can have such a name, so an expression must not use it.
Status Substitutions::CheckNames() const {
  if (!names_) return {};
  for (const Entry<std::string>& entry : *names_) {
    if (Status name = item::CheckAttributeName(entry.meaning); !name) {
      return Error::Validation("ExpressionAttributeNames contains invalid value: " +
                               name.error().message() + " for key " + entry.token);
    }
  }
  return {};
}

Status Substitutions::CheckSize() const {
  size_t total = 0;
  if (names_) {
    for (const auto& entry : *names_) total += entry.token.size() + entry.meaning.size();
  }
  if (values_) {
    for (const auto& entry : *values_) total += entry.token.size() + item::SizeOf(entry.meaning);
  }
  if (total > kMaxTotalSize) {
    return Error::Validation(
        "ExpressionAttributeNames and ExpressionAttributeValues exceed the maximum allowed size "
        "of " +
        std::to_string(kMaxTotalSize) + " bytes; size: " + std::to_string(total));
  }
  return {};
}

template <typename T>
const T* Substitutions::Use(Entries<T>& entries, std::string_view token) {
  if (!entries) return nullptr;
  const auto at = std::ranges::lower_bound(*entries, token, {}, &Entry<T>::token);
  if (at == entries->end() || at->token != token) return nullptr;
  at->used = true;
  return &at->meaning;
}

const std::string* Substitutions::UseName(std::string_view token) {
  return Use(names_, token);
}

const item::Value* Substitutions::UseValue(std::string_view token) {
  return Use(values_, token);
}

template <typename T>
Status Substitutions::CheckUsed(const Entries<T>& entries, std::string_view parameter) {
  if (!entries) return {};
  std::string unused;
  for (const Entry<T>& entry : *entries) {
    if (entry.used) continue;
    if (!unused.empty()) unused += ", ";
    unused += entry.token;
  }
  if (unused.empty()) return {};
  return Error::Validation("Value provided in " + std::string(parameter) +
                           " unused in expressions: keys: {" + unused + "}");
}

Status Substitutions::CheckAllUsed() const {
  TRY(CheckUsed(names_, "ExpressionAttributeNames"));
  return CheckUsed(values_, "ExpressionAttributeValues");
}

uint32_t References::AddTopLevelPath(std::string name) {
  paths.push_back({static_cast<uint32_t>(elements.size()), 1});
  elements.push_back({std::move(name), false, std::nullopt});
  return static_cast<uint32_t>(paths.size() - 1);
}

uint32_t References::AddConstant(item::Value value) {
  constants.push_back(std::move(value));
  return static_cast<uint32_t>(constants.size() - 1);
}

Result<Binding> Bind(const References& references, std::string_view parameter,
                     Substitutions& substitutions) {
  Binding binding;
  binding.elements.reserve(references.elements.size());
  for (const References::Element& element : references.elements) {
    std::string_view name = element.name;
    if (element.is_substituted) {
      const std::string* meaning = substitutions.UseName(element.name);
      if (meaning == nullptr) {
        return InvalidExpression(parameter,
                                 "An expression attribute name used in the document path is not "
                                 "defined; attribute name: " +
                                     element.name);
      }
      name = *meaning;
    }
    binding.elements.push_back({name, element.index});
  }
  binding.values.reserve(references.value_tokens.size());
  for (const std::string& token : references.value_tokens) {
    const item::Value* value = substitutions.UseValue(token);
    if (value == nullptr) {
      return InvalidExpression(
          parameter,
          "An expression attribute value used in expression is not defined; attribute value: " +
              token);
    }
    binding.values.push_back(value);
  }
  return binding;
}

Binding BindConstants(const References& references) {
  Binding binding;
  binding.elements.reserve(references.elements.size());
  for (const References::Element& element : references.elements) {
    binding.elements.push_back({element.name, element.index});
  }
  binding.values.reserve(references.constants.size());
  for (const item::Value& value : references.constants) binding.values.push_back(&value);
  return binding;
}

std::vector<std::string_view> Binding::MentionedNames(const References& references) const {
  std::vector<std::string_view> names;
  names.reserve(references.paths.size());
  for (const References::Range& range : references.paths) {
    names.push_back(elements[range.first].name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Error InvalidExpression(std::string_view parameter, std::string_view what) {
  std::string message = "Invalid ";
  message.append(parameter).append(": ").append(what);
  return Error::Validation(std::move(message));
}

}  // namespace monotable::expression
