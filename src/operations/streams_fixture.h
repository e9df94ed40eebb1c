#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine_fixture.h"
#include "operations/streams.h"
#include "operations/table_settings.h"

// Tables with streams for the tests of reading them, and a clock that only moves when told to.
namespace monotable::operations {

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kHourMs = 60 * kMinuteMs;

class StreamsFixture : public engine::EngineFixture {
 protected:
  using View = table::StreamViewType;
  using Records = std::vector<StreamRecord>;

  // The first round of housekeeping must not meet a clock that a test has moved.
  StreamsFixture() { engine().housekeeping().WaitUntilIdle(); }

  engine::TablePtr CreateStreaming(const std::string& name, View view = View::kNewAndOldImages) {
    table::TableDefinition definition = Definition(name);
    StartStream(NextMs(), view, &definition);
    auto created = Create(catalog(), definition);
    EXPECT_TRUE(created) << created.error().message();
    return *created;
  }

  void Change(const std::string& name, const std::function<void(table::TableDefinition*)>& change) {
    const auto changed = catalog().Change(
        name, [&](const table::TableDefinition* current, uint32_t) -> engine::Catalog::Decision {
          table::TableDefinition next = *current;
          change(&next);
          return std::optional(std::move(next));
        });
    ASSERT_TRUE(changed) << changed.error().message();
  }

  void Enable(const std::string& name, View view = View::kNewAndOldImages) {
    const int64_t now_ms = NextMs();
    Change(name, [&](auto* table) { StartStream(now_ms, view, table); });
  }
  void Disable(const std::string& name) {
    NextMs();
    Change(name, [](auto* table) { table->stream = {}; });
  }
  // The catalog puts the moment of the commit in.
  void RollOver(const std::string& name) {
    NextMs();
    Change(name, [](auto* table) { table->streams.back().generations.push_back({}); });
  }

  engine::TablePtr Find(const std::string& name) { return catalog().Find(name); }

  // Of the table's newest stream.
  std::string ArnOf(const std::string& name) {
    return engine().TableArn(name) + "/stream/" + Find(name)->latest_stream_label;
  }

  std::vector<StreamShard> Shards(const std::string& arn) {
    const auto described = DescribeStream(engine(), {arn, {}, {}, {}});
    EXPECT_TRUE(described) << described.error().message();
    return described ? described->shards : std::vector<StreamShard>();
  }

  Result<ShardIterator> Iterator(const std::string& arn, const StreamShard& shard,
                                 ShardIteratorType type = ShardIteratorType::kTrimHorizon,
                                 std::optional<std::string> sequence_number = std::nullopt) {
    return GetShardIterator(engine(), {arn, shard.id, type, std::move(sequence_number)});
  }

  // What is there now from an iterator on; the iterator goes where reading would go on.
  Records ReadFrom(std::optional<ShardIterator>* iterator, int64_t page = 1000) {
    Records records;
    while (*iterator) {
      auto answer = GetRecords(engine(), {**iterator, page});
      EXPECT_TRUE(answer) << answer.error().message();
      if (!answer) break;
      *iterator = std::move(answer->next);
      std::move(answer->records.begin(), answer->records.end(), std::back_inserter(records));
      if (answer->records.empty()) break;
    }
    return records;
  }

  Records ReadShard(const std::string& arn, const StreamShard& shard, int64_t page = 1000) {
    auto iterator = Iterator(arn, shard);
    EXPECT_TRUE(iterator) << iterator.error().message();
    std::optional<ShardIterator> from = *iterator;
    return ReadFrom(&from, page);
  }

  // All records of a stream, in commit order.
  Records ReadStream(const std::string& arn, int64_t page = 1000) {
    Records all;
    for (const StreamShard& shard : Shards(arn)) {
      Records records = ReadShard(arn, shard, page);
      EXPECT_TRUE(std::is_sorted(records.begin(), records.end(), ByPosition));
      for (const StreamRecord& record : records) EXPECT_TRUE(shard.Contains(record.position));
      std::move(records.begin(), records.end(), std::back_inserter(all));
    }
    std::sort(all.begin(), all.end(), ByPosition);
    return all;
  }

  static bool ByPosition(const StreamRecord& a, const StreamRecord& b) {
    return a.position < b.position;
  }

  // An item, or with no number just its key.
  static item::Item Thing(const std::string& key, std::optional<int> number = std::nullopt) {
    item::Item item;
    item.Set("PK", item::Value(key));
    if (number) item.Set("n", item::Value(*item::Number::Parse(std::to_string(*number))));
    return item;
  }

  void PutThing(const std::string& table, const std::string& key, int number) {
    const Status status = Put(Find(table), Thing(key, number));
    ASSERT_TRUE(status) << status.error().message();
  }

  static int NumberOf(const std::optional<encoding::EncodedItem>& image) {
    if (!image) return -1;
    const auto value = encoding::ItemView(*image).Find("n");
    return value ? std::stoi(std::string(value->scalar())) : -1;
  }
  static std::vector<int> Numbers(const Records& records) {
    std::vector<int> numbers;
    for (const StreamRecord& record : records) numbers.push_back(NumberOf(record.new_image));
    return numbers;
  }

  template <typename T>
  static std::string Refusal(const Result<T>& result, ErrorCode code) {
    if (result) return "(accepted)";
    EXPECT_EQ(static_cast<int>(result.error().code()), static_cast<int>(code))
        << result.error().message();
    return result.error().message();
  }

  // Times that name things must differ.
  int64_t NextMs() { return ++clock_.now_ms; }
};

}  // namespace monotable::operations
