#pragma once

#include <string>
#include <string_view>
#include <vector>

// A model file as it was written: its values and their places.
namespace monotable::model {

// A place in the file, counted from 1. Zero means nowhere: something that is not in the file.
struct Place {
  int line = 0;
  int column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// One value of the file. Scalars keep the text that the author typed, such as 007, 1.50 and NO; the
// kind tells how YAML 1.2 reads it.
struct Node {
  enum class Kind { kNull, kBoolean, kNumber, kText, kList, kMap };
  struct Member;

  Kind kind = Kind::kNull;
  Place place;
  std::string text;             // of a scalar
  std::vector<Node> items;      // of a list
  std::vector<Member> members;  // of a map, in the order of the file

  bool is_scalar() const { return kind != Kind::kList && kind != Kind::kMap; }
  bool is_text() const { return kind == Kind::kText; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  const Node* Find(std::string_view name) const;
};

struct Node::Member {
  std::string name;
  Place place;  // of the name
  Node value;
};

inline const Node* Node::Find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

}  // namespace monotable::model
