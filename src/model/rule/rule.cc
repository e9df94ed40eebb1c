#include "model/rule/rule.h"

#include <algorithm>
#include <utility>

#include "model/rule/rule_tree.h"

namespace monotable::model {
namespace {

void AddOnce(const std::string& path, std::vector<std::string>* paths) {
  if (std::find(paths->begin(), paths->end(), path) == paths->end()) paths->push_back(path);
}

void CollectPaths(const RuleNode& node, std::vector<std::string>* paths,
                  std::vector<std::string>* aggregates) {
  if (node.kind == RuleNode::Kind::kPath && !node.of_member) AddOnce(node.path, paths);
  if (node.kind == RuleNode::Kind::kAggregate) AddOnce(node.path, aggregates);
  for (const RuleTree& operand : node.operands) CollectPaths(*operand, paths, aggregates);
}

}  // namespace

Result<Rule> Rule::Parse(std::string_view text) {
  TRY_ASSIGN(std::shared_ptr<const RuleNode> root, ParseRule(text));
  return Of(std::string(text), std::move(root));
}

Rule Rule::Of(std::string text, std::shared_ptr<const RuleNode> root) {
  Rule rule;
  rule.text_ = std::move(text);
  rule.root_ = std::move(root);
  if (rule.root_ != nullptr) CollectPaths(*rule.root_, &rule.paths_, &rule.aggregates_);
  return rule;
}

}  // namespace monotable::model
