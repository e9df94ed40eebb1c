#include "entities/runtime.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "entities/application_fixture.h"
#include "entities/write/write_fixture.h"

namespace monotable::entities {
namespace {

class RuntimeTest : public WriteFixture {
 protected:
  RuntimeTest() { OpenDesign("sales"); }

  // A buyer to create; each number has a document of its own.
  Change BuyerOf(const RunningModel& model, int number) {
    const std::string digits = std::to_string(10000 + number).substr(1);
    auto change = ChangeOf(Change::Kind::kCreate, "Buyer", {},
                           R"({"Name": "B", "Document": "11.222.333/)" + digits + R"(-44"})");
    EXPECT_TRUE(change) << change.error().message();
    change->entity = model.application->Find("Buyer");
    return *std::move(change);
  }
};

TEST_F(RuntimeTest, GuardsRawWritesFromStartToStop) {
  Runtime runtime(engine(), executor());
  runtime.Add(LoadDesign("sales"));
  ASSERT_EQ(runtime.models().size(), 1u);
  EXPECT_EQ(engine().write_guard(), nullptr);
  ASSERT_TRUE(runtime.Start());
  EXPECT_EQ(engine().write_guard(), &runtime.guard());
  runtime.Stop();
  EXPECT_EQ(engine().write_guard(), nullptr);
}

TEST_F(RuntimeTest, WithoutModelsNothingIsGuarded) {
  Runtime runtime(engine(), executor());
  ASSERT_TRUE(runtime.Start());
  EXPECT_EQ(engine().write_guard(), nullptr);
}

TEST_F(RuntimeTest, StopWaitsForTheWritesThatHaveBegun) {
  Runtime runtime(engine(), executor());
  const RunningModel& model = runtime.Add(LoadDesign("sales"));
  ASSERT_TRUE(runtime.Start());
  std::atomic<int> answered = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<Change> changes;
    changes.push_back(BuyerOf(model, i));
    model.writer->Apply(std::move(changes), {}, {}, [&answered](const Result<WriteAnswer>& answer) {
      EXPECT_TRUE(answer) << answer.error().message();
      ++answered;
    });
  }
  runtime.Stop();
  EXPECT_EQ(answered, 50);
}

}  // namespace
}  // namespace monotable::entities
