#include "model/rule/rule_check.h"

#include <algorithm>
#include <utility>

#include "model/finding.h"
#include "model/rule/rule_tree.h"
#include "model/rule/rule_type.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;
using Function = RuleNode::Function;
using Kind = RuleType::Kind;

RuleType OfNumber(const item::Number& number) {
  int64_t whole = 0;
  if (number.ToInt64(&whole)) return Simple(Kind::kInteger);
  RuleType type = Simple(Kind::kDecimal);
  type.scale = std::max(0, static_cast<int>(number.Digits().size()) - 1 - number.magnitude());
  return type;
}

RuleNode::Moment FormOf(const TypeModel& type) {
  if (type.kind == TypeKind::kDate) return RuleNode::Moment::kDate;
  if (type.kind != TypeKind::kInstant) return RuleNode::Moment::kNo;
  switch (type.stored) {
    case InstantForm::kIso:
      return RuleNode::Moment::kIso;
    case InstantForm::kBrazilian:
      return RuleNode::Moment::kBrazilian;
    case InstantForm::kEpoch:
      return RuleNode::Moment::kEpoch;
    case InstantForm::kEpochMillis:
      return RuleNode::Moment::kEpochMillis;
  }
  return RuleNode::Moment::kNo;
}

// Makes the typed tree of a rule. Names are looked up among those of a member first, if the part is
// the condition of an aggregate.
class RuleChecker {
 public:
  RuleChecker(const Rule& rule, const RuleVocabulary& names) : rule_(rule), names_(names) {}

  RuleType Check(RuleTree* tree) {
    auto node = std::make_shared<RuleNode>(**tree);
    RuleType type = CheckNode(node.get());
    *tree = std::move(node);
    return type;
  }

  void CheckCondition(RuleTree* tree) {
    const size_t at = (*tree)->at;
    const RuleType type = Check(tree);
    if (type.kind == Kind::kBoolean || IsOpen(type)) return;
    Say("not_a_condition", at, "A condition is needed here, and this is " + Described(type),
        "Compare it with something, as in Total > 0.");
  }

  void Assign(const RuleType& from, const TypeModel& to, size_t at) {
    if (from.kind != Kind::kList && !from.choices.empty()) {
      for (const RuleType& choice : from.choices) Assign(choice, to, at);
      return;
    }
    const std::string reason = WhyNotAssigned(from, to, names_.FindEnum(to.enum_name));
    if (reason.empty()) return;
    const bool of_enum = to.kind == TypeKind::kEnum && IsText(from);
    Say(of_enum ? "unknown_value" : "value_does_not_fit", at, reason,
        of_enum ? "Write one of its values." : "Change the expression or the attribute's type.");
  }

  std::vector<RuleMistake> TakeMistakes() { return std::move(mistakes_); }

 private:
  void Say(std::string id, size_t at, const std::string& what, std::string fix) {
    mistakes_.push_back({std::move(id),
                         "\"" + rule_.text() + "\": " + what + ", at character " +
                             std::to_string(CharacterAt(rule_.text(), at)) + ".",
                         std::move(fix)});
  }

  RuleType Mismatch(const RuleNode& node, const std::string& what, std::string fix) {
    Say("types_do_not_fit", node.at, what, std::move(fix));
    return Simple(Kind::kAny);
  }

