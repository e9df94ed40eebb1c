#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

// A model whose entities are in one table with one index.
std::string Of(const std::string& entities) {
  return R"yaml(format: stm/1
model: m
defaults: {key_values: {forbid: "#"}}
tables:
  main:
    name: main
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    indexes: {GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}}
entities:
)yaml" + entities;
}

const std::string kOrder = R"yaml(  Order:
    path: orders
    id: {attribute: order}
    keys: {primary: {PK: "C#{customer}", SK: "ORDER#{order}"}}
    attributes: {customer: string!, order: string!}
)yaml";

std::string Line(const std::string& keys, const std::string& attributes) {
  return Of(kOrder + "  Line:\n    parent: Order\n    path: lines\n    id: {attribute: number}\n" +
            "    keys: {" + keys + "}\n    attributes: {" + attributes + ", number: integer!}\n");
}

TEST(CheckRelations, AChildNamesItsWholeParent) {
  ExpectFound(Line(R"(primary: {PK: "C#{customer}", SK: "LINE#{number}"})", "customer: string!"),
              Severity::kError, "parent_not_identified", "entities.Line", "Line:");
  ExpectNotFound(Line(R"(primary: {PK: "C#{customer}", SK: "LINE#{order}#{number}"})",
                      "customer: string!, order: string!"),
                 "parent_not_identified");
}

TEST(CheckRelations, AStampOfTheChildDoesNotNameItsParent) {
  ExpectFound(Of(R"yaml(  Message:
    path: messages
    keys: {primary: {PK: "M#{room}", SK: "{at}"}}
    attributes: {room: string!, at: {type: instant, set: on_create}}
  Reaction:
    parent: Message
    path: reactions
    keys: {primary: {PK: "R#{room}", SK: "{at}#{user}"}}
    attributes: {room: string!, at: {type: instant, set: on_create}, user: string!}
)yaml"),
              Severity::kError, "parent_not_identified", "entities.Reaction", "Reaction:");
}

TEST(CheckRelations, ChildrenNeedAKeyThatFindsThem) {
  const std::string attributes = "customer: string!, order: string!, shelf: string";
  ExpectFound(Line(R"(primary: {PK: "LINE#{number}", SK: LINE})", attributes), Severity::kError,
              "parent_not_identified", "entities.Line", "Line:");
  const std::string index =
      R"(primary: {PK: "LINE#{number}", SK: LINE}, GSI1: {GSI1PK: "O#{order}", GSI1SK: "{shelf}"})";
  ExpectFound(Line(index, attributes), Severity::kError, "parent_not_identified", "entities.Line",
              "Line:");
  ExpectNotFound(Line(index, "customer: string!, order: string!, shelf: string!"),
                 "parent_not_identified");
}

TEST(CheckRelations, ReferencesAreFound) {
  const auto note = [](const std::string& attributes) {
    return Of(kOrder + "  Note:\n    path: notes\n    id: {attribute: note}\n" +
              R"(    keys: {primary: {PK: "NOTE#{note}", SK: NOTE}})" +
              "\n    attributes: {note: string!, of: {type: string, ref: Order}" + attributes +
              "}\n");
  };
  ExpectFound(note(""), Severity::kError, "reference_not_found", "entities.Note.attributes.of",
              "of:");
  ExpectNotFound(note(", customer: string!"), "reference_not_found");
}

TEST(CheckRelations, ACollectionIsReadByItsWholeRoot) {
  const std::string text =
      Line(R"(primary: {PK: "C#{customer}", SK: "LINE#{order}#{number}"})",
           "customer: string!, order: string!") +
      "collections:\n  Full: {root: Order, members: {lines: \"Line[]\"}, partition: "
      "\"C#{customer}\"}\npatterns:\n  - {name: full, collection: Full, by: [customer]}\n";
  ExpectFound(text, Severity::kError, "collection_without_root", "patterns.full", "full");
  ExpectNotFound(With(text, "by: [customer]", "by: [customer, order]"), "collection_without_root");
}

}  // namespace
}  // namespace monotable::model
