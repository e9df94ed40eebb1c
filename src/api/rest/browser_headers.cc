#include "api/rest/browser_headers.h"

#include <utility>

#include <fmt/format.h>

#include "auth/crypto.h"
#include "json/base64.h"

namespace monotable::api::rest {
namespace {

// The hashes of all elements of one kind that are written in the page, as a policy names them. The
// pages are our own, so the tags have no attributes.
std::string HashesOf(std::string_view html, std::string_view element) {
  const std::string open = fmt::format("<{}>", element);
  const std::string close = fmt::format("</{}>", element);
  std::string hashes;
  for (size_t at = html.find(open); at != std::string_view::npos; at = html.find(open, at)) {
    at += open.size();
    const std::string_view text = html.substr(at, html.find(close, at) - at);
    hashes.append(" 'sha256-");
    json::AppendBase64(auth::BytesOf(auth::Sha256(text)), &hashes);
    hashes.append("'");
    at += text.size();
  }
  return hashes.empty() ? " 'none'" : hashes;
}

}  // namespace

void AddBrowserHeaders(http::Response* response) {
  response->headers.emplace_back("X-Content-Type-Options", "nosniff");
  response->headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

void AddDocumentHeaders(std::string policy, http::Response* response) {
  AddBrowserHeaders(response);
  response->headers.emplace_back("Content-Security-Policy", std::move(policy));
  response->headers.emplace_back("X-Frame-Options", "DENY");
  response->headers.emplace_back("Referrer-Policy", "no-referrer");
  response->headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

std::string PolicyOfDocument() {
  return "default-src 'none'; frame-ancestors 'none'";
}

std::string PolicyOfPage(std::string_view html) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; connect-src 'self'; img-src data:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      HashesOf(html, "script"), HashesOf(html, "style"));
}

}  // namespace monotable::api::rest