  RuleType CheckNode(RuleNode* node) {
    switch (node->kind) {
      case NodeKind::kLiteral:
        return OfLiteral(*node);
      case NodeKind::kDuration:
        return Simple(Kind::kDuration);
      case NodeKind::kNow:
        return Simple(Kind::kInstant);
      case NodeKind::kList:
        return CheckList(node);
      case NodeKind::kPath:
        return CheckPath(node);
      case NodeKind::kAggregate:
        return CheckAggregate(node);
      case NodeKind::kCall:
        return CheckCall(node);
      case NodeKind::kOr:
      case NodeKind::kAnd:
      case NodeKind::kNot:
        for (RuleTree& operand : node->operands) CheckCondition(&operand);
        return Simple(Kind::kBoolean);
      case NodeKind::kNegate: {
        RuleType type = Check(&node->operands[0]);
        if (IsNumber(type) || IsOpen(type) || type.kind == Kind::kDuration) return type;
        return Mismatch(*node, Described(type) + " has no sign", "Use a number.");
      }
      case NodeKind::kAdd:
      case NodeKind::kSubtract:
      case NodeKind::kMultiply:
      case NodeKind::kDivide: {
        const RuleType left = Check(&node->operands[0]);
        const RuleType right = Check(&node->operands[1]);
        return CheckArithmetic(*node, left, right);
      }
      default:
        return CheckComparison(node);
    }
  }

  static RuleType OfLiteral(const RuleNode& node) {
    switch (node.literal.type()) {
      case item::Type::kNull:
        return Simple(Kind::kNull);
      case item::Type::kBool:
        return Simple(Kind::kBoolean);
      case item::Type::kNumber:
        return OfNumber(node.literal.number());
      case item::Type::kString: {
        RuleType type = Simple(Kind::kText);
        type.text = node.literal.string();
        type.literal = true;
        return type;
      }
      default:
        return Simple(Kind::kAny);
    }
  }

  RuleType Of(const TypeModel& type) const {
    switch (type.kind) {
      case TypeKind::kString:
        return Simple(Kind::kText);
      case TypeKind::kInteger:
        return Simple(Kind::kInteger);
      case TypeKind::kDecimal: {
        RuleType made = Simple(Kind::kDecimal);
        made.scale = type.scale;
        return made;
      }
      case TypeKind::kBoolean:
        return Simple(Kind::kBoolean);
      case TypeKind::kInstant:
        return Simple(Kind::kInstant);
      case TypeKind::kDate:
        return Simple(Kind::kDate);
      case TypeKind::kBinary:
        return Simple(Kind::kBinary);
      case TypeKind::kEnum: {
        RuleType made = Simple(Kind::kEnum);
        made.values = names_.FindEnum(type.enum_name);
        return made;
      }
      case TypeKind::kList:
      case TypeKind::kSet:
        return ListOf(type.element ? Of(*type.element) : Simple(Kind::kAny));
      case TypeKind::kObject:
      case TypeKind::kMap:
        return Simple(Kind::kObject);
      case TypeKind::kAny:
        return Simple(Kind::kAny);
    }
    return Simple(Kind::kAny);
  }

  RuleType CheckPath(RuleNode* node) {
    const TypeModel* type = member_ == nullptr ? nullptr : member_->FindAttribute(node->path);
    node->of_member = type != nullptr;
    if (type == nullptr) type = names_.FindAttribute(node->path);
    if (type != nullptr) {
      node->moment = FormOf(*type);
      return Of(*type);
    }
    const bool word = node->path.find('.') == std::string::npos;
    if (!word || !names_.IsEnumValue(node->path)) {
      const std::vector<std::string> known = (member_ != nullptr ? member_ : &names_)->Known();
      const std::string closest = ClosestName(node->path, known);
      Say("unknown_name", node->at,
          "\"" + node->path +
              "\" is neither an attribute that this rule can see nor a value of an enum",
          closest.empty() ? "Put text in single quotes; a rule sees other entities through ref or "
                            "parent."
                          : "Did you mean " + closest + "?");
      return Simple(Kind::kAny);
    }
    RuleType made = Simple(Kind::kWord);
    made.text = node->path;
    node->kind = NodeKind::kLiteral;
    node->literal = item::Value(std::exchange(node->path, ""));
    return made;
  }

