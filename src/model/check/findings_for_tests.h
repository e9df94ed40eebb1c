#pragma once

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/check/check_model.h"
#include "model/shop_for_tests.h"

// What the checks find in a text.
namespace monotable::model {

inline std::vector<Finding> Checked(std::string_view text) {
  Findings findings;
  CheckModel(LoadText(text), &findings);
  return findings.all();
}

// The findings with that id.
inline std::vector<Finding> Found(std::string_view text, std::string_view id) {
  std::vector<Finding> found;
  for (const Finding& finding : Checked(text)) {
    if (finding.id == id) found.push_back(finding);
  }
  return found;
}

// Expects exactly one finding with that id, of that severity, about that thing, in that line.
inline void ExpectFound(std::string_view text, Severity severity, std::string_view id,
                        std::string_view subject, std::string_view in_line) {
  const std::vector<Finding> found = Found(text, id);
  ASSERT_EQ(found.size(), 1u) << id << " among\n" << FormatFindings(Checked(text));
  EXPECT_EQ(found[0].severity, severity) << id;
  EXPECT_EQ(found[0].subject, subject) << id;
  EXPECT_FALSE(found[0].message.empty());
  EXPECT_EQ(found[0].message.back(), '.') << found[0].message;
  size_t begin = 0;
  for (int line = 1; line < found[0].place.line; ++line) begin = text.find('\n', begin) + 1;
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_NE(line.find(in_line), std::string_view::npos)
      << id << " at " << found[0].place.line << ": " << line;
}

inline void ExpectNotFound(std::string_view text, std::string_view id) {
  const std::vector<Finding> found = Found(text, id);
  EXPECT_TRUE(found.empty()) << FormatFindings(found);
}

}  // namespace monotable::model
