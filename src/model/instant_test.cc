#include "model/instant.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

using item::Number;
using item::Value;

std::string Iso(std::optional<Instant> instant) {
  return instant ? Spell(*instant, "isoms") : "nothing";
}

TEST(InstantTest, ReadsIsoWithSecondsOrMilliseconds) {
  EXPECT_EQ(ParseIso("1970-01-01T00:00:00Z"), Instant{0});
  EXPECT_EQ(ParseIso("2026-01-30T14:30:00Z"), Instant{1'769'783'400'000});
  EXPECT_EQ(ParseIso("2026-01-30T14:30:00.123Z"), Instant{1'769'783'400'123});
  EXPECT_EQ(ParseIso("1969-12-31T23:59:59.999Z"), Instant{-1});
  EXPECT_EQ(Iso(ParseIso("0001-01-01T00:00:00Z")), "0001-01-01T00:00:00.000Z");
  EXPECT_EQ(Iso(ParseIso("9999-12-31T23:59:59.999Z")), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(Iso(ParseIso("2024-02-29T00:00:00Z")), "2024-02-29T00:00:00.000Z");
}

TEST(InstantTest, RefusesWhatIsNotExactlyIso) {
  for (const std::string_view text : {"",
                                      "2026-01-30",
                                      "2026-01-30T14:30:00",
                                      "2026-01-30T14:30Z",
                                      "2026-01-30 14:30:00Z",
                                      "2026-01-30t14:30:00Z",
                                      "2026-01-30T14:30:00z",
                                      "2026-01-30T14:30:00+03:00",
                                      "2026-01-30T14:30:00.1Z",
                                      "2026-01-30T14:30:00.1234Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-04-31T00:00:00Z",
                                      "2026-01-30T24:00:00Z",
                                      "2026-01-30T23:60:00Z",
                                      "2026-01-30T23:59:60Z",
                                      "0000-01-01T00:00:00Z",
                                      "2026-1-30T14:30:000Z",
                                      "+026-01-30T14:30:00Z",
                                      " 2026-01-30T14:30:00"}) {
    EXPECT_EQ(ParseIso(text), std::nullopt) << text;
  }
}

TEST(InstantTest, ReadsBrazilianTextAndDays) {
  EXPECT_EQ(ParseBrazilian("30/01/2026 14:30:00"), ParseIso("2026-01-30T14:30:00Z"));
  EXPECT_EQ(ParseBrazilian("01/30/2026 14:30:00"), std::nullopt);
  EXPECT_EQ(ParseBrazilian("30/01/2026T14:30:00"), std::nullopt);
  EXPECT_EQ(ParseDate("2026-01-30"), ParseIso("2026-01-30T00:00:00Z"));
  EXPECT_EQ(ParseDate("2026-01-32"), std::nullopt);
  EXPECT_EQ(ParseDate("2026/01/30"), std::nullopt);
}

TEST(InstantTest, ReadsEpochsInTheirRange) {
  const auto number = [](std::string_view text) { return Value(*Number::Parse(text)); };
  EXPECT_EQ(ReadInstant(number("1769783400"), InstantForm::kEpoch), Instant{1'769'783'400'000});
  EXPECT_EQ(ReadInstant(number("1769783400123"), InstantForm::kEpochMillis),
            Instant{1'769'783'400'123});
  EXPECT_EQ(Iso(ReadInstant(number("-62135596800"), InstantForm::kEpoch)),
            "0001-01-01T00:00:00.000Z");
  EXPECT_EQ(ReadInstant(number("-62135596801"), InstantForm::kEpoch), std::nullopt);
  EXPECT_EQ(Iso(ReadInstant(number("253402300799"), InstantForm::kEpoch)),
            "9999-12-31T23:59:59.000Z");
  EXPECT_EQ(ReadInstant(number("253402300800"), InstantForm::kEpoch), std::nullopt);
  EXPECT_EQ(ReadInstant(number("253402300800000"), InstantForm::kEpochMillis), std::nullopt);
  EXPECT_EQ(ReadInstant(number("1.5"), InstantForm::kEpoch), std::nullopt);
  EXPECT_EQ(ReadInstant(number("1E100"), InstantForm::kEpoch), std::nullopt);
  EXPECT_EQ(ReadInstant(Value("1769783400"), InstantForm::kEpoch), std::nullopt);
  EXPECT_EQ(ReadInstant(number("1769783400"), InstantForm::kIso), std::nullopt);
  EXPECT_EQ(ReadInstant(Value("2026-01-30T14:30:00Z"), InstantForm::kBrazilian), std::nullopt);
}

TEST(InstantTest, TellsTheFormOfAStoredValue) {
  const Instant moment{1'769'783'400'000};
  EXPECT_EQ(ReadInstant(Value("2026-01-30T14:30:00Z")), moment);
  EXPECT_EQ(ReadInstant(Value("30/01/2026 14:30:00")), moment);
  EXPECT_EQ(ReadInstant(Value("2026-01-30")), Instant{1'769'731'200'000});
  EXPECT_EQ(ReadInstant(Value(Number::FromInt(1'769'783'400))), moment);
  EXPECT_EQ(ReadInstant(Value(Number::FromInt(1'769'783'400'000))), moment);
  EXPECT_EQ(ReadInstant(Value("ACME")), std::nullopt);
  EXPECT_EQ(ReadInstant(Value(true)), std::nullopt);
}

TEST(InstantTest, StoresEveryForm) {
  const Instant moment{1'769'783'400'123};
  EXPECT_EQ(StoreInstant(moment, InstantForm::kIso, false), Value("2026-01-30T14:30:00Z"));
  EXPECT_EQ(StoreInstant(moment, InstantForm::kIso, true), Value("2026-01-30T14:30:00.123Z"));
  EXPECT_EQ(StoreInstant(moment, InstantForm::kBrazilian, false), Value("30/01/2026 14:30:00"));
  EXPECT_EQ(StoreInstant(moment, InstantForm::kEpoch, false),
            Value(Number::FromInt(1'769'783'400)));
  EXPECT_EQ(StoreInstant(moment, InstantForm::kEpochMillis, false),
            Value(Number::FromInt(1'769'783'400'123)));
  EXPECT_EQ(StoreInstant(Instant{-1}, InstantForm::kEpoch, false), Value(Number::FromInt(-1)));
  EXPECT_EQ(StoreInstant(Instant{-1}, InstantForm::kIso, false), Value("1969-12-31T23:59:59Z"));
}

TEST(InstantTest, KnowsTheFormatsOfTemplates) {
  for (const std::string_view format : {"iso", "isoms", "yyyy", "yyyy-MM", "yyyyMMdd", "yyyy/MM/dd",
                                        "HH:mm:ss.SSS", "yyyy-MM-ddTHH", "dd/MM/yyyy HH:mm:ss"}) {
    EXPECT_TRUE(IsSpelling(format)) << format;
  }
  for (const std::string_view format :
       {"", "-", "T", "yy", "yyyyy", "M", "yyyy-MMM", "YYYY", "DD", "03", "yyyy0", "week", "ISO"}) {
    EXPECT_FALSE(IsSpelling(format)) << format;
  }
}

TEST(InstantTest, SpellsAndShowsTheShape) {
  const Instant moment = *ParseIso("2026-01-30T04:05:06.007Z");
  EXPECT_EQ(Spell(moment, "iso"), "2026-01-30T04:05:06Z");
  EXPECT_EQ(Spell(moment, "isoms"), "2026-01-30T04:05:06.007Z");
  EXPECT_EQ(Spell(moment, "yyyy-MM"), "2026-01");
  EXPECT_EQ(Spell(moment, "yyyyMMdd"), "20260130");
  EXPECT_EQ(Spell(moment, "ddMM/ss.SSS"), "3001/06.007");
  EXPECT_EQ(SpellingShape("yyyy-MM"), "0000-00");
  EXPECT_EQ(SpellingShape("iso"), "0000-00-00T00:00:00Z");
}

// Every moment is read back from each text it is stored as, and texts sort as moments do.
TEST(InstantTest, RoundTripsAndSorts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> moments(-62'135'596'800'000, 253'402'300'799'999);
  Instant earlier;
  for (int i = 0; i < 20000; ++i) {
    const Instant moment{moments(random)};
    EXPECT_EQ(ParseIso(Spell(moment, "isoms")), moment);
    EXPECT_EQ(ParseIso(Spell(moment, "iso")),
              ReadInstant(StoreInstant(moment, InstantForm::kEpoch, false), InstantForm::kEpoch));
    EXPECT_EQ(ReadInstant(StoreInstant(moment, InstantForm::kBrazilian, false)),
              ParseIso(Spell(moment, "iso")));
    EXPECT_EQ(Spell(moment, "isoms") <=> Spell(earlier, "isoms"), moment <=> earlier);
    earlier = moment;
  }
}

}  // namespace
}  // namespace monotable::model
