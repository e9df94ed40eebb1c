#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"
#include "json/parse.h"

namespace monotable::deploy {

// A JSON document that owns its text, and functions to read it. A member that is absent or has
// another type reads as nothing, because the answers of other servers may lack it.
class Document {
 public:
  static Result<Document> Parse(std::string_view text) {
    Document document;
    document.text_->reserve(text.size() + json::kPadding);
    *document.text_ = text;
    TRY_ASSIGN(document.root_, document.parser_->Parse(*document.text_));
    return document;
  }

  const json::Element& root() const { return root_; }
  json::Object object() const { return json::ObjectOf(root_); }

 private:
  Document() = default;

  // On the heap, because elements point into both.
  std::unique_ptr<std::string> text_ = std::make_unique<std::string>();
  std::unique_ptr<json::Parser> parser_ = std::make_unique<json::Parser>();
  json::Element root_;
};

inline std::string_view TextOf(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member ? json::StringOf(*member) : std::string_view();
}
inline bool FlagOf(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member && json::BoolOf(*member);
}
inline std::optional<json::Object> ObjectIn(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  if (!member || !member->is_object()) return std::nullopt;
  return json::ObjectOf(*member);
}
inline std::optional<json::Array> ArrayIn(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  if (!member || !member->is_array()) return std::nullopt;
  return json::ArrayOf(*member);
}

}  // namespace monotable::deploy