  // A list of literals becomes a literal, so that evaluating it copies nothing.
  RuleType CheckList(RuleNode* node) {
    RuleType element = Simple(Kind::kAny);
    std::vector<RuleType> members;
    item::List literals;
    for (RuleTree& operand : node->operands) {
      members.push_back(Check(&operand));
      if (operand->kind == NodeKind::kLiteral) literals.push_back(operand->literal);
    }
    if (!members.empty() && std::all_of(members.begin(), members.end(), [&](const RuleType& one) {
          return one.kind == members.front().kind;
        })) {
      element = members.front();
    }
    if (literals.size() == node->operands.size()) {
      node->kind = NodeKind::kLiteral;
      node->literal = item::Value(std::move(literals));
    }
    RuleType list = ListOf(std::move(element));
    list.choices = std::move(members);
    return list;
  }

  RuleType CheckComparison(RuleNode* node) {
    const RuleType left = Check(&node->operands[0]);
    if (node->kind == NodeKind::kIn) return CheckIn(node, left);
    const RuleType right = Check(&node->operands[1]);
    std::string reason = WhyDifferent(left, right);
    const bool ordered = node->kind != NodeKind::kEqual && node->kind != NodeKind::kNotEqual;
    if (reason.empty() && ordered) {
      for (const RuleType& side : {left, right}) {
        const bool has_order = IsNumber(side) || IsMoment(side) || IsOpen(side) ||
                               side.kind == Kind::kText || side.kind == Kind::kDuration;
        if (!has_order && reason.empty()) reason = Described(side) + " has no order";
      }
    }
    if (!reason.empty() && ordered) {
      Mismatch(*node, reason, "Compare numbers, texts or moments.");
    } else if (!reason.empty()) {
      TellComparison(*node, reason, left, right);
    }
    return Simple(Kind::kBoolean);
  }

  void TellComparison(const RuleNode& node, const std::string& reason, const RuleType& left,
                      const RuleType& right) {
    const bool of_enum = left.kind == Kind::kEnum || right.kind == Kind::kEnum;
    Say(of_enum && IsText(left) && IsText(right) ? "unknown_value" : "types_do_not_fit", node.at,
        reason, of_enum ? "Compare with one of its values." : "Compare values of one type.");
  }

  RuleType CheckIn(RuleNode* node, const RuleType& left) {
    RuleTree& list = node->operands[1];
    const bool written = list->kind == NodeKind::kList;
    const RuleType right = Check(&list);
    if (written) {
      for (const RuleType& member : right.choices) {
        const std::string reason = WhyDifferent(left, member);
        if (!reason.empty()) TellComparison(*node, reason, left, member);
      }
      return Simple(Kind::kBoolean);
    }
    if (IsOpen(right)) return Simple(Kind::kBoolean);
    const std::string reason = right.kind == Kind::kList && right.element
                                   ? WhyDifferent(left, *right.element)
                                   : "in needs a list or a set, and not " + Described(right);
    if (!reason.empty()) TellComparison(*node, reason, left, right);
    return Simple(Kind::kBoolean);
  }

  RuleType CheckArithmetic(const RuleNode& node, const RuleType& a, const RuleType& b) {
    const bool duration = a.kind == Kind::kDuration || b.kind == Kind::kDuration;
    if (IsNumber(a) && IsNumber(b)) {
      if (node.kind == NodeKind::kDivide) return Simple(Kind::kDecimal);
      return JoinNumbers(a, b, node.kind == NodeKind::kMultiply);
    }
    const bool adds = node.kind == NodeKind::kAdd;
    const bool subtracts = node.kind == NodeKind::kSubtract;
    if ((adds || subtracts) && IsMoment(a) && b.kind == Kind::kDuration) {
      return Simple(Kind::kInstant);
    }
    if (adds && a.kind == Kind::kDuration && IsMoment(b)) return Simple(Kind::kInstant);
    if (subtracts && IsMoment(a) && IsMoment(b)) return Simple(Kind::kDuration);
    if ((adds || subtracts) && a.kind == Kind::kDuration && b.kind == Kind::kDuration) return a;
    if (node.kind == NodeKind::kDivide && a.kind == Kind::kDuration && b.kind == Kind::kDuration) {
      return Simple(Kind::kDecimal);
    }
    if (!adds && !subtracts && a.kind == Kind::kDuration && IsNumber(b)) return a;
    if (node.kind == NodeKind::kMultiply && IsNumber(a) && b.kind == Kind::kDuration) return b;
    const auto fits = [&](const RuleType& type) {
      return IsOpen(type) || IsNumber(type) || type.kind == Kind::kDuration ||
             (IsMoment(type) && (adds || subtracts));
    };
    if (fits(a) && fits(b) && (IsOpen(a) || IsOpen(b))) {
      return Simple(duration || IsMoment(a) || IsMoment(b) ? Kind::kAny : Kind::kDecimal);
    }
    const RuleType& wrong = fits(a) ? b : a;
    return Mismatch(node,
                    fits(a) && fits(b) ? Described(a) + " and " + Described(b) +
                                             " cannot be calculated with each other"
                                       : Described(wrong) + " cannot be calculated with",
                    IsText(wrong) ? "Texts are joined with concat(a, b)."
                                  : "Calculate with numbers, or with moments and durations (4h).");
  }

