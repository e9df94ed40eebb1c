#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "json/parse.h"

namespace monotable::wire {

// A JSON text in a test, parsed and kept alive. Text that is not JSON fails the test and reads as
// null.
class Document {
 public:
  explicit Document(std::string_view text) : text_(text) {
    text_.append(json::kPadding, ' ');
    auto parsed = parser_.Parse(std::string_view(text_).substr(0, text.size()));
    EXPECT_TRUE(parsed.has_value()) << text;
    if (parsed) {
      root_ = *parsed;
    } else {
      root_ = *parser_.Parse(std::string_view(kNull).substr(0, 4));
    }
  }

  const json::Element& root() const { return root_; }
  json::Object object() const { return json::ObjectOf(root_); }

 private:
  static inline const std::string kNull = "null" + std::string(json::kPadding, ' ');

  std::string text_;
  json::Parser parser_;
  json::Element root_;
};

}  // namespace monotable::wire
