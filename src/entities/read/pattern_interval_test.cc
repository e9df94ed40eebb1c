#include "entities/read/entity_read_fixture.h"
#include "entities/read/pattern_keys.h"

namespace monotable::entities {
namespace {

using Dates = model::PatternModel::Dates;
using model::InstantForm;
using model::TypeKind;

constexpr const char* kEmpty = "(none)";

class IntervalTest : public ReadFixture {
 protected:
  IntervalTest() {
    OpenDesign("sales");
    type_.kind = TypeKind::kInstant;
    range_.dates = Dates::kWholeDays;
  }

  Result<Interval> Read(std::vector<std::pair<std::string, std::string>> given) {
    const item::Map map = Texts(std::move(given));
    auto parameters = Parameters::Of(application(), map, Caller());
    return IntervalOf(range_, type_, *parameters);
  }

  static std::string TextOf(const std::optional<item::Value>& value) {
    if (!value) return kEmpty;
    return value->is(item::Type::kNumber) ? value->number().ToString() : value->string();
  }

  void Expect(std::vector<std::pair<std::string, std::string>> given, const std::string& first,
              const std::string& last) {
    const auto interval = Read(std::move(given));
    ASSERT_TRUE(interval) << interval.error().message();
    EXPECT_EQ(TextOf(interval->first), first);
    EXPECT_EQ(TextOf(interval->last), last);
  }