  RuleType CheckCall(RuleNode* node) {
    size_t first = 0;
    if (node->function == Function::kIf) {
      CheckCondition(&node->operands[0]);
      first = 1;
    }
    std::vector<RuleType> types;
    for (size_t i = first; i < node->operands.size(); ++i)
      types.push_back(Check(&node->operands[i]));
    if (node->function == Function::kConcat) return CheckConcat(*node, types);
    if (node->function == Function::kDays) {
      for (const RuleType& type : types) {
        if (IsMoment(type) || IsOpen(type)) continue;
        return Mismatch(*node, "days needs dates or instants, and not " + Described(type),
                        "Write for example days(CheckIn, CheckOut).");
      }
      return Simple(Kind::kInteger);
    }
    RuleType joined = types.front();
    for (size_t i = 1; i < types.size(); ++i) {
      const auto both = Join(joined, types[i]);
      if (!both) {
        return Mismatch(*node,
                        std::string(FunctionName(node->function)) + " of " + Described(joined) +
                            " and " + Described(types[i]) + " is not of one type",
                        "Give it values of one type.");
      }
      joined = *both;
    }
    const bool compares = node->function == Function::kMin || node->function == Function::kMax;
    const bool has_order = IsNumber(joined) || IsMoment(joined) || IsOpen(joined) ||
                           joined.kind == Kind::kText || joined.kind == Kind::kDuration;
    if (compares && !has_order) {
      return Mismatch(*node, Described(joined) + " has no order", "Give it numbers or moments.");
    }
    joined.choices = std::move(types);
    return joined;
  }

  RuleType CheckConcat(const RuleNode& node, const std::vector<RuleType>& types) {
    for (const RuleType& type : types) {
      if (IsText(type) || IsNumber(type) || IsMoment(type) || IsOpen(type) ||
          type.kind == Kind::kBoolean) {
        continue;
      }
      return Mismatch(node, Described(type) + " cannot be a part of a text",
                      "Give concat texts, numbers, dates or instants.");
    }
    return Simple(Kind::kText);
  }

  RuleType CheckAggregate(RuleNode* node) {
    const std::string name(FunctionName(node->function));
    if (member_ != nullptr) {
      return Mismatch(*node, name + " cannot stand in the condition of another",
                      "Derive an attribute of the member, and use that.");
    }
    const size_t dot = std::min(node->path.find('.'), node->path.size());
    const std::string head = node->path.substr(0, dot);
    const std::string tail = node->path.substr(std::min(dot + 1, node->path.size()));
    const TypeModel* list = names_.FindAttribute(head);
    const std::unique_ptr<RuleVocabulary> members = MembersOf(head, list);
    node->in_list = list != nullptr && members != nullptr && !names_.FindMembers(head);
    const TypeModel* type = nullptr;
    if (members != nullptr) {
      type = tail.empty() && node->in_list && list->element ? list->element.get()
                                                            : members->FindAttribute(tail);
    }
    if (members == nullptr || (!tail.empty() && type == nullptr)) {
      Say("unknown_aggregate", node->at,
          "\"" + node->path + "\" is neither a member of a collection with this root nor a list",
          "Name a member of a collection whose root is this entity.");
      return Simple(Kind::kAny);
    }
    if (!node->operands.empty()) {
      member_ = members.get();
      CheckCondition(&node->operands[0]);
      member_ = nullptr;
    }
    if (type != nullptr) node->moment = FormOf(*type);
    return OfAggregate(*node, type == nullptr ? std::nullopt : std::optional(Of(*type)));
  }

