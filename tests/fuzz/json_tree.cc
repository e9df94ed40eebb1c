// JSON bodies of the REST API: whatever is accepted is the same when it is printed and read again.

#include <string>

#include "fuzz/fuzz_target.h"
#include "json/json_writer.h"
#include "json/tree.h"

using monotable::fuzz::Check;
using monotable::json::Node;
using monotable::json::Tree;

namespace {

void Print(const Node& node, std::string* out) {
  monotable::json::Writer writer(out);
  switch (node.kind) {
    case Node::Kind::kNull:
      writer.Raw("null");
      break;
    case Node::Kind::kBoolean:
      writer.Bool(node.boolean);
      break;
    case Node::Kind::kNumber:
      writer.Raw(node.text);
      break;
    case Node::Kind::kString:
      writer.String(node.text);
      break;
    case Node::Kind::kArray:
      writer.BeginArray();
      for (const Node& item : node.items) Print(item, out);
      writer.EndArray();
      break;
    case Node::Kind::kObject:
      writer.BeginObject();
      for (const auto& member : node.members) {
        writer.Key(member.name);
        Print(member.value, out);
      }
      writer.EndObject();
      break;
  }
}

}  // namespace

FUZZ_TARGET(json_tree) {
  const auto tree = Tree::Parse(input);
  if (!tree) {
    Check(!tree.error().message().empty(), "a refusal says why");
    return;
  }
  std::string printed;
  Print(tree->root(), &printed);
  const auto again = Tree::Parse(printed);
  Check(again.has_value(), "what was accepted is accepted again");
  std::string twice;
  Print(again->root(), &twice);
  Check(printed == twice, "what was accepted means the same again");
}
