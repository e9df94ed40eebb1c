#include "model/rule/rule.h"

#include <algorithm>
#include <utility>

#include "model/rule/evaluation.h"
#include "model/rule/parser.h"
#include "model/rule/tree.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;

void AddOnce(const std::string& path, std::vector<std::string>* paths) {
  if (std::find(paths->begin(), paths->end(), path) == paths->end()) paths->push_back(path);
}

void CollectPaths(const RuleNode& node, std::vector<std::string>* paths,
                  std::vector<std::string>* aggregates) {
  if (node.kind == NodeKind::kPath) AddOnce(node.path, paths);
  if (node.kind == NodeKind::kSum || node.kind == NodeKind::kCount) AddOnce(node.path, aggregates);
  for (const RuleTree& operand : node.operands) CollectPaths(*operand, paths, aggregates);
}

RuleTree WithWordsAsText(const RuleTree& tree,
                         const std::function<bool(std::string_view path)>& is_attribute) {
  auto node = std::make_shared<RuleNode>(*tree);
  if (node->kind == NodeKind::kPath && !is_attribute(node->path)) {
    node->kind = NodeKind::kLiteral;
    node->literal = item::Value(std::exchange(node->path, ""));
  }
  for (RuleTree& operand : node->operands) operand = WithWordsAsText(operand, is_attribute);
  return node;
}

Error CannotEvaluate(const std::string& rule, const Error& why) {
  return Error::Validation("The rule \"" + rule + "\" cannot be evaluated: " + why.message());
}

}  // namespace

Result<Rule> Rule::Parse(std::string_view text) {
  Rule rule;
  rule.text_ = text;
  TRY_ASSIGN(rule.root_, ParseRule(text));
  CollectPaths(*rule.root_, &rule.paths_, &rule.aggregates_);
  return rule;
}

Rule Rule::Resolve(const std::function<bool(std::string_view path)>& is_attribute) const {
  Rule rule;
  rule.text_ = text_;
  if (root_ == nullptr) return rule;
  rule.root_ = WithWordsAsText(root_, is_attribute);
  CollectPaths(*rule.root_, &rule.paths_, &rule.aggregates_);
  return rule;
}

Result<bool> Rule::Test(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was tested");
  Result<bool> result = TestRule(*root_, scope);
  if (!result) return CannotEvaluate(text_, result.error());
  return result;
}

Result<std::optional<item::Value>> Rule::Evaluate(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was evaluated");
  Result<std::optional<item::Value>> result = EvaluateRule(*root_, scope);
  if (!result) return CannotEvaluate(text_, result.error());
  return result;
}

}  // namespace monotable::model
