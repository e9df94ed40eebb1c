#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/path.h"
#include "item/value.h"

namespace monotable::expression {

// One expression parameter of an operation, as far as Substitutions::Check needs to know it.
struct ExpressionParameter {
  std::string_view name;  // "ConditionExpression"
  bool present = false;
  bool takes_values = true;  // false for ProjectionExpression, which only has names
};

// ExpressionAttributeNames and ExpressionAttributeValues of one request, shared by all of its
// expressions. It records which of them were used, because the service refuses unused ones.
//
// Bound expressions point into a Substitutions, so it must outlive them. Moving it is safe, because
// the values they point at stay in place. Not thread-safe while expressions are being bound.
class Substitutions {
 public:
  using Names = std::map<std::string, std::string>;
  using Values = std::map<std::string, item::Value>;

  Substitutions() = default;
  Substitutions(std::optional<Names> names, std::optional<Values> values);
  Substitutions(Substitutions&&) noexcept = default;
  Substitutions& operator=(Substitutions&&) noexcept = default;

  // Checks both maps by themselves: that some expression of the operation (`parameters`, in the
  // order the operation's messages list them) can use them, that they are not empty, the syntax
  // and length of their keys, the names by themselves, and their total size.
  Status Check(std::span<const ExpressionParameter> parameters) const;

  // What a token such as "#n" or ":v" stands for, now marked as used; nullptr if undefined.
  const std::string* UseName(std::string_view token);
  const item::Value* UseValue(std::string_view token);

  // Must be called after every expression of the request has been bound.
  Status CheckAllUsed() const;

 private:
  template <typename T>
  struct Entry {
    std::string token;
    T meaning;
    bool used = false;
  };
  // Sorted by token, because the maps are.
  template <typename T>
  using Entries = std::optional<std::vector<Entry<T>>>;

  template <typename T>
  static Entries<T> Take(std::optional<std::map<std::string, T>> map);
  template <typename T>
  static const T* Use(Entries<T>& entries, std::string_view token);
  template <typename T>
  static Status CheckTokens(const Entries<T>& entries, std::string_view parameter, char sigil);
  template <typename T>
  static Status CheckUsed(const Entries<T>& entries, std::string_view parameter);
  Status CheckNames() const;
  Status CheckSize() const;

  Entries<std::string> names_;
  Entries<item::Value> values_;
};

// What a parsed expression refers to: document paths and values, by slot. This part of an
// expression depends on its text only, so it is shared by all requests with that text; Bind gives
// it the names and values of one request.
struct References {
  struct Element {
    std::string name;             // as written: an attribute name or a #name
    bool is_substituted = false;  // whether it is a #name
    std::optional<uint32_t> index;
  };
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  std::vector<Element> elements;  // of all paths, one path after the other
  std::vector<Range> paths;
  std::vector<std::string> value_tokens;  // each once
  // Legacy parameters have values instead of tokens.
  std::vector<item::Value> constants;

  // For the legacy parameters, whose names are taken literally.
  uint32_t AddTopLevelPath(std::string name);
  uint32_t AddConstant(item::Value value);
};

// References with every slot filled in.
struct Binding {
  std::vector<PathElement> elements;
  std::vector<const item::Value*> values;

  Path path(const References& references, uint32_t slot) const {
    const References::Range range = references.paths[slot];
    return Path(elements).subspan(range.first, range.count);
  }
  // The attributes at which the paths start, each once, sorted.
  std::vector<std::string_view> MentionedNames(const References& references) const;
};

// Undefined names and values are errors; `parameter` is the name of the expression for messages.
Result<Binding> Bind(const References& references, std::string_view parameter,
                     Substitutions& substitutions);

// The same for references that have no substitutions.
Binding BindConstants(const References& references);

// "Invalid ConditionExpression: what"
Error InvalidExpression(std::string_view parameter, std::string_view what);

}  // namespace monotable::expression
