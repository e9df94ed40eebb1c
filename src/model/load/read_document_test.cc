#include <string>

#include <gtest/gtest.h>

#include "model/load/load.h"

namespace monotable::model {
namespace {

Node Read(std::string_view text) {
  Findings findings;
  std::optional<Node> node = ReadDocument(text, &findings);
  for (const Finding& finding : findings.all()) ADD_FAILURE() << FormatFinding("text", finding);
  return node.value_or(Node());
}

// The only finding of a text that cannot be read.
Finding Refused(std::string_view text) {
  Findings findings;
  EXPECT_FALSE(ReadDocument(text, &findings).has_value()) << text;
  EXPECT_EQ(findings.all().size(), 1u) << text;
  return findings.all().empty() ? Finding() : findings.all().front();
}

void ExpectRefused(std::string_view text, std::string_view id, Place place) {
  const Finding finding = Refused(text);
  EXPECT_EQ(finding.id, id) << text;
  EXPECT_EQ(finding.place.line, place.line) << text;
  EXPECT_EQ(finding.place.column, place.column) << text;
}

TEST(ReadDocument, ReadsScalarsAsYaml12Does) {
  const Node node = Read(
      "a: NO\nb: on\nc: true\nd: false\ne: null\nf: 12\ng: -1.50e3\nh: 007\ni: \"12\"\nj: 15_DAYS\n"
      "k: 0x1F\nl: ~\nm: 'it''s'\nn: .5\no: 1.\np: \"null\"\nq: NULL\nr: 0\n");
  const auto expect = [&](std::string_view name, Node::Kind kind, std::string_view text) {
    const Node* found = node.Find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->kind, kind) << name;
    EXPECT_EQ(found->text, text) << name;
  };
  using Kind = Node::Kind;
  expect("a", Kind::kText, "NO");
  expect("b", Kind::kText, "on");
  expect("c", Kind::kBoolean, "true");
  expect("d", Kind::kBoolean, "false");
  expect("e", Kind::kNull, "null");
  expect("f", Kind::kNumber, "12");
  expect("g", Kind::kNumber, "-1.50e3");
  expect("h", Kind::kText, "007");
  expect("i", Kind::kText, "12");
  expect("j", Kind::kText, "15_DAYS");
  expect("k", Kind::kText, "0x1F");
  expect("l", Kind::kText, "~");
  expect("m", Kind::kText, "it's");
  expect("n", Kind::kText, ".5");
  expect("o", Kind::kText, "1.");
  expect("p", Kind::kText, "null");
  expect("q", Kind::kText, "NULL");
  expect("r", Kind::kNumber, "0");
}

TEST(ReadDocument, KnowsWhereEverythingStands) {
  const Node node = Read("a:\n  - x\n  - {b: \"y\", c: [1]}\nd: |\n  text\n");
  EXPECT_EQ(node.place, (Place{1, 1}));
  const Node* list = node.Find("a");
  EXPECT_EQ(list->place, (Place{2, 3}));
  EXPECT_EQ(list->items[0].place, (Place{2, 5}));
  const Node& map = list->items[1];
  EXPECT_EQ(map.place, (Place{3, 5}));
  EXPECT_EQ(map.members[0].place, (Place{3, 6}));
  EXPECT_EQ(map.members[0].value.place, (Place{3, 9}));
  EXPECT_EQ(map.members[1].value.items[0].place, (Place{3, 18}));
  EXPECT_EQ(node.members[1].place, (Place{4, 1}));
  EXPECT_EQ(node.Find("d")->text, "text\n");
}

TEST(ReadDocument, CountsColumnsInCharacters) {
  const Node node = Read("{são: é, \"ação\": x}\r\n");
  EXPECT_EQ(node.members[0].place, (Place{1, 2}));
  EXPECT_EQ(node.members[0].value.place, (Place{1, 7}));
  EXPECT_EQ(node.members[1].place, (Place{1, 10}));
  EXPECT_EQ(node.members[1].value.place, (Place{1, 18}));
}

TEST(ReadDocument, PutsAnEmptyValueAtItsName) {
  const Node node = Read("a:\n  b:\n  c: # comment\nd:\n");
  EXPECT_EQ(node.Find("a")->members[0].value.kind, Node::Kind::kNull);
  EXPECT_EQ(node.Find("a")->members[0].value.place, (Place{2, 3}));
  EXPECT_EQ(node.Find("a")->members[1].value.place, (Place{3, 3}));
  EXPECT_EQ(node.Find("d")->place, (Place{4, 1}));
  EXPECT_EQ(node.Find("d")->text, "");
}

TEST(ReadDocument, ReadsJson) {
  const Node node = Read(
      "{\"a\":[1,2.5,true,null,\"x\\n\\u00e9\"],\n \"b\":{\"c\":\"{n}\"},\"d\":{},\"e\":[]}\n");
  ASSERT_EQ(node.Find("a")->items.size(), 5u);
  EXPECT_EQ(node.Find("a")->items[3].kind, Node::Kind::kNull);
  EXPECT_EQ(node.Find("a")->items[4].text, "x\né");
  EXPECT_EQ(node.Find("b")->Find("c")->text, "{n}");
  EXPECT_TRUE(node.Find("d")->is_map());
  EXPECT_TRUE(node.Find("e")->is_list());
}

TEST(ReadDocument, ReadsWindowsLinesAndByteOrderMarks) {
  const Node node = Read(
      "\xEF\xBB\xBF"
      "a: x\r\nb: y\r\n");
  EXPECT_EQ(node.Find("a")->text, "x");
  EXPECT_EQ(node.Find("b")->text, "y");
  EXPECT_EQ(node.members[1].place, (Place{2, 1}));
}

TEST(ReadDocument, KeepsTheOrderOfMembers) {
  const Node node = Read("z: 1\na: 2\nm: 3\n");
  EXPECT_EQ(node.members[0].name, "z");
  EXPECT_EQ(node.members[1].name, "a");
  EXPECT_EQ(node.members[2].name, "m");
}

TEST(ReadDocument, RefusesTheRestOfYaml) {
  ExpectRefused("a: &x 1\n", "anchor", {1, 4});
  ExpectRefused("a: !!str 1\n", "tag", {1, 4});
  ExpectRefused("a: !thing {b: 1}\n", "tag", {1, 4});
  ExpectRefused("a: 1\n<<: {b: 1}\n", "merge_key", {2, 1});
  ExpectRefused("a: 1\nb: 2\na: 3\n", "duplicate_key", {3, 1});
  ExpectRefused("x: {a: 1, \"a\": 3}\n", "duplicate_key", {1, 11});
  ExpectRefused("a: 1\n---\nb: 2\n", "several_documents", {3, 1});
  ExpectRefused("1: x\n", "key_not_text", {1, 1});
  ExpectRefused("a:\n  true: x\n", "key_not_text", {2, 3});
  ExpectRefused("? [a, b]\n: x\n", "key_not_text", {1, 3});
  ExpectRefused("a:\n\tb: 1\n", "tab_indentation", {2, 1});
  ExpectRefused("a: \x01\n", "control_character", {1, 4});
  ExpectRefused(std::string_view("a: x\0y\n", 7), "control_character", {1, 5});
  ExpectRefused("a: \xff\xfe\n", "not_utf8", {1, 1});
}

TEST(ReadDocument, RefusesAliasesAlongWithTheirAnchors) {
  Findings findings;
  EXPECT_FALSE(ReadDocument("a: &x 1\nb: *x\n", &findings).has_value());
  ASSERT_EQ(findings.all().size(), 2u);
  EXPECT_EQ(findings.all()[0].id, "anchor");
  EXPECT_EQ(findings.all()[1].id, "alias");
  EXPECT_EQ(findings.all()[1].place, (Place{2, 4}));
}

TEST(ReadDocument, SaysWhereTheSyntaxIsWrong) {
  ExpectRefused("a: 'x\n", "syntax_error", {1, 4});
  ExpectRefused("a: b: c\n", "syntax_error", {1, 5});
  EXPECT_NE(Refused("a: {PK: SALE#{SaleId}, SK: x}\n").fix.find("quoted"), std::string::npos);
  EXPECT_EQ(Refused("a: [1, 2\n").id, "syntax_error");
  EXPECT_EQ(Refused("*").id, "syntax_error");
  EXPECT_EQ(Refused(std::string(100'000, '[')).id, "syntax_error");
}

// The parser gives up where the text makes no sense any more, which is often after the mistake.
TEST(ReadDocument, SaysWhatToDoAboutTheSyntax) {
  EXPECT_EQ(Refused("a:\n    b: 1\n   c: 2\n").fix,
            "Indent the line like the other lines of its map; it has 3 spaces.");
  EXPECT_EQ(Refused("a:\n  k: {PK: \"A#{b}\", SK: c\n  d: 1\n").fix,
            "Line 2 has a { without its }; add it.");
  EXPECT_EQ(Refused("a:\n  k: {PK: x, SK: #PROFILE}\n  d: 1\n").fix,
            "Line 2 has a # that begins a comment; quote the text.");
  EXPECT_EQ(Refused("tables\n  main: 1\n").fix, "Line 1 has no colon after its name; add it.");
  EXPECT_EQ(Refused("title: Oficina: bicicletas\n").fix,
            "Put text that contains a colon and a space into quotes.");
  EXPECT_EQ(Refused("a: [\u201C{b}\u201D]\n").fix, "Write straight quotes: \".");
}

TEST(ReadDocument, RefusesAnEmptyFile) {
  ExpectRefused("", "empty_document", {1, 1});
  ExpectRefused("# only a comment\n", "empty_document", {1, 1});
}

}  // namespace
}  // namespace monotable::model
