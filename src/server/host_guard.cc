#include "server/host_guard.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "server/config.h"
#include "text/characters.h"
#include "text/words.h"

namespace monotable::server {
namespace {

// The host of `host:port` or `[address]:port`, without brackets and without the dot that a full
// name may end with; empty if the text is neither.
std::string_view HostOf(std::string_view authority) {
  std::string_view host = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return {};
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
  } else {
    host = authority.substr(0, authority.find(':'));
    rest = authority.substr(host.size());
    if (host.ends_with('.')) host.remove_suffix(1);
  }
  if (rest.empty()) return host;
  const bool is_port = rest[0] == ':' && std::all_of(rest.begin() + 1, rest.end(), text::IsDigit);
  return is_port ? host : std::string_view();
}

// Resolvers and browsers know that every name below localhost is this machine (RFC 6761).
bool IsLocalName(std::string_view host) {
  constexpr std::string_view kSuffix = ".localhost";
  if (host.size() <= kSuffix.size()) return text::EqualsIgnoringCase(host, "localhost");
  return text::EqualsIgnoringCase(host.substr(host.size() - kSuffix.size()), kSuffix);
}

// What clients on this machine nearly always send, with the port that follows it.
bool IsUsual(std::string_view authority) {
  for (const std::string_view usual :
       {std::string_view("127.0.0.1"), std::string_view("localhost")}) {
    if (!authority.starts_with(usual)) continue;
    const std::string_view rest = authority.substr(usual.size());
    if (rest.empty()) return true;
    if (rest[0] == ':' && std::all_of(rest.begin() + 1, rest.end(), text::IsDigit)) return true;
  }
  return false;
}

// What an Origin says about the host: `http://host:port` without the scheme; empty for `null`,
// which stands for a page that hides where it comes from.
std::string_view AuthorityOf(std::string_view origin) {
  const size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

// How a sentence about a refused name goes on.
std::string Advice(std::string_view name) {
  const std::string_view host = HostOf(name);
  return fmt::format(
      "While this server has no access keys, it answers only to loopback names such as localhost. "
      "Start it with --allowed-host {}, or with access keys.",
      host.empty() ? std::string_view("NAME") : host);
}

}  // namespace

HostGuard::HostGuard(http::Handler& handler, std::vector<std::string> names)
    : handler_(handler), names_(std::move(names)) {}

bool HostGuard::IsOwn(std::string_view authority) const {
  if (IsUsual(authority)) return true;
  const std::string_view host = HostOf(authority);
  if (host.empty()) return false;
  if (IsLocalName(host) || IsLoopback(host)) return true;
  return std::any_of(names_.begin(), names_.end(), [host](const std::string& name) {
    return text::EqualsIgnoringCase(name, host);
  });
}

std::string HostGuard::Refusal(const http::Request& request) const {
  bool has_origin = false;
  bool is_cross_site = false;
  bool is_navigation = false;
  for (const http::Header& header : request.headers()) {
    switch (header.name.size()) {
      case 4:
        if (!text::EqualsIgnoringCase(header.name, "host")) break;
        if (!IsOwn(header.value)) {
          return fmt::format("Host is '{}'. {}", header.value, Advice(header.value));
        }
        break;
      case 6:
        if (!text::EqualsIgnoringCase(header.name, "origin")) break;
        has_origin = true;
        if (!IsOwn(AuthorityOf(header.value))) {
          return fmt::format("The request comes from a page of '{}'. {}", header.value,
                             Advice(AuthorityOf(header.value)));
        }
        break;
      case 14:
        if (text::EqualsIgnoringCase(header.name, "sec-fetch-site")) {
          is_cross_site = header.value == "cross-site";
        } else if (text::EqualsIgnoringCase(header.name, "sec-fetch-mode")) {
          is_navigation = header.value == "navigate";
        }
        break;
      default:
        break;
    }
  }
  // A link from another site may lead here, and the page that it opens belongs to this server. But
  // another site may not load anything, such as an image or a script, into a page of its own.
  if (is_cross_site && !is_navigation && !has_origin) {
    return "A page of another site may not load anything from this server. Open it by itself.";
  }
  return {};
}

void HostGuard::Handle(http::Request request, http::Responder responder) {
  const std::string refusal = Refusal(request);
  if (refusal.empty()) return handler_.Handle(std::move(request), std::move(responder));
  responder.Send(handler_.HandleProtocolError(403, refusal, request.target()));
}

http::Response HostGuard::HandleProtocolError(int status, std::string_view reason,
                                              std::string_view target) {
  return handler_.HandleProtocolError(status, reason, target);
}

}  // namespace monotable::server
