// The Authorization header and presigned requests. Lines: the method, the target, then headers up
// to an empty line, then the body.

#include <vector>

#include "auth/authenticator.h"
#include "fuzz/fuzz_target.h"

using monotable::auth::Authenticator;
using monotable::auth::Credentials;
using monotable::auth::Header;
using monotable::fuzz::Check;
using monotable::fuzz::TakeUntil;

namespace {

constexpr int64_t kNow = 1767225600000;  // 2026-01-01

const Authenticator& Verifying() {
  static const Authenticator authenticator = [] {
    Credentials credentials;
    static_cast<void>(credentials.Add("AKID", "secret"));
    return Authenticator(std::move(credentials));
  }();
  return authenticator;
}

}  // namespace

FUZZ_TARGET(authorization) {
  const std::string_view method = TakeUntil(&input, '\n');
  const std::string_view target = TakeUntil(&input, '\n');
  std::vector<Header> headers;
  while (!input.empty()) {
    std::string_view line = TakeUntil(&input, '\n');
    if (line.empty()) break;
    const std::string_view name = TakeUntil(&line, ':');
    headers.push_back({name, line});
  }
  static const Authenticator open{Credentials()};
  const auto anyone = open.Authenticate({method, target, headers, input}, kNow);
  const auto somebody = Verifying().Authenticate({method, target, headers, input}, kNow);
  if (somebody) {
    Check(anyone.has_value(), "what is verified is well formed");
    Check(somebody->access_key_id == "AKID", "only known keys are verified");
  }
}
