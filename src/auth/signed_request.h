#pragma once

#include <span>
#include <string_view>

namespace monotable::auth {

struct Header {
  std::string_view name;   // any case
  std::string_view value;  // without surrounding blanks
};

// What a signature covers, as views of a request as it was received.
struct SignedRequest {
  std::string_view method;
  std::string_view target;  // path and query as sent
  std::span<const Header> headers;
  std::string_view body;

  std::string_view path() const { return target.substr(0, target.find('?')); }
  // Without the question mark; empty if there is none.
  std::string_view query() const {
    const size_t mark = target.find('?');
    return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  }
  // The first header of that name, which is lower-case; a null data pointer if there is none.
  std::string_view header(std::string_view name) const;
};

}  // namespace monotable::auth
