#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

// JSON as a tree that keeps two things that parse.h loses: numbers as they were written, so that
// decimals of any length are exact, and the place of a mistake, for the error message. For
// documents that people and programs write by hand; parse.h is for requests that must be fast.
namespace monotable::json {

struct Member;

// One value. Texts are views: of the parsed text, or of the tree's own memory.
struct Node {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string_view text;        // of a string, unescaped; of a number, as it was written
  std::vector<Node> items;      // of an array
  std::vector<Member> members;  // of an object, in the order of the text; names are unique

  bool is_null() const { return kind == Kind::kNull; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_object() const { return kind == Kind::kObject; }
  // The member of that name; null if there is none. A member that says null is found.
  const Node* Find(std::string_view name) const;
};

struct Member {
  std::string_view name;
  Node value;
};

// A parsed document. Immutable, so thread-safe; moving it leaves its nodes' texts where they are.
class Tree {
 public:
  // Strict: RFC 8259 in UTF-8, nothing after the document, at most kMaxDepth levels, no name twice
  // in one object, no half of a surrogate pair. The error is of kSerialization, and its message
  // says what is wrong and at which line and column. The text must outlive the tree.
  static Result<Tree> Parse(std::string_view text);

  const Node& root() const { return root_; }

 private:
  Node root_;
  std::deque<std::string> unescaped_;  // the strings that are not in the text as they are
};

}  // namespace monotable::json
