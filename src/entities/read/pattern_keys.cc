#include "entities/read/pattern_keys.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/instant_text.h"
#include "entities/problem.h"
#include "expression/comparison.h"
#include "model/instant.h"
#include "model/plan/keys.h"

namespace monotable::entities {
namespace {

using model::Instant;
using model::PatternModel;
using model::TypeKind;
using model::TypeModel;

constexpr int64_t kDay = 86'400'000;
constexpr Instant kEarliest{-62'135'596'800'000};  // 0001-01-01T00:00:00.000Z
constexpr Instant kLatest{253'402'300'799'999};    // 9999-12-31T23:59:59.999Z

Error Mistake(std::string_view name, std::string_view code, std::string message) {
  return InvalidFields({{std::string(name), std::string(code), std::move(message)}});
}

// What a client wrote, or nothing.
Result<std::optional<std::string>> TextOf(const Parameters& parameters, std::string_view name,
                                          bool required) {
  const item::Value* value = parameters.Find(name);
  if (value == nullptr) {
    if (required) return MissingParameter(name);
    return std::optional<std::string>();
  }
  if (value->is(item::Type::kNumber)) return std::optional(value->number().ToString());
  if (!value->is(item::Type::kString)) {
    return Mistake(name, "type", fmt::format("{} must be a text.", name));
  }
  return std::optional(value->string());
}

// An instant as a client writes it. A + in a query often arrives as a blank, because forms use it
// for one.
std::optional<Instant> ParseMoment(std::string text) {
  constexpr size_t kOffset = std::string_view("+03:00").size();
  if (text.size() > kOffset && text[text.size() - kOffset] == ' ') {
    text[text.size() - kOffset] = '+';
  }
  return ReadClientInstant(text);
}

// Z or an offset, in milliseconds to the east.
std::optional<int64_t> ParseOffset(std::string_view text) {
  if (text.starts_with('.')) return std::nullopt;
  const auto epoch_there = ParseMoment(std::string("1970-01-01T00:00:00").append(text));
  if (!epoch_there) return std::nullopt;
  return -epoch_there->millis;
}

// The smallest multiple of a unit that is not less.
Instant RoundUp(Instant instant, int64_t unit) {
  const int64_t below = instant.millis % unit;
  if (below == 0) return instant;
  return {instant.millis - below + (below > 0 ? unit : 0)};
}

// Moments and days, of which there is a first one in every stretch of time.
class TimeInterval {
 public:
  TimeInterval(const PatternModel::Range& range, const TypeModel& type)
      : type_(type),
        is_date_(type.kind == TypeKind::kDate),
        whole_days_(is_date_ || range.dates == PatternModel::Dates::kWholeDays) {}

  Status ReadZone(std::string_view text) {
    const auto offset = ParseOffset(text);
    if (!offset) {
      return Mistake("tz", "type",
                     fmt::format("\"{}\" is neither Z nor an offset like -03:00.", text));
    }
    if (!is_date_) offset_ = *offset;
    return {};
  }

  Status ReadFrom(std::string_view text) {
    TRY_ASSIGN(const Given given, Read("from", text));
    begin_ = given.moment;
    return {};
  }

  Status ReadTo(std::string_view text) {
    TRY_ASSIGN(const Given given, Read("to", text));
    end_ = Instant{given.moment.millis + (given.is_day && whole_days_ ? kDay : 1)};
    return {};
  }

  Result<Interval> Take() const {
    if (begin_ && end_ && *begin_ >= *end_) {
      return Mistake("from", "range", "from must not be after to.");
    }
    Interval interval;
    if (begin_ && *begin_ > kEarliest) interval.first = Stored(RoundUp(*begin_, Unit()));
    if (end_ && *end_ <= kLatest) {
      interval.last = Stored(std::max(kEarliest, Instant{end_->millis - 1}));
    }
    return interval;
  }

 private:
  struct Given {
    Instant moment;
    bool is_day = false;
  };

  Result<Given> Read(std::string_view name, std::string_view text) const {
    if (const auto day = model::ParseDate(text)) {
      return Given{Instant{day->millis - offset_}, true};
    }
    if (is_date_) {
      return Mistake(name, "type", fmt::format("\"{}\" is no date like 2026-01-30.", text));
    }
    if (const auto moment = ParseMoment(std::string(text))) return Given{*moment, false};
    return Mistake(
        name, "type",
        fmt::format("\"{}\" is neither a date nor an instant like 2026-01-30T14:30:00Z.", text));
  }

  // What lies between two moments that the field can hold.
  int64_t Unit() const {
    if (is_date_) return kDay;
    return HoldsExactly(type_, Instant{1}) ? 1 : 1000;
  }

  item::Value Stored(Instant instant) const {
    if (is_date_) return item::Value(model::Spell(instant, "yyyy-MM-dd"));
    return model::StoreInstant(std::min(instant, kLatest), type_.stored, type_.milliseconds);
  }

  const TypeModel& type_;
  const bool is_date_;
  const bool whole_days_;
  int64_t offset_ = 0;
  std::optional<Instant> begin_;
  std::optional<Instant> end_;  // not included
};

Result<item::Value> ValueOf(const TypeModel& type, std::string_view name, std::string text) {
  if (type.kind != TypeKind::kInteger && type.kind != TypeKind::kDecimal) {
    return item::Value(std::move(text));
  }
  auto number = item::Number::Parse(text);
  if (!number) return Mistake(name, "type", fmt::format("\"{}\" is no number.", text));
  return item::Value(*number);
}

}  // namespace

Result<Interval> IntervalOf(const PatternModel::Range& range, const TypeModel& type,
                            const Parameters& parameters) {
  TRY_ASSIGN(auto from, TextOf(parameters, "from", range.required));
  TRY_ASSIGN(auto to, TextOf(parameters, "to", range.required));
  if (type.kind == TypeKind::kInstant || type.kind == TypeKind::kDate) {
    TimeInterval time(range, type);
    TRY_ASSIGN(const auto zone, TextOf(parameters, "tz", false));
    if (zone) TRY(time.ReadZone(*zone));
    if (from) TRY(time.ReadFrom(*from));
    if (to) TRY(time.ReadTo(*to));
    return time.Take();
  }
  Interval interval;
  if (from) {
    TRY_ASSIGN(interval.first, ValueOf(type, "from", *std::move(from)));
  }
  if (to) {
    TRY_ASSIGN(interval.last, ValueOf(type, "to", *std::move(to)));
  }
  if (interval.first && interval.last &&
      std::is_gt(expression::Compare(*interval.first, *interval.last))) {
    return Mistake("from", "range", "from must not be after to.");
  }
  return interval;
}

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