  RuleType OfAggregate(const RuleNode& node, const std::optional<RuleType>& member) {
    const std::string name(FunctionName(node.function));
    switch (node.function) {
      case Function::kCount:
        return Simple(Kind::kInteger);
      case Function::kAll:
      case Function::kAny:
        return Simple(Kind::kBoolean);
      default:
        break;
    }
    if (!member) {
      return Mismatch(node, name + " needs a member and its attribute",
                      "Write for example " + name + "(lines.Total).");
    }
    const bool compares = node.function == Function::kMin || node.function == Function::kMax;
    const bool fits = IsNumber(*member) || IsOpen(*member) ||
                      (compares && (IsMoment(*member) || member->kind == Kind::kText));
    if (!fits) {
      return Mismatch(node, name + " of " + Described(*member) + " means nothing",
                      compares ? "Name a number, a text or a moment." : "Name a number.");
    }
    return node.function == Function::kAvg ? Simple(Kind::kDecimal) : *member;
  }

  // The attributes of what a list holds.
  class ElementNames final : public RuleVocabulary {
   public:
    ElementNames(const TypeModel* element, const RuleVocabulary& outer)
        : element_(element), outer_(outer) {}
    const TypeModel* FindAttribute(std::string_view path) const override {
      return element_ == nullptr ? nullptr : element_->FindPath(path);
    }
    std::unique_ptr<RuleVocabulary> FindMembers(std::string_view) const override { return nullptr; }
    const EnumModel* FindEnum(std::string_view name) const override {
      return outer_.FindEnum(name);
    }
    bool IsEnumValue(std::string_view word) const override { return outer_.IsEnumValue(word); }
    std::vector<std::string> Known() const override {
      std::vector<std::string> known;
      if (element_ == nullptr) return known;
      for (const AttributeModel& one : element_->attributes) known.push_back(one.name);
      return known;
    }

   private:
    const TypeModel* element_;
    const RuleVocabulary& outer_;
  };

  std::unique_ptr<RuleVocabulary> MembersOf(const std::string& head, const TypeModel* list) const {
    if (auto members = names_.FindMembers(head)) return members;
    if (list == nullptr) return nullptr;
    switch (list->kind) {
      case TypeKind::kList:
      case TypeKind::kSet:
      case TypeKind::kMap:
        return std::make_unique<ElementNames>(list->element.get(), names_);
      case TypeKind::kAny:
        return std::make_unique<ElementNames>(list, names_);
      default:
        return nullptr;
    }
  }

  const Rule& rule_;
  const RuleVocabulary& names_;
  const RuleVocabulary* member_ = nullptr;
  std::vector<RuleMistake> mistakes_;
};

}  // namespace

CheckedRule CheckRule(const Rule& parsed, const RuleVocabulary& names,
                      const RuleExpectation& expected) {
  CheckedRule checked;
  RuleTree root = parsed.root();
  if (root == nullptr) return checked;
  RuleChecker checker(parsed, names);
  if (expected.condition) {
    checker.CheckCondition(&root);
  } else {
    const RuleType type = checker.Check(&root);
    if (expected.type != nullptr) checker.Assign(type, *expected.type, root->at);
  }
  checked.rule = Rule::Of(parsed.text(), std::move(root));
  checked.mistakes = checker.TakeMistakes();
  return checked;
}

}  // namespace monotable::model
