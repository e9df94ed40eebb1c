#pragma once

#include <string_view>

// Pages for people, made of the .html files beside this one when the server is built. They hold no
// data: scripts in them fetch it. Nothing in them comes from another host. Scripts and styles are
// in <script> and <style> without attributes, never in attributes of other elements: the policy
// that is sent with a page lists their hashes (api/rest/browser_headers.h).
namespace monotable::api::rest {

// The documentation of one model. It fetches ./openapi.json, so it is served beside that.
std::string_view DocumentationPage();

// The list of the models that a server has. It fetches /api/v1.
std::string_view IndexPage();

}  // namespace monotable::api::rest
