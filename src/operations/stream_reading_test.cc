#include <map>
#include <set>
#include <thread>

#include "operations/streams_fixture.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

// Following a stream: every change once and in order, whatever happens meanwhile.
namespace monotable::operations {
namespace {

enum class StoreKind { kMemory, kRocksDb };

class StreamReadingTest : public StreamsFixture, public testing::WithParamInterface<StoreKind> {
 protected:
  StreamReadingTest() {
    if (GetParam() == StoreKind::kMemory) return;
    CloseEngine();
    store_.reset();
    storage::RocksDbOptions options;
    options.durability = storage::Durability::kRelaxed;
    options.now = [this] { return clock_.NowMs(); };
    store_ = *storage::OpenRocksDbStore(folder_.path(), options);
    OpenEngine();
    engine().housekeeping().WaitUntilIdle();
  }
  // The store goes before its folder.
  ~StreamReadingTest() override {
    CloseEngine();
    store_.reset();
  }

  void Restart() {
    CloseEngine();
    OpenEngine();
    engine().housekeeping().WaitUntilIdle();
  }

  storage::TemporaryFolder folder_;
};

// Reads a stream as applications do: a shard after its parent, each from its beginning to its end.
class Follower {
 public:
  Follower(engine::Engine& engine, std::string arn) : engine_(engine), arn_(std::move(arn)) {}

  // Reads one page of every shard that can be read. True once all shards have been read to their
  // ends.
  bool Step() {
    const auto described = DescribeStream(engine_, {arn_, {}, {}, {}});
    EXPECT_TRUE(described) << described.error().message();
    if (!described) return true;
    bool all_done = true;
    for (const StreamShard& shard : described->shards) {
      if (done_.contains(shard.id)) continue;
      all_done = false;
      if (!shard.parent_id || done_.contains(*shard.parent_id)) Read(shard);
    }
    return all_done;
  }

  // The numbers that each item has been given, in the order in which they were read.
  const std::map<std::string, std::vector<int>>& seen() const { return seen_; }

 private:
  void Read(const StreamShard& shard) {
    auto open = open_.find(shard.id);
    if (open == open_.end()) {
      const auto iterator =
          GetShardIterator(engine_, {arn_, shard.id, ShardIteratorType::kTrimHorizon, {}});
      ASSERT_TRUE(iterator) << iterator.error().message();
      open = open_.emplace(shard.id, *iterator).first;
    }
    const auto page = GetRecords(engine_, {open->second, 7});
    ASSERT_TRUE(page) << page.error().message();
    for (const StreamRecord& record : page->records) {
      ASSERT_TRUE(positions_.insert(record.position).second) << "read twice";
      const auto image = encoding::ItemView(*record.new_image);
      seen_[std::string(image.Find("PK")->scalar())].push_back(
          std::stoi(std::string(image.Find("n")->scalar())));
    }
    if (page->next) {
      open->second = *page->next;
    } else {
      done_.insert(shard.id);
    }
  }

  engine::Engine& engine_;
  const std::string arn_;
  std::map<std::string, ShardIterator> open_;
  std::set<std::string> done_;
  std::set<encoding::ChangePosition> positions_;
  std::map<std::string, std::vector<int>> seen_;
};

TEST_P(StreamReadingTest, NothingIsMissedOrRepeatedWhileOthersWrite) {
  constexpr int kWriters = 4;
  constexpr int kWrites = 400;
  CreateStreaming("t");
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kWrites; ++i) {
        PutThing("t", "w" + std::to_string(writer) + "-" + std::to_string(i % 5), i);
        if (i % 7 == 0) NextMs();
      }
    });
  }
  const std::string arn = ArnOf("t");
  std::thread roller([this] {
    for (int i = 0; i < 20; ++i) RollOver("t");
  });
  Follower follower(engine(), arn);
  std::thread reader([&follower] {
    while (!follower.Step()) {
    }
  });
  for (std::thread& writer : writers) writer.join();
  roller.join();
  // Closes the last shards, which is what the reader waits for.
  Disable("t");
  reader.join();

  ASSERT_EQ(follower.seen().size(), kWriters * 5u);
  for (const auto& [key, numbers] : follower.seen()) {
    std::vector<int> expected;
    for (int i = key.back() - '0'; i < kWrites; i += 5) expected.push_back(i);
    EXPECT_EQ(numbers, expected) << key;
  }
}

