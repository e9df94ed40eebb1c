#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/dynamodb/constraint_check.h"
#include "api/dynamodb/operation_table.h"
#include "api/dynamodb/type_check.h"
#include "json/parse.h"

namespace monotable::api::dynamodb {

// A JSON text in a test, parsed and kept alive. Text that is no JSON fails the test and reads as
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

// The shape of the requests of an operation of DynamoDB.
inline const Shape& InputOf(std::string_view operation) {
  return FindOperation(std::string(kDynamoDbTarget).append(operation))->input;
}

// Checks and decodes a request as the service does.
template <auto kDecode>
auto Decode(const Shape& shape, std::string_view text) -> decltype(kDecode(json::Object())) {
  const Document document(text);
  TRY(CheckTypes(shape, document.root()));
  TRY(CheckConstraints(shape, document.object()));
  return kDecode(document.object());
}

// The JSON of a response.
template <auto kEncode, typename Response>
std::string Encoded(const Response& response) {
  std::string out;
  kEncode(response, &out);
  const Document parses(out);
  return out;
}

}  // namespace monotable::api::dynamodb