  model::TypeModel type_;
  model::PatternModel::Range range_;
};

TEST_F(IntervalTest, WholeDaysLastToTheirEnd) {
  Expect({}, kEmpty, kEmpty);
  Expect({{"from", "2026-01-01"}}, "2026-01-01T00:00:00Z", kEmpty);
  Expect({{"to", "2026-01-31"}}, kEmpty, "2026-01-31T23:59:59Z");
  Expect({{"from", "2026-01-31"}, {"to", "2026-01-31"}}, "2026-01-31T00:00:00Z",
         "2026-01-31T23:59:59Z");
  type_.milliseconds = true;
  Expect({{"to", "2026-01-31"}}, kEmpty, "2026-01-31T23:59:59.999Z");
}

TEST_F(IntervalTest, ExactDatesAreTheirFirstMoment) {
  range_.dates = Dates::kExact;
  Expect({{"from", "2026-01-30"}, {"to", "2026-01-31"}}, "2026-01-30T00:00:00Z",
         "2026-01-31T00:00:00Z");
}

TEST_F(IntervalTest, MomentsAreExactEitherWay) {
  Expect({{"from", "2026-01-30T14:30:00Z"}, {"to", "2026-01-30T14:30:00Z"}}, "2026-01-30T14:30:00Z",
         "2026-01-30T14:30:00Z");
  Expect({{"from", "2026-01-30T14:30:00+03:00"}}, "2026-01-30T11:30:00Z", kEmpty);
  Expect({{"from", "2026-01-30T14:30:00 03:00"}}, "2026-01-30T11:30:00Z", kEmpty);
  Expect({{"to", "2026-01-30T22:30:00-03:00"}}, kEmpty, "2026-01-31T01:30:00Z");
}

TEST_F(IntervalTest, MomentsBetweenTwoSecondsAreRoundedInwards) {
  Expect({{"from", "2026-01-30T14:30:00.001Z"}, {"to", "2026-01-30T14:30:01.999Z"}},
         "2026-01-30T14:30:01Z", "2026-01-30T14:30:01Z");
  type_.milliseconds = true;
  Expect({{"from", "2026-01-30T14:30:00.001Z"}, {"to", "2026-01-30T14:30:01.999Z"}},
         "2026-01-30T14:30:00.001Z", "2026-01-30T14:30:01.999Z");
}

TEST_F(IntervalTest, BeforeTheEpoch) {
  Expect({{"from", "1969-12-31T23:59:58.001Z"}, {"to", "1969-12-31T23:59:59.999Z"}},
         "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z");
}

TEST_F(IntervalTest, ZoneMovesDays) {
  Expect({{"from", "2026-01-01"}, {"to", "2026-01-01"}, {"tz", "-03:00"}}, "2026-01-01T03:00:00Z",
         "2026-01-02T02:59:59Z");
  Expect({{"from", "2026-01-01"}, {"tz", "+05:30"}}, "2025-12-31T18:30:00Z", kEmpty);
  Expect({{"from", "2026-01-01"}, {"tz", " 05:30"}}, "2025-12-31T18:30:00Z", kEmpty);
  Expect({{"from", "2026-01-01"}, {"tz", "Z"}}, "2026-01-01T00:00:00Z", kEmpty);
  // A moment says its own.
  Expect({{"from", "2026-01-01T00:00:00Z"}, {"tz", "-03:00"}}, "2026-01-01T00:00:00Z", kEmpty);
}

TEST_F(IntervalTest, StoredForms) {
  type_.stored = InstantForm::kBrazilian;
  Expect({{"from", "2026-01-30"}, {"to", "2026-01-30"}}, "30/01/2026 00:00:00",
         "30/01/2026 23:59:59");
  type_.stored = InstantForm::kEpoch;
  Expect({{"from", "1970-01-02"}, {"to", "1970-01-02"}}, "86400", "172799");
  type_.stored = InstantForm::kEpochMillis;
  Expect({{"from", "1970-01-02"}, {"to", "1970-01-02"}}, "86400000", "172799999");
}

TEST_F(IntervalTest, DatesAreDays) {
  type_.kind = TypeKind::kDate;
  range_.dates = Dates::kExact;
  Expect({{"from", "2026-01-30"}, {"to", "2026-01-31"}, {"tz", "-03:00"}}, "2026-01-30",
         "2026-01-31");
  ExpectProblem(Read({{"from", "2026-01-30T00:00:00Z"}}), ProblemCode::kInvalid, "from");
}

TEST_F(IntervalTest, TheEndsOfTheCalendar) {
  Expect({{"from", "0001-01-01"}, {"to", "9999-12-31"}}, kEmpty, kEmpty);
  Expect({{"from", "0001-01-01"}, {"to", "9999-12-30"}, {"tz", "+14:00"}}, kEmpty,
         "9999-12-30T09:59:59Z");
}

TEST_F(IntervalTest, OtherTypes) {
  type_.kind = TypeKind::kInteger;
  Expect({{"from", "9"}, {"to", "10"}}, "9", "10");
  ExpectProblem(Read({{"from", "10"}, {"to", "9"}}), ProblemCode::kInvalid, "from");
  ExpectProblem(Read({{"to", "ten"}}), ProblemCode::kInvalid, "to");
  type_.kind = TypeKind::kString;
  Expect({{"from", "A"}, {"to", "B"}}, "A", "B");
}

TEST_F(IntervalTest, Mistakes) {
  ExpectProblem(Read({{"from", "yesterday"}}), ProblemCode::kInvalid, "from");
  ExpectProblem(Read({{"from", "2026-02-30"}}), ProblemCode::kInvalid, "from");
  ExpectProblem(Read({{"to", "2026-01-30T14:30Z"}}), ProblemCode::kInvalid, "to");
  ExpectProblem(Read({{"tz", "America/Sao_Paulo"}}), ProblemCode::kInvalid, "tz");
  ExpectProblem(Read({{"tz", ".5Z"}}), ProblemCode::kInvalid, "tz");
  ExpectProblem(Read({{"from", "2026-01-31"}, {"to", "2026-01-30"}}), ProblemCode::kInvalid,
                "from");
  ExpectProblem(Read({{"from", "2026-01-31T00:00:00.001Z"}, {"to", "2026-01-31T00:00:00Z"}}),
                ProblemCode::kInvalid, "from");
  range_.required = true;
  ExpectProblem(Read({{"to", "2026-01-30"}}), ProblemCode::kInvalid, "from");
  ExpectProblem(Read({{"from", "2026-01-30"}}), ProblemCode::kInvalid, "to");
}

}  // namespace
}  // namespace monotable::entities
