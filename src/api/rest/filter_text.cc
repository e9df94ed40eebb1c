#include "api/rest/filter_text.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"

namespace monotable::api::rest {
namespace {

using entities::Filter;
using Comparison = entities::Filter::Comparison;
using model::TypeKind;

struct Operator {
  std::string_view name;
  Comparison comparison;
};
constexpr std::array kOperators = {
    Operator{"eq", Comparison::kEqual},          Operator{"ne", Comparison::kNotEqual},
    Operator{"lt", Comparison::kLess},           Operator{"le", Comparison::kLessOrEqual},
    Operator{"lte", Comparison::kLessOrEqual},   Operator{"gt", Comparison::kGreater},
    Operator{"ge", Comparison::kGreaterOrEqual}, Operator{"gte", Comparison::kGreaterOrEqual},
    Operator{"between", Comparison::kBetween},   Operator{"begins_with", Comparison::kBeginsWith},
    Operator{"contains", Comparison::kContains}, Operator{"in", Comparison::kIn},
    Operator{"exists", Comparison::kExists},     Operator{"missing", Comparison::kMissing},
};
// IN of DynamoDB takes as many.
constexpr size_t kMaxValues = 100;

std::optional<Comparison> OperatorNamed(std::string_view name) {
  for (const Operator& each : kOperators) {
    if (each.name == name) return each.comparison;
  }
  return std::nullopt;
}

Error InvalidFilter(std::string_view attribute, std::string message) {
  return entities::InvalidFields({{std::string(attribute), "filter", std::move(message)}});
}

std::string_view WithoutParentheses(std::string_view text) {
  const bool enclosed = text.size() >= 2 && text.front() == '(' && text.back() == ')';
  return enclosed ? text.substr(1, text.size() - 2) : text;
}

// Parts a list at its commas, but not within parentheses or double quotes; nothing if one of them
// is not closed.
std::optional<std::vector<std::string_view>> SplitList(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '(') {
      ++depth;
    } else if (!quoted && text[i] == ')') {
      --depth;
    } else if (!quoted && depth == 0 && text[i] == ',') {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (quoted || depth != 0) return std::nullopt;
  parts.push_back(text.substr(start));
  return parts;
}

// A value of a list without its quotes: "a,b" is a,b and "\"" is ".
std::string Unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string plain;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain.push_back(text[i]);
  }
  return plain;
}

// Parts of texts: what they begin with or contain need not be a value of the type by itself.
bool IsText(const model::TypeModel& type) {
  return type.kind == TypeKind::kString || type.kind == TypeKind::kEnum ||
         type.kind == TypeKind::kDate ||
         (type.kind == TypeKind::kInstant && type.stored == model::InstantForm::kIso);
}

Result<item::Value> ParseValue(const entities::Entity& entity, const model::TypeModel& type,
                               std::string_view attribute, const std::string& text) {
  return entities::DecodeParameter(*entity.application, type, attribute, text);
}

Result<item::Value> ParsePart(const entities::Entity& entity, const model::TypeModel& type,
                              const Filter& filter, const std::string& text) {
  if (IsText(type)) return item::Value(text);
  const bool has_members = type.kind == TypeKind::kList || type.kind == TypeKind::kSet;
  if (filter.comparison == Comparison::kContains && has_members && type.element) {
    return ParseValue(entity, *type.element, filter.attribute, text);
  }
  return InvalidFilter(
      filter.attribute,
      fmt::format("{} is no text{}.", filter.attribute,
                  filter.comparison == Comparison::kContains ? " and no list" : ""));
}

Status ParseList(const entities::Entity& entity, const model::TypeModel& type,
                 std::string_view text, Filter* filter) {
  const auto parts = SplitList(WithoutParentheses(text));
  if (!parts || parts->size() > kMaxValues) {
    return InvalidFilter(filter->attribute,
                         fmt::format("A list is (a,b,c), of at most {} values.", kMaxValues));
  }
  if (filter->comparison == Comparison::kBetween && parts->size() != 2) {
    return InvalidFilter(filter->attribute, "between takes two values: between.10,20.");
  }
  for (const std::string_view part : *parts) {
    TRY_ASSIGN(item::Value value, ParseValue(entity, type, filter->attribute, Unquote(part)));
    filter->values.push_back(std::move(value));
  }
  return {};
}

