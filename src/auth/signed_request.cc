#include "auth/signed_request.h"

#include "text/words.h"

namespace monotable::auth {

std::string_view SignedRequest::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (text::EqualsIgnoringCase(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace monotable::auth
