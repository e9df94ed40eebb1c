#include "operations/transfer/transfer_jobs.h"

#include <charconv>

#include <fmt/format.h>

namespace monotable::operations {
namespace {

constexpr size_t kTokenLength = 112;
constexpr size_t kIdLength = 23;  // 14 digits, a dash, 8 hexadecimal digits

}  // namespace

std::string_view TransferIdOf(std::string_view arn, std::string_view infix) {
  const size_t at = arn.rfind(infix);
  return at == std::string_view::npos ? std::string_view() : arn.substr(at + infix.size());
}

std::string EncodeListToken(std::string_view id) {
  std::string token;
  for (const char c : id) token += fmt::format("{:02x}", static_cast<unsigned char>(c));
  token.resize(kTokenLength, '0');
  return token;
}

Result<std::string> DecodeListToken(std::string_view token) {
  std::string id;
  bool good = token.size() == kTokenLength;
  for (size_t i = 0; good && i < kIdLength; ++i) {
    const char* digits = token.data() + 2 * i;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    good = error == std::errc() && end == digits + 2;
    id.push_back(static_cast<char>(value));
  }
  if (!good) return Error::Validation("NextToken is invalid");
  return id;
}

}  // namespace monotable::operations
