#include "entities/read/pattern_keys.h"

#include <algorithm>
#include <utility>

#include "entities/codec/instant_text.h"
#include "model/instant.h"
#include "model/plan/keys.h"

namespace monotable::entities {
namespace {

using expression::RangeBound;
using model::Template;
using model::TemplatePart;
using model::WhereTerm;

// A template of text that was put together from other templates, and is therefore one.
Template Reparsed(const std::string& text) {
  Result<Template> parsed = Template::Parse(text);
  return parsed ? *std::move(parsed) : Template();
}

// Whether two moments that the field can hold may have one text in the key.
bool IsTruncated(const model::TypeModel& type, const TemplatePart& part) {
  if (type.kind != model::TypeKind::kInstant || !model::IsSpelling(part.format)) return false;
  if (part.format == "isoms" || part.format.find("SSS") != std::string::npos) return false;
  const bool has_seconds = part.format == "iso" || part.format.find("ss") != std::string::npos;
  return !has_seconds || HoldsExactly(type, model::Instant{1});
}

RangeBound::Op OpOf(WhereTerm::Comparison comparison) {
  switch (comparison) {
    case WhereTerm::Comparison::kLess:
      return RangeBound::Op::kLess;
    case WhereTerm::Comparison::kLessOrEqual:
      return RangeBound::Op::kLessEqual;
    case WhereTerm::Comparison::kGreater:
      return RangeBound::Op::kGreater;
    case WhereTerm::Comparison::kGreaterOrEqual:
    case WhereTerm::Comparison::kBetween:
      return RangeBound::Op::kGreaterEqual;
    case WhereTerm::Comparison::kEqual:
    case WhereTerm::Comparison::kBeginsWith:
      break;
  }
  return RangeBound::Op::kBeginsWith;
}

}  // namespace

PatternKeys::PatternKeys(const Application& application, const model::PatternModel& pattern,
                         const model::ReadPlan& plan)
    : pattern_(pattern),
      plan_(plan),
      field_(FieldOf(application, pattern, step())),
      prefix_(Reparsed(step().range_prefix)),
      shards_(ShardTemplates()) {}

std::optional<PatternKeys::Field> PatternKeys::FieldOf(const Application& application,
                                                       const model::PatternModel& pattern,
                                                       const model::ReadStep& step) {
  if (!pattern.range) return std::nullopt;
  const Entity* entity = application.Find(pattern.entity);
  const auto texts = model::KeyTextsOf(*entity->table, *entity->model, step.index);
  const model::TypeModel* type = entity->model->FindPath(pattern.range->field);
  if (!texts || !texts->range || type == nullptr) return std::nullopt;
  const std::vector<TemplatePart>& parts = texts->range->parts();
  const auto part = std::ranges::find(parts, pattern.range->field, &TemplatePart::attribute);
  if (part == parts.end()) return std::nullopt;
  Field field;
  field.type = *type;
  field.text = Reparsed(step.range_prefix + model::PartText(*part));
  if (part + 1 != parts.end()) field.text_after = (part + 1)->literal;
  field.is_truncated = IsTruncated(*type, *part);
  return field;
}

std::vector<Template> PatternKeys::ShardTemplates() const {
  std::vector<Template> shards;
  const auto is_shard = [this](const TemplatePart& part) {
    return part.attribute == plan_.fan_out_attribute && part.shards > 0;
  };
  if (plan_.fan_out_values.empty() || std::ranges::none_of(step().hash.parts(), is_shard)) {
    return shards;
  }
  for (const std::string& shard : plan_.fan_out_values) {
    std::string text;
    for (const TemplatePart& part : step().hash.parts()) {
      text += is_shard(part) ? shard : model::PartText(part);
    }
    shards.push_back(Reparsed(text));
  }
  return shards;
}

Result<std::string> PatternKeys::HashText(const Parameters& parameters, size_t branch) const {
  if (plan_.fan_out_values.empty()) return parameters.Render(step().hash);
  if (!shards_.empty()) return parameters.Render(shards_[branch]);
  const item::Value value(plan_.fan_out_values[branch]);
  return parameters.Render(step().hash, {plan_.fan_out_attribute, &value});
}

Status PatternKeys::ApplySort(const Parameters& parameters, Partition* partition) const {
  if (!step().range) return {};
  const model::SortCondition& condition = *step().range;
  TRY_ASSIGN(std::string text, parameters.Render(condition.value));
  if (condition.comparison == WhereTerm::Comparison::kEqual) {
    return partition->Equal(std::move(text));
  }
  TRY(partition->Bound(OpOf(condition.comparison), std::move(text)));
  if (!condition.upper) return {};
  TRY_ASSIGN(std::string upper, parameters.Render(*condition.upper));
  return partition->Bound(RangeBound::Op::kLessEqual, std::move(upper));
}

Status PatternKeys::ApplyInterval(const Interval& interval, const Parameters& parameters,
                                  Partition* partition) const {
  TRY_ASSIGN(std::string prefix, parameters.Render(prefix_));
  TRY(partition->Bound(RangeBound::Op::kBeginsWith, std::move(prefix)));
  const std::string_view name = pattern_.range->field;
  if (interval.first) {
    TRY_ASSIGN(std::string first, parameters.Render(field_->text, {name, &*interval.first}));
    TRY(partition->Bound(RangeBound::Op::kGreaterEqual, std::move(first)));
  }
  if (!interval.last) return {};
  TRY_ASSIGN(std::string last, parameters.Render(field_->text, {name, &*interval.last}));
  if (!step().range_is_prefix_of_key) {
    return partition->Bound(RangeBound::Op::kLessEqual, std::move(last));
  }
  // More of the key follows the last value, so the range ends after all that do.
  return partition->UpToBeginning(std::move(last) + field_->text_after);
}

std::vector<std::vector<Filter>> PatternKeys::FiltersOf(const Interval& interval) const {
  std::vector<std::vector<Filter>> filters;
  if (!field_->is_truncated) return filters;
  const auto add = [&](Filter::Comparison comparison, const item::Value& value) {
    filters.push_back({{pattern_.range->field, comparison, {value}}});
  };
  if (interval.first) add(Filter::Comparison::kGreaterOrEqual, *interval.first);
  if (interval.last) add(Filter::Comparison::kLessOrEqual, *interval.last);
  return filters;
}

Result<PatternKeys::Ranges> PatternKeys::RangesOf(const Source& source,
                                                  const Parameters& parameters) const {
  Ranges ranges;
  Interval interval;
  if (field_) {
    TRY_ASSIGN(interval, IntervalOf(*pattern_.range, field_->type, parameters));
    ranges.filters = FiltersOf(interval);
  }
  const size_t branches = std::max<size_t>(1, plan_.fan_out_values.size());
  ranges.branches.reserve(branches);
  for (size_t i = 0; i < branches; ++i) {
    TRY_ASSIGN(std::string hash, HashText(parameters, i));
    TRY_ASSIGN(Partition partition, Partition::Open(source, std::move(hash)));
    if (field_) {
      TRY(ApplyInterval(interval, parameters, &partition));
    } else {
      TRY(ApplySort(parameters, &partition));
    }
    ranges.branches.push_back(partition.Take());
  }
  return ranges;
}

Result<std::string> PatternKeys::ItemKeyOf(const Source& source,
                                           const Parameters& parameters) const {
  TRY_ASSIGN(std::string hash, parameters.Render(step().hash));
  std::optional<std::string> range;
  if (step().range) {
    TRY_ASSIGN(range, parameters.Render(step().range->value));
  }
  return StoredKey(*source.table, std::move(hash), std::move(range));
}

}  // namespace monotable::entities
