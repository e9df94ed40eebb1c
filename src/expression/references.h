#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/path.h"
#include "expression/substitutions.h"
#include "item/value.h"

namespace monotable::expression {

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
};

// Undefined names and values are errors; `parameter` is the name of the expression for messages.
Result<Binding> Bind(const References& references, std::string_view parameter,
                     Substitutions& substitutions);

// The same for references that have no substitutions.
Binding BindConstants(const References& references);

// "Invalid ConditionExpression: what"
Error InvalidExpression(std::string_view parameter, std::string_view what);

}  // namespace monotable::expression
