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

// Whether an expression cannot name the attribute directly. Reserved words need an alias (#name) in
// ExpressionAttributeNames, and so do names that are not a letter followed by letters, digits and
// underscores.
bool NeedsAlias(std::string_view name);

// Collects the aliases and values that the expressions of one request use. Not thread-safe.
class ExpressionTerms {
 public:
  // The name of an attribute in an expression: its own name or an alias. Paths have dots.
  std::string Name(const std::string& attribute);
  std::string Path(std::string_view path);
  // The name of a value that is given as text: the template of a parameter, or a number.
  std::string Text(std::string_view name, item::Type type, std::string_view text);
  // The same for a string, a number or a boolean, which gets a new name.
  std::optional<std::string> Literal(const item::Value& value);

  // Writes ExpressionAttributeNames and ExpressionAttributeValues, if there are any.
  void Write(json::Writer* writer) const;

 private:
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair> names_;   // alias and name
  std::vector<Pair> values_;  // placeholder and JSON
};

// A pattern's filter in DynamoDB's condition language. Nothing if the filter computes something, or
// names a value that is not stored as the rule sees it.
std::optional<std::string> FilterOf(const EntityModel& entity, const Rule& filter,
                                    ExpressionTerms* terms);

// The requests of a plan as a DynamoDB client would send them.

// The first step as JSON, with {parameters} in the values and in the table's name.
std::string RequestOf(const Model& model, const PatternModel& pattern, const ReadPlan& plan);

}  // namespace monotable::model
