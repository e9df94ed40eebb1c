#pragma once

#include <string_view>

// Pages for people, made of the .html files beside this one when the server is built. They hold no
// data: scripts in them fetch it. Nothing in them comes from another host.
namespace monotable::api::rest {

// The documentation of one model. It fetches ./openapi.json, so it is served beside that.
std::string_view DocumentationPage();

// The list of the models that a server has. It fetches /api/v1.
std::string_view IndexPage();

}  // namespace monotable::api::rest
