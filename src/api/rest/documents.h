#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/served_model.h"
#include "http/message.h"
#include "model/node.h"

// What the server says about its models: their files and their API.
namespace monotable::api::rest {

// The documents of one model, made once. Immutable and thread-safe.
class Documents {
 public:
  explicit Documents(const ServedModel& model);

  // The document under a path after the model's prefix (/openapi.json, /model.json, /model.yaml,
  // or nothing: a summary with links to them); nothing if there is no such document.
  std::optional<http::Response> Find(std::string_view path) const;
  // The summary as a JSON object.
  const std::string& summary() const { return summary_; }

 private:
  std::string summary_;
  std::string openapi_;
  std::string json_;
  std::string yaml_;
};

// A model file in JSON: what YAML reads as a number or truth is one, and the order is the file's.
std::string ToJson(const model::Node& node);

// An answer that is no JSON.
http::Response MakeDocument(std::string_view content_type, std::string body);

}  // namespace monotable::api::rest
