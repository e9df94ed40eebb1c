#include "model/plan/read_plan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "model/plan/keys.h"
#include "model/plan/read_request.h"

namespace monotable::model {
namespace {

// Whether the texts that begin with one literal all sort before those that begin with the other.
bool SortsBefore(std::string_view a, std::string_view b) {
  const size_t length = std::min(a.size(), b.size());
  return a.substr(0, length) < b.substr(0, length);
}

// Whether sort keys of `other` may be within the bounds. `value` and `upper` of the condition name
// attributes of `entity`.
bool MayBeInRange(const Model& model, const EntityModel& entity, const SortCondition& condition,
                  const EntityModel& other, const Template& text) {
  const std::string begin = text.Prefix();
  const std::string bound = condition.value.Prefix();
  switch (condition.comparison) {
    case WhereTerm::Comparison::kEqual:
      return TextShape::Of(model, entity, condition.value).Meets(TextShape::Of(model, other, text));
    case WhereTerm::Comparison::kBeginsWith:
      return TextShape::Of(model, entity, condition.value)
          .AndMore()
          .Meets(TextShape::Of(model, other, text));
    case WhereTerm::Comparison::kLess:
    case WhereTerm::Comparison::kLessOrEqual:
      return !SortsBefore(bound, begin);
    case WhereTerm::Comparison::kGreater:
    case WhereTerm::Comparison::kGreaterOrEqual:
      return !SortsBefore(begin, bound);
    case WhereTerm::Comparison::kBetween:
      return !SortsBefore(begin, bound) &&
             !(condition.upper && SortsBefore(condition.upper->Prefix(), begin));
  }
  return true;
}

bool IsWanted(const Model& model, const PatternModel& pattern, const std::string& entity) {
  if (entity == pattern.entity) return true;
  if (pattern.kind != PatternModel::Kind::kCollection) return false;
  const CollectionModel* collection = model.FindCollection(pattern.collection);
  return collection != nullptr && std::ranges::any_of(collection->members, [&](const auto& member) {
           return member.entity == entity;
         });
}

// The other entities whose items a Query may return, because nothing in the keys keeps them out of
// the partition and range that it reads. In the order of the model.
std::vector<std::string> AlsoRead(const Model& model, const PatternModel& pattern,
                                  const ReadStep& step) {
  std::vector<std::string> names;
  const EntityModel* entity = model.FindEntity(pattern.entity);
  const TableModel* table = model.FindTable(step.table);
  if (entity == nullptr || table == nullptr) return names;
  const TextShape partition = TextShape::Of(model, *entity, step.hash);
  for (const EntityModel& other : model.entities) {
    if (other.table != step.table || IsWanted(model, pattern, other.name)) continue;
    const std::optional<KeyTexts> texts = KeyTextsOf(*table, other, step.index);
    if (!texts || !partition.Meets(TextShape::Of(model, other, texts->hash))) continue;
    if (step.range && texts->range &&
        !MayBeInRange(model, *entity, *step.range, other, *texts->range)) {
      continue;
    }
    names.push_back(other.name);
  }
  return names;
}

// Sorts after every text that continues with a delimiter, so that BETWEEN includes keys in which
// more text follows the upper bound.
constexpr std::string_view kAfterDelimiters = "\xEF\xBF\xBF";  // U+FFFF

template <typename Names>
void AddNames(const Names& names, std::vector<std::string>* all) {
  for (const std::string& name : names) {
    if (std::ranges::find(*all, name) == all->end()) all->push_back(name);
  }
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// Parses text that was put together from other templates, and is therefore a valid template.
Template Reparsed(const std::string& text) {
  Result<Template> parsed = Template::Parse(text);
  return parsed ? *std::move(parsed) : Template();
}

// Finds the first request of a pattern. Functions that return bool return false after saying in the
// plan why the pattern is not served.
class StepPlanner {
 public:
  StepPlanner(const Model& model, const PatternModel& pattern, const EntityModel& entity,
              const TableModel& table, ReadPlan* plan)
      : model_(model), pattern_(pattern), entity_(entity), table_(table), plan_(*plan) {}

  bool Plan() {
    if (pattern_.kind == PatternModel::Kind::kCollection) return Collection();
    if (pattern_.fan_out) return FanOut();
    if (!pattern_.where.empty()) return QueryWhere();
    if (pattern_.kind == PatternModel::Kind::kGet) return GetByKey();
    return NotServed("it has neither where nor fan_out, so only a Scan can find the items");
  }

 private:
  bool NotServed(std::string reason) {
    plan_.reason = std::move(reason);
    return false;
  }

  // The name of the table or index in messages.
  static std::string Label(std::string_view index) {
    return index.empty() ? "the table" : std::string(index);
  }

  // The names of the key attributes and the entity's texts for them.
  bool Keys(const std::string& index, KeyNames* names, KeyTexts* texts) {
    const std::optional<KeyNames> found = KeyNamesOf(table_, index);
    if (!found) return NotServed("there is no index " + index);
    std::optional<KeyTexts> made = KeyTextsOf(table_, entity_, index);
    if (!made) return NotServed(entity_.name + " has no keys in " + Label(index));
    *names = *found;
    *texts = *std::move(made);
    return true;
  }

  ReadStep& AddStep(ReadStep::Action action, const std::string& index, const KeyNames& names,
                    Template hash) {
    ReadStep step;
    step.action = action;
    step.table = table_.id;
    step.index = index;
    step.entity = entity_.name;
    step.hash_attribute = names.hash;
    step.hash = std::move(hash);
    plan_.steps.push_back(std::move(step));
    return plan_.steps.back();
  }

  static void Bound(ReadStep* step, const std::string& attribute, SortCondition condition) {
    step->range_attribute = attribute;
    step->range = std::move(condition);
  }

  bool Given(const Template& text) const {
    return std::ranges::all_of(text.attributes(), [this](const std::string& name) {
      return std::ranges::find(pattern_.by, name) != pattern_.by.end();
    });
  }

  std::string FirstNotGiven(const Template& text) const {
    for (std::string& name : text.attributes()) {
      if (std::ranges::find(pattern_.by, name) == pattern_.by.end()) return std::move(name);
    }
    return "";
  }

  bool GetByKey() {
    KeyNames names;
    KeyTexts texts;
    if (!Keys("", &names, &texts)) return false;
    for (const Template* text : {&texts.hash, texts.range ? &*texts.range : nullptr}) {
      if (text == nullptr || Given(*text)) continue;
      return NotServed("the key " + Quoted(text->text()) + " needs " + FirstNotGiven(*text) +
                       ", which the pattern is not given");
    }
    ReadStep& step = AddStep(ReadStep::Action::kGetItem, "", names, texts.hash);
    if (texts.range) {
      Bound(&step, names.range, {WhereTerm::Comparison::kEqual, *texts.range, std::nullopt});
    }
    AddNames(pattern_.by, &plan_.parameters);
    return true;
  }

  // Reads the terms of the where: an equality on the hash attribute, and at most one condition on
  // the range attribute.
  bool Terms(const KeyNames& names, const WhereTerm** hash, const WhereTerm** range) {
    for (const WhereTerm& term : pattern_.where) {
      const bool is_hash = term.attribute == names.hash;
      if (!is_hash && (names.range.empty() || term.attribute != names.range)) {
        return NotServed(term.attribute + " is not a key attribute of " + Label(pattern_.index));
      }
      const WhereTerm** slot = is_hash ? hash : range;
      if (*slot != nullptr) return NotServed("it has two conditions on " + term.attribute);
      *slot = &term;
    }
    if (*hash == nullptr || (*hash)->comparison != WhereTerm::Comparison::kEqual) {
      return NotServed("it does not say what " + names.hash + " equals");
    }
    return true;
  }

  bool QueryWhere() {
    KeyNames names;
    KeyTexts texts;
    const WhereTerm* hash = nullptr;
    const WhereTerm* range = nullptr;
    if (!Keys(pattern_.index, &names, &texts) || !Terms(names, &hash, &range)) return false;
    const Reach partition = Follow(hash->value, texts.hash);
    if (!partition.matches()) return Mismatch(*hash, hash->value, texts.hash, partition);
    if (!partition.IsWhole(texts.hash)) {
      return NotServed(names.hash + " = " + Quoted(hash->value.text()) +
                       " is only the beginning of " + Quoted(texts.hash.text()));
    }
    const bool whole_key = pattern_.index.empty() && range != nullptr &&
                           range->comparison == WhereTerm::Comparison::kEqual;
    const bool one = pattern_.kind == PatternModel::Kind::kGet && whole_key;
    ReadStep& step = AddStep(one ? ReadStep::Action::kGetItem : ReadStep::Action::kQuery,
                             pattern_.index, names, hash->value);
    AddNames(pattern_.by, &plan_.parameters);
    AddNames(hash->value.attributes(), &plan_.parameters);
    Reach reach;
    if (range != nullptr && !SortTerm(*range, *texts.range, &step, &reach)) return false;
    return !pattern_.range || Range(texts, names, range, reach, &step);
  }

  bool Mismatch(const WhereTerm& term, const Template& value, const Template& key,
                const Reach& reach) {
    return NotServed(term.attribute + " of " + entity_.name + " is " + Quoted(key.text()) + "; " +
                     Quoted(value.text()) + " " + reach.mismatch);
  }

  bool SortTerm(const WhereTerm& term, const Template& key, ReadStep* step, Reach* reach) {
    *reach = Follow(term.value, key);
    if (!reach->matches()) return Mismatch(term, term.value, key, *reach);
    if (term.comparison == WhereTerm::Comparison::kEqual && !reach->IsWhole(key)) {
      return NotServed(term.attribute + " = " + Quoted(term.value.text()) +
                       " is only the beginning of " + Quoted(key.text()));
    }
    AddNames(term.value.attributes(), &plan_.parameters);
    if (term.upper) {
      const Reach upper = Follow(*term.upper, key);
      if (!upper.matches()) return Mismatch(term, *term.upper, key, upper);
      AddNames(term.upper->attributes(), &plan_.parameters);
    }
    Bound(step, term.attribute, {term.comparison, term.value, term.upper});
    return true;
  }

  // Finds the field of the range in the sort key, right after the part that the where bounds.
  bool Range(const KeyTexts& texts, const KeyNames& names, const WhereTerm* term, Reach reach,
             ReadStep* step) {
    const std::string& field = pattern_.range->field;
    if (!texts.range) return NotServed(Label(step->index) + " has no sort key to range over");
    if (term != nullptr && term->comparison != WhereTerm::Comparison::kBeginsWith) {
      return NotServed("a sort key takes one condition, and it has one on " + term->attribute +
                       " besides the range of " + field);
    }
    std::string prefix = term != nullptr ? term->value.text() : "";
    const std::vector<TemplatePart>& parts = texts.range->parts();
    while (reach.part < parts.size() && parts[reach.part].is_literal()) {
      prefix += parts[reach.part].literal.substr(reach.offset);
      ++reach.part;
      reach.offset = 0;
    }
    if (reach.part == parts.size() || reach.inside_value || parts[reach.part].attribute != field) {
      return NotServed(names.range + " of " + entity_.name + " is " + Quoted(texts.range->text()) +
                       ", in which " + field + " does not follow " + Quoted(prefix));
    }
    step->range_prefix = prefix;
    step->range_is_prefix_of_key = reach.part + 1 < parts.size();
    AddRangeCondition(names, step);
    return true;
  }

  void AddRangeCondition(const KeyNames& names, ReadStep* step) {
    const std::string& prefix = step->range_prefix;
    if (!pattern_.range->required) {
      AddNames(std::vector<std::string>{"from", "to"}, &plan_.optional_parameters);
      if (prefix.empty()) return;
      Bound(step, names.range,
            {WhereTerm::Comparison::kBeginsWith, Reparsed(prefix), std::nullopt});
      return;
    }
    AddNames(std::vector<std::string>{"from", "to"}, &plan_.parameters);
    std::string upper = prefix + "{to}";
    if (step->range_is_prefix_of_key) upper += kAfterDelimiters;
    Bound(step, names.range,
          {WhereTerm::Comparison::kBetween, Reparsed(prefix + "{from}"), Reparsed(upper)});
  }

  bool FanOut() {
    const PatternModel::FanOut& fan_out = *pattern_.fan_out;
    KeyNames names;
    KeyTexts texts;
    if (!Keys(fan_out.index, &names, &texts)) return false;
    const std::vector<TemplatePart>& parts = texts.hash.parts();
    const auto over = std::ranges::find(parts, fan_out.over, &TemplatePart::attribute);
    if (over == parts.end()) {
      return NotServed("the partition " + Quoted(texts.hash.text()) + " of " +
                       Label(fan_out.index) + " is not made of " + fan_out.over);
    }
    if (!FanOutValues(*over)) return false;
    plan_.fan_out_attribute = fan_out.over;
    plan_.merge_attribute = fan_out.merge.empty() ? names.range : fan_out.merge;
    ReadStep& step = AddStep(ReadStep::Action::kQuery, fan_out.index, names, texts.hash);
    for (const std::string& name : texts.hash.attributes()) {
      if (name != fan_out.over) AddNames(std::vector<std::string>{name}, &plan_.parameters);
    }
    if (pattern_.range) return Range(texts, names, nullptr, Reach(), &step);
    if (texts.range && !texts.range->Prefix().empty()) {
      Bound(&step, names.range,
            {WhereTerm::Comparison::kBeginsWith, Reparsed(texts.range->Prefix()), std::nullopt});
    }
    return true;
  }

  bool FanOutValues(const TemplatePart& part) {
    for (int shard = 0; shard < part.shards; ++shard) {
      plan_.fan_out_values.push_back(std::to_string(shard));
    }
    const AttributeModel* attribute = FindAttribute(entity_, part.attribute);
    if (part.shards == 0 && attribute != nullptr && attribute->type.kind == TypeKind::kEnum) {
      if (const EnumModel* type = model_.FindEnum(attribute->type.enum_name)) {
        for (const EnumModel::Value& value : type->values) {
          plan_.fan_out_values.push_back(value.text);
        }
      }
    }
    if (!plan_.fan_out_values.empty()) return true;
    return NotServed(part.attribute +
                     " is neither an enum nor sharded, so its values are not known");
  }

  bool Collection() {
    const CollectionModel* collection = model_.FindCollection(pattern_.collection);
    if (collection == nullptr) return NotServed("there is no collection " + pattern_.collection);
    KeyNames names;
    KeyTexts texts;
    if (!Keys(pattern_.index, &names, &texts)) return false;
    if (!InPartition(entity_, *collection)) return false;
    for (const CollectionModel::Member& member : collection->members) {
      const EntityModel* entity = model_.FindEntity(member.entity);
      if (entity != nullptr && !InPartition(*entity, *collection)) return false;
    }
    AddStep(ReadStep::Action::kQuery, pattern_.index, names, collection->partition).entity = "";
    AddNames(pattern_.by, &plan_.parameters);
    AddNames(collection->partition.attributes(), &plan_.parameters);
    return true;
  }

  bool InPartition(const EntityModel& entity, const CollectionModel& collection) {
    const std::optional<KeyTexts> texts = KeyTextsOf(table_, entity, pattern_.index);
    if (entity.table == table_.id && texts &&
        Follow(collection.partition, texts->hash).IsWhole(texts->hash)) {
      return true;
    }
    return NotServed(entity.name + " is not in the partition " +
                     Quoted(collection.partition.text()) +
                     (texts ? ", but in " + Quoted(texts->hash.text()) : ""));
  }

  const Model& model_;
  const PatternModel& pattern_;
  const EntityModel& entity_;
  const TableModel& table_;
  ReadPlan& plan_;
};

// Adds the request that finds what the pattern asks for, its parameters and its fan-out to the
// plan. False if the entity's keys do not serve the pattern; the plan then has the reason.
bool PlanFirstStep(const Model& model, const PatternModel& pattern, ReadPlan* plan) {
  const EntityModel* entity = model.FindEntity(pattern.entity);
  const TableModel* table = entity != nullptr ? model.FindTable(entity->table) : nullptr;
  if (table == nullptr) {
    plan->reason = "it does not name an entity";
    return false;
  }
  return StepPlanner(model, pattern, *entity, *table, plan).Plan();
}

std::string JoinWithAnd(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

void AddClause(const std::string& clause, std::string* reason) {
  if (!reason->empty()) *reason += "; ";
  *reason += clause;
}

// Adds what the pattern costs beyond one request that returns only matching items.
void Judge(const PatternModel& pattern, ReadPlan* plan) {
  const ReadStep& step = plan->steps.front();
  plan->verdict = Verdict::kServed;
  if (!plan->fan_out_values.empty()) {
    AddClause("one Query for each of the " + std::to_string(plan->fan_out_values.size()) +
                  " values of " + plan->fan_out_attribute,
              &plan->reason);
  }
  if (step.filter_by_type) {
    AddClause("the same range may hold " + JoinWithAnd(step.also_read), &plan->reason);
  }
  if (pattern.filter) {
    AddClause("items for which \"" + pattern.filter->text() + "\" is false are left out",
              &plan->reason);
  }
  if (step.filter_by_type || pattern.filter) plan->verdict = Verdict::kNeedsFilter;
  if (!plan->fan_out_values.empty()) plan->verdict = Verdict::kFanOut;
}

// Adds the step that reads whole items after an index that lacks attributes, or the parents of the
// found items.
void AddBatchGet(const Model& model, const PatternModel& pattern, ReadPlan* plan) {
  const EntityModel* entity = model.FindEntity(pattern.entity);
  const TableModel* table = model.FindTable(entity->table);
  const std::string& index = plan->steps.front().index;
  plan->hydrate = pattern.hydrate && !FirstMissing(*table, *entity, index).empty();
  const EntityModel* wanted = pattern.parents ? model.FindEntity(entity->parent) : entity;
  if ((!plan->hydrate && !pattern.parents) || wanted == nullptr) return;
  const std::optional<KeyNames> names = KeyNamesOf(*table, "");
  std::optional<KeyTexts> texts = KeyTextsOf(*table, *wanted, "");
  if (!names || !texts) return;
  ReadStep step;
  step.action = ReadStep::Action::kBatchGetItem;
  step.table = table->id;
  step.entity = wanted->name;
  step.hash_attribute = names->hash;
  step.hash = std::move(texts->hash);
  if (texts->range) {
    step.range_attribute = names->range;
    step.range = {WhereTerm::Comparison::kEqual, *std::move(texts->range), std::nullopt};
  }
  plan->steps.push_back(std::move(step));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kServed:
      return "served";
    case Verdict::kNeedsFilter:
      return "needs a filter";
    case Verdict::kFanOut:
      return "fan-out";
    case Verdict::kNotServed:
      return "not served";
  }
  return "";
}

ReadPlan PlanPattern(const Model& model, const PatternModel& pattern) {
  ReadPlan plan;
  if (!PlanFirstStep(model, pattern, &plan)) {
    plan.verdict = Verdict::kNotServed;
    plan.steps.clear();
    plan.parameters.clear();
    plan.optional_parameters.clear();
    return plan;
  }
  ReadStep& first = plan.steps.front();
  first.descending = pattern.descending;
  if (first.action == ReadStep::Action::kQuery) first.also_read = AlsoRead(model, pattern, first);
  first.filter_by_type = !first.also_read.empty();
  Judge(pattern, &plan);
  AddBatchGet(model, pattern, &plan);
  plan.request = RequestOf(model, pattern, plan);
  return plan;
}

}  // namespace monotable::model
