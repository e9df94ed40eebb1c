#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/load/load.h"
#include "model/load/sample_model.h"

// Tests of mistakes: the sample model with one thing in it wrong.
namespace monotable::model {

// The mark of the place where the finding must be.
inline constexpr std::string_view kHere = "§";

struct Mistake {
  std::string_view id;
  std::string_view from;  // a text of the sample
  std::string_view to;    // what stands there instead, with kHere before the mistake
  // If the finding is elsewhere: what it stands before.
  std::string_view before = "";
  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.to; }
};

// Takes the mark out of a text; its place is where the next character is.
inline Place TakeMark(std::string* text) {
  Place place{1, 1};
  for (size_t at = 0; at < text->size(); ++at) {
    if (std::string_view(*text).substr(at).starts_with(kHere)) {
      text->erase(at, kHere.size());
      return place;
    }
    const char byte = (*text)[at];
    if (byte == '\n') {
      place = {place.line + 1, 1};
    } else if ((byte & 0xC0) != 0x80) {
      ++place.column;
    }
  }
  return {};
}

class LoadMistake : public testing::TestWithParam<Mistake> {};

// Gives each case the name of its finding, with a number because some have several cases.
inline std::string MistakeName(const testing::TestParamInfo<Mistake>& info) {
  return std::string(info.param.id) + "_" + std::to_string(info.index);
}

// Exactly one finding, with that id, at that place, that says how to mend it.
inline void ExpectMistake(const Mistake& mistake) {
  ASSERT_NE(kSampleModel.find(mistake.from), std::string_view::npos) << mistake.from;
  std::string text = SampleWith(mistake.from, mistake.to);
  if (!mistake.before.empty()) text.insert(text.find(mistake.before), kHere);
  const Place place = TakeMark(&text);
  Findings findings;
  EXPECT_FALSE(LoadModel(text, &findings).has_value());
  std::string all;
  for (const Finding& finding : findings.all()) all += FormatFinding("sample", finding);
  ASSERT_EQ(findings.all().size(), 1u) << all;
  const Finding& finding = findings.all().front();
  EXPECT_EQ(finding.id, mistake.id) << all;
  EXPECT_EQ(finding.place.line, place.line) << all;
  EXPECT_EQ(finding.place.column, place.column) << all;
  EXPECT_FALSE(finding.message.empty());
  EXPECT_FALSE(finding.fix.empty()) << all;
}

}  // namespace monotable::model
