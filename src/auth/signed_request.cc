#include "auth/signed_request.h"

namespace monotable::auth {

bool EqualsLowerCase(std::string_view name, std::string_view lower_case) {
  if (name.size() != lower_case.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (lower != lower_case[i]) return false;
  }
  return true;
}

std::string_view SignedRequest::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (EqualsLowerCase(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace monotable::auth
