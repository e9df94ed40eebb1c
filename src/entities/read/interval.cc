#include "entities/read/interval.h"

#include <algorithm>
#include <compare>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/instant_text.h"
#include "expression/comparison.h"
#include "model/instant.h"

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

// A moment as a client writes it. A + in a query often arrives as the blank that it stands for in
// forms.
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

}  // namespace monotable::entities
