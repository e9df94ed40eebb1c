#include "api/rest/read_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/rest/filter_text.h"
#include "entities/problem.h"
#include "error/suggestion.h"
#include "text/words.h"

namespace monotable::api::rest {
namespace {

using PatternKind = model::PatternModel::Kind;

// What a route answers, for what its query may say.
enum Shape : unsigned { kItem = 1, kList = 2, kCount = 4, kCollection = 8 };

struct KnownParameter {
  std::string_view name;
  unsigned shapes;
};
constexpr std::array kKnown = {
    KnownParameter{"limit", kItem | kList | kCollection},
    KnownParameter{"order", kList},
    KnownParameter{"fields", kItem | kList | kCollection},
    KnownParameter{"after", kItem | kList | kCollection},
    KnownParameter{"consistent", kItem | kList | kCount | kCollection},
    KnownParameter{"count", kList},
    KnownParameter{"expand", kItem},
    KnownParameter{"or", kList | kCount},
};

Shape ShapeOf(const ServedPattern* pattern) {
  if (pattern == nullptr) return kItem;
  switch (pattern->model().kind) {
    case PatternKind::kGet:
      return kItem;
    case PatternKind::kList:
      return kList;
    case PatternKind::kCount:
      return kCount;
    case PatternKind::kCollection:
      return kCollection;
  }
  return kItem;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) names.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return names;
}

// Reads one query. Collects all mistakes instead of stopping at the first.
class Parsing {
 public:
  Parsing(const Call& call, const entities::Entity& entity, const ServedPattern* pattern)
      : call_(call), entity_(entity), pattern_(pattern), shape_(ShapeOf(pattern)) {}

  Result<ReadOptions> Run() {
    ReadPath();
    for (size_t i = 0; i < call_.query.size(); ++i) {
      if (!IsRepeated(i)) ReadParameter(call_.query[i]);
    }
    CheckRequired();
    if (!problems_.empty()) return entities::InvalidFields(std::move(problems_));
    if (unserved_) return *std::move(unserved_);
    options_.presentation.numbers_as_strings = call_.preferences.numbers_as_strings;
    return std::move(options_);
  }

 private:
  void Add(std::string_view name, std::string_view code, std::string message) {
    problems_.push_back({std::string(name), std::string(code), std::move(message)});
  }

  // Errors of other parsers have fields as well.
  void Add(const Error& error, std::string_view name) {
    const entities::ProblemDetail* detail = entities::ProblemOf(error);
    if (detail == nullptr || detail->fields.empty()) return Add(name, "invalid", error.message());
    problems_.insert(problems_.end(), detail->fields.begin(), detail->fields.end());
  }

  const PatternParameter* FindKeyParameter(std::string_view name) const {
    if (pattern_ == nullptr) return nullptr;
    for (const PatternParameter& parameter : pattern_->parameters) {
      if (parameter.name == name) return &parameter;
    }
    return nullptr;
  }

  bool IsKnown(std::string_view name) const {
    return std::any_of(kKnown.begin(), kKnown.end(), [&](const KnownParameter& known) {
      return known.name == name && (known.shapes & shape_) != 0;
    });
  }

  bool IsTenant(std::string_view name) const {
    const auto& tenancy = call_.model->model().tenancy;
    return tenancy && tenancy->attribute == name;
  }

  // Filters of one attribute may be several; of everything else there is one.
  bool IsRepeated(size_t at) {
    const std::string& name = call_.query[at].name;
    if (!IsKnown(name) && FindKeyParameter(name) == nullptr) return false;
    for (size_t i = 0; i < at; ++i) {
      if (call_.query[i].name != name || name == "or") continue;
      Add(name, "repeated", fmt::format("{} is given twice.", name));
      return true;
    }
    return false;
  }

  void ReadPath() {
    for (const PathValue& value : call_.match.values) {
      const PatternParameter* parameter = FindKeyParameter(value.name);
      ReadKeyParameter(value.name,
                       parameter ? parameter->type : entity_.model->FindPath(value.name),
                       value.text);
    }
  }