Status ParseValues(const entities::Entity& entity, const model::TypeModel& type,
                   std::string_view text, Filter* filter) {
  switch (filter->comparison) {
    case Comparison::kExists:
    case Comparison::kMissing:
      if (text != "true" && text != "false") {
        return InvalidFilter(filter->attribute,
                             "exists and missing take true or false: exists.true.");
      }
      filter->comparison = (filter->comparison == Comparison::kExists) == (text == "true")
                               ? Comparison::kExists
                               : Comparison::kMissing;
      return {};
    case Comparison::kBetween:
    case Comparison::kIn:
      return ParseList(entity, type, text, filter);
    case Comparison::kBeginsWith:
    case Comparison::kContains: {
      TRY_ASSIGN(item::Value value, ParsePart(entity, type, *filter, Unquote(text)));
      filter->values.push_back(std::move(value));
      return {};
    }
    default: {
      TRY_ASSIGN(item::Value value, ParseValue(entity, type, filter->attribute, Unquote(text)));
      filter->values.push_back(std::move(value));
      return {};
    }
  }
}

// Parts Address.City.eq.Recife at the first operator.
bool PartAlternative(std::string_view text, std::string_view* attribute,
                     std::string_view* condition) {
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    const std::string_view rest = text.substr(dot + 1);
    const size_t end = rest.find('.');
    if (end == std::string_view::npos || !OperatorNamed(rest.substr(0, end))) continue;
    *attribute = text.substr(0, dot);
    *condition = rest;
    return true;
  }
  return false;
}

}  // namespace

const model::TypeModel* VisibleType(const entities::Entity& entity, std::string_view path) {
  const std::vector<model::AttributeModel>* attributes = &entity.model->attributes;
  const model::TypeModel* type = nullptr;
  while (true) {
    const size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (type != nullptr && type->kind == TypeKind::kMap) {
      type = type->element.get();
    } else {
      type = nullptr;
      for (const model::AttributeModel& attribute : *attributes) {
        if (attribute.name == name && !attribute.hidden) type = &attribute.type;
      }
    }
    if (type == nullptr || dot == std::string_view::npos) return type;
    attributes = &type->attributes;
    path.remove_prefix(dot + 1);
  }
}

Result<Filter> ParseFilter(const entities::Entity& entity, std::string_view attribute,
                           std::string_view text) {
  const model::TypeModel* type = VisibleType(entity, attribute);
  if (type == nullptr) {
    return InvalidFilter(attribute,
                         fmt::format("{} has no attribute {}.", entity.name(), attribute));
  }
  Filter filter;
  filter.attribute = attribute;
  const size_t dot = text.find('.');
  const auto comparison =
      dot == std::string_view::npos ? std::nullopt : OperatorNamed(text.substr(0, dot));
  if (comparison) {
    filter.comparison = *comparison;
    text.remove_prefix(dot + 1);
  }
  TRY(ParseValues(entity, *type, text, &filter));
  return filter;
}

Result<std::vector<Filter>> ParseAlternatives(const entities::Entity& entity,
                                              std::string_view text) {
  const auto parts = SplitList(WithoutParentheses(text));
  std::vector<Filter> filters;
  for (const std::string_view part : parts.value_or(std::vector<std::string_view>{""})) {
    std::string_view attribute;
    std::string_view condition;
    if (!PartAlternative(part, &attribute, &condition)) {
      return InvalidFilter("or", "or is a list such as or=(Status.eq.DRAFT,Total.gt.5).");
    }
    TRY_ASSIGN(Filter filter, ParseFilter(entity, attribute, condition));
    filters.push_back(std::move(filter));
  }
  return filters;
}

}  // namespace monotable::api::rest
