#include "wire/attribute_value.h"

#include "wire/document_for_tests.h"

namespace monotable::wire {
namespace {

// An item through the server: decoded from JSON, encoded to bytes, printed from the bytes.
std::string RoundTrip(std::string_view text) {
  const Document document(text);
  auto item = DecodeItem(document.object());
  if (!item) return "error: " + item.error().message();
  const encoding::EncodedItem encoded = encoding::EncodeItem(*item);
  std::string out;
  json::Writer writer(&out);
  EncodeItem(encoding::ItemView(encoded), &writer);
  return out;
}

std::string Refusal(std::string_view value) {
  const Document document(value);
  auto decoded = DecodeValue(document.root());
  return decoded ? "" : decoded.error().message();
}

TEST(AttributeValueTest, PrintsEveryTypeAsItWasSent) {
  const std::string_view items[] = {
      R"({})",
      R"({"a":{"S":""}})",
      R"({"a":{"S":"São João \"quoted\" \\ \n \u0001 😀"}})",
      R"({"a":{"N":"-12.5"},"b":{"N":"0"}})",
      R"({"a":{"B":""},"b":{"B":"AAEC/w=="}})",
      R"({"a":{"BOOL":true},"b":{"BOOL":false},"c":{"NULL":true}})",
      R"({"a":{"M":{}},"b":{"L":[]},)"
      R"("c":{"M":{"k":{"L":[{"S":"x"},{"N":"1"},{"M":{"z":{"S":"y"}}}]}}}})",
      R"({"a":{"SS":["","a","ção"]},"b":{"NS":["-1","0","2.5"]},"c":{"BS":["","AA=="]}})",
      R"({"atenção":{"S":"x"}})",
  };
  for (const auto item : items) EXPECT_EQ(RoundTrip(item), item);
}

TEST(AttributeValueTest, NormalizesNumbersAndSortsSetsAndNames) {
  EXPECT_EQ(RoundTrip(R"({"b":{"N":"+1.50"},"a":{"NS":["10","9","1e1","8"]}})"),
            "error: Input collection contains duplicates");
  EXPECT_EQ(RoundTrip(R"({"b":{"N":"+1.50"},"a":{"NS":["10","9"]}})"),
            R"({"a":{"NS":["9","10"]},"b":{"N":"1.5"}})");
}

TEST(AttributeValueTest, TheLaterOfEqualNamesWins) {
  EXPECT_EQ(RoundTrip(R"({"a":{"S":"1"},"a":{"S":"2"}})"), R"({"a":{"S":"2"}})");
}

TEST(AttributeValueTest, RefusesInTheWordsOfTheService) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"{}",
       "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {"null",
       "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {R"({"X":"y"})",
       "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {R"({"S":"a","N":"1"})",
       "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
       "supported datatypes"},
      {R"({"NULL":false})",
       "One or more parameter values were invalid: Null attribute value types must have the value "
       "of true"},
      {R"({"SS":[]})",
       "One or more parameter values were invalid: An string set  may not be empty"},
      {R"({"NS":[]})",
       "One or more parameter values were invalid: An number set  may not be empty"},
      {R"({"BS":[]})",
       "One or more parameter values were invalid: Binary sets should not be empty"},
      {R"({"SS":["a","b","a"]})",
       "One or more parameter values were invalid: Input collection [a, b, a] contains "
       "duplicates."},
      {R"({"NS":["1","1.0"]})", "Input collection contains duplicates"},
      {R"({"BS":["AA==","AA=="]})",
       "One or more parameter values were invalid: Input collection [AA==, AA==]of type BS "
       "contains duplicates."},
      {R"({"N":""})", "The parameter cannot be converted to a numeric value"},
      {R"({"N":"abc"})", "The parameter cannot be converted to a numeric value: abc"},
      {R"({"N":"123456789012345678901234567890123456789"})",
       "Attempting to store more than 38 significant digits in a Number"},
      {R"({"L":[{"M":{"k":{}}}]})",
       "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
      {R"({"M":{"":{"S":"x"}}})",
       "One or more parameter values were invalid: Empty attribute name"},
      {R"({"B":"abc"})", "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
  };
  for (const auto& [value, message] : cases) EXPECT_EQ(Refusal(value), message) << value;
}

TEST(AttributeValueTest, BadBase64IsNoValueAtAll) {
  const Document document(R"({"B":"a!=="})");
  auto decoded = DecodeValue(document.root());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code(), ErrorCode::kSerialization);
}

TEST(AttributeValueTest, LimitsNesting) {
  const auto nested = [](int levels) {
    std::string text = R"({"S":"x"})";
    for (int i = 0; i < levels; ++i) {
      text = (i % 2 == 0 ? R"({"L":[)" : R"({"M":{"k":)") + text + (i % 2 == 0 ? "]}" : "}}");
    }
    return text;
  };
  EXPECT_EQ(Refusal(nested(31)), "");
  EXPECT_EQ(Refusal(nested(32)),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
            "levels beyond supported limit");
  const Document deep(nested(60));
  EXPECT_TRUE(DecodeValue(deep.root(), Nesting::kUnchecked));
}

TEST(AttributeValueTest, LimitsNames) {
  EXPECT_EQ(Refusal(R"({"M":{")" + std::string(65535, 'n') + R"(":{"S":""}}})"), "");
  EXPECT_NE(Refusal(R"({"M":{")" + std::string(65536, 'n') + R"(":{"S":""}}})"), "");
}

}  // namespace
}  // namespace monotable::wire
