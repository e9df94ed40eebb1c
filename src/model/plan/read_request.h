#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item/value.h"
#include "json/json_writer.h"
#include "model/model.h"
#include "model/plan/read_plan.h"

// The expressions of a DynamoDB request and what they refer to.
namespace monotable::model {

// Whether an expression cannot name the attribute as it is. The reserved words and names with other
// characters than letters, digits and underscores after a first letter need an alias (#name) in
// ExpressionAttributeNames.
bool NeedsAlias(std::string_view name);

// Collects the aliases and values that the expressions of one request use. Not thread-safe.
class ExpressionTerms {
 public:
  // How an expression names an attribute: as it is, or by an alias. Paths have dots.
  std::string Name(const std::string& attribute);
  std::string Path(std::string_view path);
  // How it names a value that is given as text: a parameter's template or a number.
  std::string Text(std::string_view name, item::Type type, std::string_view text);
  // The same for a string, a number or a boolean, with a name of its own.
  std::optional<std::string> Literal(const item::Value& value);

  // ExpressionAttributeNames and ExpressionAttributeValues, if there are any.
  void Write(json::Writer* writer) const;

 private:
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair> names_;   // alias and name
  std::vector<Pair> values_;  // placeholder and JSON
};

// A pattern's filter as DynamoDB's condition language says it; nothing if it computes something, or
// names what is not stored as the rule sees it.
std::optional<std::string> FilterOf(const EntityModel& entity, const Rule& filter,
                                    ExpressionTerms* terms);

// The requests of a plan as a DynamoDB client would send them.

// The first step as JSON, with {parameters} in the values and in the table's name.
std::string RequestOf(const Model& model, const PatternModel& pattern, const ReadPlan& plan);

}  // namespace monotable::model
