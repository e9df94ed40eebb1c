#include "json/base64.h"

#include <gtest/gtest.h>

namespace monotable::json {
namespace {

std::string Encoded(std::string_view bytes) {
  std::string out;
  AppendBase64(bytes, &out);
  return out;
}

// The vectors of RFC 4648, section 10.
TEST(Base64Test, EncodesAndDecodesTheRfcVectors) {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(Encoded(bytes), text);
    auto decoded = DecodeBase64(text);
    ASSERT_TRUE(decoded) << text;
    EXPECT_EQ(*decoded, bytes);
  }
}

TEST(Base64Test, RoundTripsAllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const std::string part = bytes.substr(bytes.size() - length);
    auto decoded = DecodeBase64(Encoded(part));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, part);
  }
}

TEST(Base64Test, RefusesWithTheWordingOfTheService) {
  const std::pair<std::string, std::string> cases[] = {
      {"abc", "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
      {"ab!d", "Invalid Base64 character: '!'"},
      {"a===", "Invalid Base64 character: '='"},
      {"Zg==Zg==", "Invalid Base64 character: '='"},
      {"Zm8-", "Invalid Base64 character: '-'"},
      {"a\xc3\xa7"
       "b",
       "Invalid Base64 character: '\xc3\xa7'"},
      {"Zh==", "Invalid last non-pad Base64 character dectected"},
      {"Zm9=", "Invalid last non-pad Base64 character dectected"},
  };
  for (const auto& [text, message] : cases) {
    auto decoded = DecodeBase64(text);
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code(), ErrorCode::kSerialization);
    EXPECT_EQ(decoded.error().message(), message);
  }
}

TEST(Base64UrlTest, UsesTheAlphabetOfAddressesWithoutPadding) {
  for (const auto& [bytes, text] : {std::pair<std::string_view, std::string_view>{"", ""},
                                    {"\xfb", "-w"},
                                    {"\xfb\xff", "-_8"},
                                    {"\xfb\xff\xfe", "-__-"}}) {
    std::string encoded;
    AppendBase64Url(bytes, &encoded);
    EXPECT_EQ(encoded, text);
    EXPECT_EQ(DecodeBase64Url(text).value(), bytes);
  }
  for (const char* text : {"+w", "/w", "-w==", "-w=", "-", "-x"}) {
    EXPECT_FALSE(DecodeBase64Url(text)) << text;
  }
}

}  // namespace
}  // namespace monotable::json
