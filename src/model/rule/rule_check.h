#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/rule/rule.h"
#include "model/type.h"

// Finds out what the names of a rule mean and whether its types fit, before anything is evaluated.
namespace monotable::model {

// What the names in a rule may refer to.
class RuleVocabulary {
 public:
  virtual ~RuleVocabulary() = default;
  // The type of an attribute by its path; null if there is none.
  virtual const TypeModel* FindAttribute(std::string_view path) const = 0;
  // The names of the members of a collection; null if there is no such collection.
  virtual std::unique_ptr<RuleVocabulary> FindMembers(std::string_view collection) const = 0;
  virtual const EnumModel* FindEnum(std::string_view name) const = 0;
  // Whether some enum of the model has this value.
  virtual bool IsEnumValue(std::string_view word) const = 0;
  // Names that an author may have meant.
  virtual std::vector<std::string> Known() const = 0;
};

// What a rule must be.
struct RuleExpectation {
  bool condition = false;           // true or false
  const TypeModel* type = nullptr;  // or a value for an attribute of this type
};

struct RuleMistake {
  std::string id;
  std::string message;  // with the character of the rule
  std::string fix;
};

struct CheckedRule {
  Rule rule;  // to be evaluated, if there are no mistakes
  std::vector<RuleMistake> mistakes;
};

CheckedRule CheckRule(const Rule& parsed, const RuleVocabulary& names,
                      const RuleExpectation& expected);

}  // namespace monotable::model
