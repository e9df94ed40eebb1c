#include "engine/recovery/history.h"

#include <map>
#include <optional>
#include <random>
#include <string>

#include "engine/engine_fixture.h"
#include "engine/recovery/restore.h"

namespace monotable::engine {
namespace {

using State = std::map<std::string, std::string>;  // value by PK

std::string TextOf(encoding::ItemView item, std::string_view name) {
  return std::string(item.Find(name)->scalar());
}

std::optional<std::string> ValueOf(const std::optional<encoding::ItemView>& item) {
  if (!item) return std::nullopt;
  return TextOf(*item, "value");
}

class HistoryTest : public EngineFixture {
 protected:
  HistoryTest() {
    table::TableDefinition definition = Definition("things");
    definition.point_in_time_recovery.enabled = true;
    table_ = *Create(catalog(), definition);
  }

  void Write(const std::string& key, const std::optional<std::string>& value) {
    item::Item item;
    item.Set("PK", item::Value(key));
    if (!value) {
      ASSERT_TRUE(Delete(table_, item));
      now_.erase(key);
      return;
    }
    item.Set("value", item::Value(*value));
    ASSERT_TRUE(Put(table_, item));
    now_[key] = *value;
  }

  State At(const table::LogMoment& moment, size_t memory_bytes = kHistoryBytes) {
    State state;
    std::string last;
    const auto snapshot = store().Snapshot();
    const Status walked = WalkPast({*snapshot, *table_, moment, memory_bytes},
                                   [&](std::string_view key, encoding::ItemView item) -> Status {
                                     EXPECT_LT(last, key) << "out of order";
                                     last = key;
                                     state[TextOf(item, "PK")] = TextOf(item, "value");
                                     return {};
                                   },
                                   {});
    EXPECT_TRUE(walked) << walked.error().message();
    return state;
  }

  TablePtr table_;
  State now_;
};

TEST_F(HistoryTest, AMomentIncludesTheCommitsOfItsTime) {
  const int64_t start = clock_.now_ms;
  Write("a", "1");
  clock_.now_ms = start + 10;
  Write("a", "2");
  Write("b", "1");
  clock_.now_ms = start + 20;
  Write("a", std::nullopt);
  EXPECT_EQ(At(EndOf(start - 1)), State());
  EXPECT_EQ(At(EndOf(start)), (State{{"a", "1"}}));
  EXPECT_EQ(At(EndOf(start + 9)), (State{{"a", "1"}}));
  EXPECT_EQ(At(EndOf(start + 10)), (State{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(At(EndOf(start + 20)), (State{{"b", "1"}}));
}

TEST_F(HistoryTest, ThePresentIsExactWithinOneMillisecond) {
  Write("a", "1");
  const auto present = SeePresent(engine());
  ASSERT_TRUE(present);
  Write("a", "2");
  EXPECT_EQ(At(present->moment), (State{{"a", "1"}}));
  EXPECT_EQ(At(EndOf(present->moment.time_ms)), (State{{"a", "2"}}));
}

// However little of the log fits into memory, the walks are the same.
TEST_F(HistoryTest, WalksAreTheSameWithLittleMemory) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::map<int64_t, State> states;
  std::map<int64_t, std::map<std::string, int64_t>> written_at;  // last write by key, at each time
  std::map<std::string, int64_t> last_writes;
  const int64_t start = clock_.now_ms;
  for (int64_t time = start + 1; time <= start + 60; ++time) {
    clock_.now_ms = time;
    for (uint32_t writes = random() % 4; writes > 0; --writes) {
      const std::string key = "key-" + std::to_string(random() % 25);
      const bool remove = random() % 4 == 0;
      const bool changes = !remove || now_.contains(key);
      Write(key, remove ? std::nullopt : std::optional(std::to_string(random())));
      if (changes) last_writes[key] = time;
    }
    states[time] = now_;
    written_at[time] = last_writes;
  }
  for (const auto& [time, state] : states) {
    for (const size_t memory : {size_t{1}, size_t{700}, kHistoryBytes}) {
      ASSERT_EQ(At(EndOf(time), memory), state) << time - start << " " << memory;
    }
  }
  const auto snapshot = store().Snapshot();
  for (int round = 0; round < 200; ++round) {
    const int64_t from = start + 1 + random() % 60;
    const int64_t to = from + random() % (start + 61 - from);
    State expected;
    State visited;
    for (const auto& [key, time] : written_at[to]) {
      if (time > from) expected[key] = std::to_string(time);
    }
    const auto visit = [&](const PastChange& change) -> Status {
      const std::string key = TextOf(change.key_image, "PK");
      visited[key] = std::to_string(change.written_at_ms);
      const auto value_at = [&](int64_t time) {
        const auto found = states[time].find(key);
        return found == states[time].end() ? std::nullopt : std::optional(found->second);
      };
      EXPECT_EQ(ValueOf(change.old_item), value_at(from));
      EXPECT_EQ(ValueOf(change.new_item), value_at(to));
      return {};
    };
    const size_t memory = round % 2 == 0 ? 1 : 700;
    ASSERT_TRUE(WalkChanges({*snapshot, *table_, EndOf(to), memory}, EndOf(from), visit, {}));
    ASSERT_EQ(visited, expected) << from - start << " " << to - start;
  }
}

TEST_F(HistoryTest, WalksEndWhenAsked) {
  Write("a", "1");
  std::stop_source stopped;
  stopped.request_stop();
  const auto visit = [](std::string_view, encoding::ItemView) { return Status(); };
  EXPECT_FALSE(WalkPast(store().Latest(), *table_, clock_.now_ms, visit, stopped.get_token()));
}

TEST_F(HistoryTest, ADamagedRecordIsAnError) {
  const std::string key = encoding::ChangeKey(table_->id, 1, {clock_.now_ms + 1, 1, 0});
  ASSERT_TRUE(storage::UpdateAndWait(
      store(), {}, [&key](auto, const auto&, storage::Batch* batch) { batch->Put(key, "?"); }));
  const auto visit = [](std::string_view, encoding::ItemView) { return Status(); };
  EXPECT_FALSE(WalkPast(store().Latest(), *table_, clock_.now_ms, visit, {}));
}

}  // namespace
}  // namespace monotable::engine
