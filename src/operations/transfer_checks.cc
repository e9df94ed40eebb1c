#include "operations/transfer_checks.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::operations {
namespace {

Error Mismatch(std::string_view value, std::string_view member, std::string_view pattern) {
  return Error::Validation(fmt::format(
      "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must "
      "satisfy regular expression pattern: {}",
      value, member, pattern));
}

bool IsInBucketName(char c) {
  return text::IsAlphanumeric(c) || c == '.' || c == '-' || c == '_';
}

// A printable ASCII character that is neither a quote nor a comma.
bool IsInHeader(char c) {
  return c >= 0x20 && c <= 0x7E && c != '"' && c != ',';
}

}  // namespace

Status CheckBucket(std::string_view bucket, std::string_view member) {
  const bool fits = bucket.size() >= 2 && text::IsAlphanumeric(bucket.front()) &&
                    text::IsAlphanumeric(bucket.back()) &&
                    std::all_of(bucket.begin(), bucket.end(), IsInBucketName);
  if (fits) return {};
  return Mismatch(bucket, member, "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$");
}

Status CheckPrefix(const std::optional<std::string>& prefix, std::string_view member) {
  if (!prefix) return {};
  const auto refuse = [&](std::string_view why) {
    return Error::Validation(fmt::format(
        "One or more parameter values were invalid: {} '{}' cannot be a path in the folder of a "
        "bucket: {}",
        member, *prefix, why));
  };
  if (prefix->find('\0') != std::string::npos) return refuse("it has a null character");
  if (prefix->starts_with('/')) return refuse("it begins with a slash");
  std::string_view rest = *prefix;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    if (step.empty()) return refuse("it has two slashes in a row");
    if (step == "." || step == "..") return refuse("it has a step '.' or '..'");
    if (step.size() > 255) return refuse("a step is longer than 255 bytes");
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return {};
}

Status CheckOwner(const std::optional<std::string>& owner, std::string_view member) {
  if (!owner) return {};
  const bool digits = std::all_of(owner->begin(), owner->end(), text::IsDigit);
  if (digits && owner->size() == 12) return {};
  return Mismatch(*owner, member, "[0-9]{12}");
}

Status CheckClientToken(const std::optional<std::string>& token) {
  if (!token || (!token->empty() && token->find('$') == std::string::npos)) return {};
  return Mismatch(*token, "clientToken", "^[^\\$]+$");
}

Status CheckCsv(const CsvOptions& csv) {
  constexpr std::string_view kDelimiters = ",;:|\t ";
  if (csv.delimiter &&
      (csv.delimiter->size() != 1 || kDelimiters.find(*csv.delimiter) == std::string_view::npos)) {
    return Mismatch(*csv.delimiter, "inputFormatOptions.csv.delimiter", "[,;:|\\t ]");
  }
  if (!csv.header) return {};
  std::set<std::string_view> seen;
  for (const std::string& name : *csv.header) {
    if (!std::all_of(name.begin(), name.end(), IsInHeader)) {
      return Mismatch(name, "inputFormatOptions.csv.headerList",
                      "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*");
    }
    if (!seen.insert(name).second) {
      return Error::Validation(
          "One or more parameter values were invalid: HeaderList has the name " + name + " twice");
    }
  }
  return {};
}

Status CheckFormat(FileFormat format, std::string_view member) {
  if (format != FileFormat::kIon) return {};
  return Error::Validation(fmt::format(
      "One or more parameter values were invalid: {} ION is not supported by this server", member));
}

}  // namespace monotable::operations
