#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

// What answers tell browsers, so that a page of another site can do nothing with them. The
// functions are pure.
namespace monotable::api::rest {

// For every answer: a browser takes it for what its Content-Type says, and gives it to pages of
// this server only.
void AddBrowserHeaders(http::Response* response);

// For answers that a person may open in a browser: beside that, no other page may show them in a
// frame, and they may load what the policy allows.
void AddDocumentHeaders(std::string policy, http::Response* response);

// The Content-Security-Policy of what is no page: it loads nothing.
std::string PolicyOfDocument();

// The Content-Security-Policy of a page: it runs the scripts and styles that are written in it,
// which the policy lists by their hashes, and it fetches from this server. A script that got into
// the page in another way does not run.
std::string PolicyOfPage(std::string_view html);

}  // namespace monotable::api::rest