  void ReadKeyParameter(std::string_view name, const model::TypeModel* type,
                        const std::string& text) {
    if (type == nullptr) return options_.list.parameters.Set(name, item::Value(text));
    auto value = entities::DecodeParameter(call_.model->application(), *type, name, text);
    if (!value) return Add(value.error(), name);
    options_.list.parameters.Set(name, *std::move(value));
  }

  // An instant never holds a blank, so a blank is the plus of its offset, which the client did not
  // escape.
  static std::string MomentText(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '+');
    return text;
  }

  void ReadParameter(const QueryParameter& given) {
    const std::string& name = given.name;
    if (IsKnown(name)) return ReadKnown(name, given.value);
    if (pattern_ != nullptr && pattern_->model().range &&
        (name == "from" || name == "to" || name == "tz")) {
      options_.list.parameters.Set(name, item::Value(MomentText(given.value)));
      return;
    }
    if (const PatternParameter* parameter = FindKeyParameter(name)) {
      return ReadKeyParameter(name, parameter->type, given.value);
    }
    if (IsTenant(name)) return ReadKeyParameter(name, entity_.model->FindPath(name), given.value);
    if ((name == "from" || name == "to") && shape_ != kItem) {
      unserved_ = entities::Problem(
          entities::ProblemCode::kNoAccessPattern,
          fmt::format("No pattern of this path takes {} with these parameters.", name));
      return;
    }
    if (!ReadFilter(name, given.value)) AddUnknown(name);
  }

  // A filter is Total=gte.5. Clients that were generated from openapi.json send
  // filters[Total]=gte.5, because OpenAPI describes parameters without fixed names as one object.
  bool ReadFilter(std::string_view name, const std::string& text) {
    if (shape_ != kList && shape_ != kCount) return false;
    constexpr std::string_view kObject = "filters[";
    if (name.starts_with(kObject) && name.ends_with(']')) {
      name = name.substr(kObject.size(), name.size() - kObject.size() - 1);
      if (name == "or") {
        ReadAlternatives(text);
        return true;
      }
    }
    if (VisibleType(entity_, name) == nullptr) return false;
    auto filter = ParseFilter(entity_, name, text);
    if (!filter) {
      Add(filter.error(), name);
    } else {
      options_.list.filters.push_back({*std::move(filter)});
    }
    return true;
  }

  void ReadAlternatives(const std::string& text) {
    auto filters = ParseAlternatives(entity_, text);
    if (!filters) return Add(filters.error(), "or");
    options_.list.filters.push_back(*std::move(filters));
  }

  void AddUnknown(const std::string& name) {
    std::vector<std::string_view> candidates;
    for (const KnownParameter& known : kKnown) {
      if ((known.shapes & shape_) != 0) candidates.push_back(known.name);
    }
    if (pattern_ != nullptr) {
      for (const PatternParameter& parameter : pattern_->parameters) {
        candidates.push_back(parameter.name);
      }
    }
    if (shape_ == kList || shape_ == kCount) AddAttributes(&candidates);
    const auto near = Suggest(name, candidates);
    Add(name, "unknown",
        fmt::format("There is no parameter {} here.{}", name,
                    near ? fmt::format(" Did you mean {}?", *near) : ""));
  }

  void AddAttributes(std::vector<std::string_view>* candidates) const {
    for (const model::AttributeModel& attribute : entity_.model->attributes) {
      if (!attribute.hidden) candidates->push_back(attribute.name);
    }
  }

  void ReadKnown(const std::string& name, const std::string& text) {
    entities::ListRequest& list = options_.list;
    if (name == "limit") return ReadLimit(text);
    if (name == "after") {
      options_.after = &text;
    } else if (name == "consistent") {
      ReadChoice(name, text, "true", "false", &list.consistent);
    } else if (name == "order") {
      bool descending = false;
      ReadChoice(name, text, "desc", "asc", &descending);
      list.descending = descending;
    } else if (name == "count") {
      if (text != "exact") return Add(name, "value", "count takes exact.");
      options_.count_exact = true;
    } else if (name == "fields") {
      ReadFields(text);
    } else if (name == "expand") {
      ReadExpand(text);
    } else if (name == "or") {
      ReadAlternatives(text);
    }
  }

