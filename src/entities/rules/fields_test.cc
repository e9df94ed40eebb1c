#include <memory>

#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

namespace monotable::entities {
namespace {

class EnvelopeTest : public WriteFixture {
 protected:
  EnvelopeTest() {
    OpenModel(R"yaml(format: stm/1
model: notes
tables:
  main: {name: notes, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Note:
    path: notes
    id: {attribute: id}
    keys: {primary: {PK: "NOTE#{id}", SK: NOTE}}
    envelope: {attribute: data}
    unknown_attributes: reject
    attributes: {id: string!, title: string, count: integer}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    item::Item item = Texts({{"PK", "NOTE#1"}, {"SK", "NOTE"}, {"type", "Note"}});
    item.Set("data", item::Value(Texts({{"id", "1"}, {"title", "A"}, {"côr", "vermelha"}})));
    PutItem("notes", item);
  }
  const item::Map key_ = Texts({{"id", "1"}});
};

TEST_F(EnvelopeTest, UnknownMembersOfRawClientsStayWhenOthersChange) {
  const auto patched = Patch("Note", key_, R"({"title": "B"})");
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ(TextOf("Note", key_, "title"), "B");
  EXPECT_EQ(TextOf("Note", key_, "côr"), "vermelha");
}

TEST_F(EnvelopeTest, NewUnknownMembersAreRefused) {
  ExpectProblem(Patch("Note", key_, R"({"peso": 1})"), ProblemCode::kInvalid, "/peso");
  ExpectProblem(Patch("Note", key_, R"({"title": "B", "côr": "azul"})"), ProblemCode::kInvalid);
  ExpectProblem(Patch("Note", key_, R"({"count": "x"})"), ProblemCode::kInvalid, "/count");
  EXPECT_EQ(TextOf("Note", key_, "title"), "A");
}

}  // namespace
}  // namespace monotable::entities
