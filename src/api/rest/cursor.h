#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/rest/router.h"
#include "entities/read/pattern_reader.h"
#include "error/result.h"

namespace monotable::api::rest {

// What a list answers. A cursor of one question does not fit another.
struct Question {
  std::string_view model;
  std::string_view pattern;
  const item::Map& parameters;   // in their stored form
  const QueryParameters& query;  // filters and order count; where to go on and how far does not
  std::string_view tenant;       // empty: all
};

// Makes and reads the cursors of lists: the position, a digest of the question, and a signature of
// both, in base64url. Immutable and thread-safe.
class CursorSeal {
 public:
  explicit CursorSeal(std::string key) : key_(std::move(key)) {}

  std::string Seal(const entities::Position& position, const Question& question) const;
  // kBadCursor if this server did not make it, or made it for another question.
  Result<entities::Position> Open(std::string_view cursor, const Question& question) const;

 private:
  std::string Signature(std::string_view payload) const;

  const std::string key_;
};

}  // namespace monotable::api::rest