  void ReadChoice(std::string_view name, const std::string& text, std::string_view yes,
                  std::string_view no, bool* out) {
    if (text != yes && text != no) {
      Add(name, "value", fmt::format("{} takes {} or {}.", name, yes, no));
    }
    *out = text == yes;
  }

  void ReadLimit(const std::string& text) {
    const int64_t limit = text::ParseNumber<int64_t>(text).value_or(0);
    if (limit < 1 || limit > entities::kMaxPage) {
      return Add("limit", "range",
                 fmt::format("limit is a number from 1 to {}.", entities::kMaxPage));
    }
    options_.list.limit = limit;
  }

  void ReadFields(const std::string& text) {
    for (std::string& path : SplitNames(text)) {
      if (!IsMemberField(path) && VisibleType(entity_, path) == nullptr) {
        std::vector<std::string_view> candidates;
        AddAttributes(&candidates);
        const auto near = Suggest(path, candidates);
        Add("fields", "unknown",
            fmt::format("{} has no attribute {}.{}", entity_.name(), path,
                        near ? fmt::format(" Did you mean {}?", *near) : ""));
        continue;
      }
      options_.presentation.fields.push_back(std::move(path));
    }
  }

  // Of an item with its collection also lines, lines.Quantity.
  bool IsMemberField(std::string_view path) const {
    const ServedPattern* collection =
        shape_ == kCollection ? pattern_ : call_.model->CollectionOf(entity_);
    if (collection == nullptr || shape_ == kList) return false;
    const size_t dot = path.find('.');
    for (const auto& member : collection->collection->members) {
      if (member.name != path.substr(0, dot)) continue;
      const entities::Entity* entity = call_.model->application().Find(member.entity);
      return dot == std::string_view::npos || VisibleType(*entity, path.substr(dot + 1)) != nullptr;
    }
    return false;
  }

  void ReadExpand(const std::string& text) {
    const ServedPattern* collection = call_.model->CollectionOf(entity_);
    std::vector<std::string_view> members;
    if (collection != nullptr) {
      for (const auto& member : collection->collection->members) members.push_back(member.name);
    }
    for (std::string& name : SplitNames(text)) {
      if (std::find(members.begin(), members.end(), name) == members.end()) {
        Add("expand", "unknown",
            fmt::format("{} has no members {}; there are: {}.", entity_.name(), name,
                        members.empty() ? "none" : fmt::format("{}", fmt::join(members, ", "))));
        continue;
      }
      options_.expand.push_back(std::move(name));
    }
  }

  void CheckRequired() {
    // Only the members of an item come in pages.
    if (shape_ == kItem && options_.expand.empty()) {
      constexpr std::string_view kPaging =
          "This is about members of the item; say which with expand.";
      if (options_.after != nullptr) Add("after", "unknown", std::string(kPaging));
      if (options_.list.limit) Add("limit", "unknown", std::string(kPaging));
    }
    if (pattern_ == nullptr) return;
    for (const PatternParameter& parameter : pattern_->parameters) {
      if (!parameter.required || options_.list.parameters.Contains(parameter.name)) continue;
      if (IsTenant(parameter.name)) {
        if (call_.caller.tenant) continue;
        Add(parameter.name, "required",
            fmt::format("Name the tenant: with the header Tenant, or with {}=.", parameter.name));
        continue;
      }
      const bool known = std::any_of(problems_.begin(), problems_.end(), [&](const auto& problem) {
        return problem.path == parameter.name;
      });
      if (known) continue;
      Add(parameter.name, "required", fmt::format("{} must be given.", parameter.name));
    }
  }

  const Call& call_;
  const entities::Entity& entity_;
  const ServedPattern* pattern_;
  const Shape shape_;
  ReadOptions options_;
  std::vector<entities::FieldProblem> problems_;
  std::optional<Error> unserved_;
};

}  // namespace

Result<ReadOptions> ParseReadOptions(const Call& call, const entities::Entity& entity,
                                     const ServedPattern* pattern) {
  return Parsing(call, entity, pattern).Run();
}

}  // namespace monotable::api::rest