TEST_P(StreamReadingTest, AShardIsReadToItsEndAfterItWasClosed) {
  CreateStreaming("t");
  std::map<std::string, std::optional<ShardIterator>> readers;
  for (const StreamShard& shard : Shards(ArnOf("t"))) {
    readers[shard.id] = *Iterator(ArnOf("t"), shard);
  }
  for (int i = 0; i < 5; ++i) PutThing("t", "a", i);
  RollOver("t");
  for (int i = 5; i < 8; ++i) PutThing("t", "a", i);
  std::vector<int> read;
  for (auto& [shard, iterator] : readers) {
    for (const int number : Numbers(ReadFrom(&iterator, 2))) read.push_back(number);
    EXPECT_FALSE(iterator) << "the shard has ended";
  }
  EXPECT_EQ(read, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(Numbers(ReadStream(ArnOf("t"))), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_P(StreamReadingTest, IteratorsAndNamesOutliveTheProcess) {
  CreateStreaming("t");
  for (int i = 0; i < 3; ++i) PutThing("t", "a", i);
  RollOver("t");
  const std::string arn = ArnOf("t");
  const auto before = Shards(arn);
  std::map<std::string, std::optional<ShardIterator>> readers;
  for (const StreamShard& shard : before) {
    readers[shard.id] = *Iterator(arn, shard, ShardIteratorType::kLatest);
  }
  Restart();
  const auto after = Shards(arn);
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].parent_id, before[i].parent_id);
    EXPECT_EQ(after[i].First(), before[i].First());
  }
  for (int i = 3; i < 6; ++i) PutThing("t", "a", i);
  std::vector<int> read;
  for (auto& [shard, iterator] : readers) {
    for (const int number : Numbers(ReadFrom(&iterator))) read.push_back(number);
  }
  EXPECT_EQ(read, (std::vector{3, 4, 5}));
  EXPECT_EQ(Numbers(ReadStream(arn)), (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST_P(StreamReadingTest, TheOldStreamCanBeReadBesideTheNewOne) {
  CreateStreaming("t");
  const std::string first = ArnOf("t");
  PutThing("t", "a", 1);
  Disable("t");
  PutThing("t", "a", 2);
  Enable("t", View::kNewImage);
  PutThing("t", "a", 3);
  EXPECT_EQ(Numbers(ReadStream(first)), std::vector{1});
  const Records records = ReadStream(ArnOf("t"));
  EXPECT_EQ(Numbers(records), std::vector{3});
  EXPECT_FALSE(records[0].old_image);
}

TEST_P(StreamReadingTest, TheStreamOfADroppedTableCanBeReadToItsEnd) {
  CreateStreaming("t");
  const std::string arn = ArnOf("t");
  PutThing("t", "a", 1);
  PutThing("t", "b", 2);
  std::map<std::string, std::optional<ShardIterator>> readers;
  for (const StreamShard& shard : Shards(arn)) readers[shard.id] = *Iterator(arn, shard);
  ASSERT_TRUE(Drop(catalog(), "t"));
  CreateStreaming("t");
  PutThing("t", "a", 3);
  Restart();
  std::vector<int> read;
  for (auto& [shard, iterator] : readers) {
    for (const int number : Numbers(ReadFrom(&iterator, 1))) read.push_back(number);
    EXPECT_FALSE(iterator);
  }
  std::sort(read.begin(), read.end());
  EXPECT_EQ(read, (std::vector{1, 2}));
  EXPECT_EQ(Numbers(ReadStream(arn)), (std::vector{1, 2}));
  EXPECT_EQ(Numbers(ReadStream(ArnOf("t"))), std::vector{3});
}

INSTANTIATE_TEST_SUITE_P(Stores, StreamReadingTest,
                         testing::Values(StoreKind::kMemory, StoreKind::kRocksDb),
                         [](const auto& kind) {
                           return kind.param == StoreKind::kMemory ? "Memory" : "RocksDb";
                         });

}  // namespace
}  // namespace monotable::operations
