#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/capacity.h"
#include "entities/read/entity_read_fixture.h"
#include "model/route/route.h"

namespace monotable::entities {
namespace {

using model::PatternModel;

// The examples that the designs give of their own patterns.
class DesignExamples : public ReadFixture, public testing::WithParamInterface<const char*> {
 protected:
  // What an example calls the items of an entity: by its id, or by the last attribute of its route.
  static std::string IdOf(const Found& found) {
    const model::EntityModel& model = *found.entity->model;
    if (model.id) return Of(found, model.id->attribute);
    return Of(found, model::RouteKey(found.entity->application->model(), model).back());
  }

  void ExpectExample(const PatternModel& pattern, const PatternModel::Example& example) {
    const PatternReader reader(engine(), application(), pattern);
    item::Map given;
    for (const auto& [name, text] : example.given) given.Set(name, S(text));
    std::vector<std::string> ids;
    double units = 0;
    if (pattern.kind == PatternModel::Kind::kGet) {
      const auto found = reader.Get(given, Caller(), false);
      ASSERT_TRUE(found) << found.error().message();
      ids.push_back(IdOf(*found));
      units = engine::ReadUnits(encoding::ItemView(found->item).ChargedSize(), false);
    } else {
      ListRequest request;
      request.parameters = given;
      const auto list = reader.List(request, Caller());
      ASSERT_TRUE(list) << list.error().message();
      EXPECT_FALSE(list->next);
      for (const Found& found : list->items) ids.push_back(IdOf(found));
      if (pattern.kind == PatternModel::Kind::kCollection) ids.resize(1);
      units = list->read_units;
    }
    EXPECT_EQ(ids, example.returns);
    if (example.most_units) {
      EXPECT_EQ(*item::Number::Parse(std::to_string(units)), *example.most_units);
    }
  }
};

TEST_P(DesignExamples, Hold) {
  clock_.now_ms = 1'770'000'000'000;  // 2026-02-02, before the trading samples expire
  OpenDesign(GetParam());
  int examples = 0;
  for (const PatternModel& pattern : application().model().patterns) {
    for (const PatternModel::Example& example : pattern.examples) {
      SCOPED_TRACE(pattern.name);
      ExpectExample(pattern, example);
      ++examples;
    }
  }
  EXPECT_GE(examples, 5);
}

// What the model calls unserved is refused, never scanned.
TEST_P(DesignExamples, UnservedPatternsAreRefused) {
  OpenDesign(GetParam());
  for (const PatternModel& pattern : application().model().patterns) {
    if (!pattern.expected_unserved) continue;
    const PatternReader reader(engine(), application(), pattern);
    ExpectProblem(reader.List({}, Caller()), ProblemCode::kNoAccessPattern);
    ExpectProblem(reader.Get({}, Caller(), false), ProblemCode::kNoAccessPattern);
  }
}

// A pattern without its parameters says which one it misses.
TEST_P(DesignExamples, MissingParametersAreNamed) {
  OpenDesign(GetParam());
  for (const PatternModel& pattern : application().model().patterns) {
    const PatternReader reader(engine(), application(), pattern);
    if (reader.plan().steps.empty() || reader.plan().parameters.empty()) continue;
    SCOPED_TRACE(pattern.name);
    const auto list = reader.List({}, Caller());
    ASSERT_FALSE(list);
    const ProblemDetail* problem = ProblemOf(list.error());
    ASSERT_NE(problem, nullptr);
    ASSERT_EQ(problem->fields.size(), 1u);
    EXPECT_THAT(reader.plan().parameters, testing::Contains(problem->fields[0].path));
    EXPECT_EQ(problem->fields[0].code, "required");
  }
}

INSTANTIATE_TEST_SUITE_P(Read, DesignExamples,
                         testing::Values("sales", "blog", "chat", "orders", "trading"));

}  // namespace
}  // namespace monotable::entities
