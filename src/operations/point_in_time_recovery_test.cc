#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "engine/index_entries.h"
#include "engine/jobs.h"
#include "operations/backups.h"
#include "operations/items.h"
#include "operations/restores.h"
#include "operations/transactions.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

// Random writes to a table with point-in-time recovery, and restores to random moments of its life,
// each compared with a model that remembers every state: all items, all index entries, all
// counters.
namespace monotable::operations {
namespace {

// Items by "PK/SK".
using State = std::map<std::string, item::Item>;
using Stored = std::map<std::string, std::string>;

constexpr int64_t kHourMs = 3'600'000;

uint32_t Seed() {
  if (const char* given = std::getenv("MONOTABLE_TEST_SEED")) {
    return static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
  }
  return std::random_device()();
}

class SettableClock : public engine::Clock {
 public:
  int64_t NowMs() const override { return now_ms; }
  std::atomic<int64_t> now_ms = 1'763'116'200'123;
};

class PitrPropertyTest : public testing::Test {
 protected:
  PitrPropertyTest() { std::printf("MONOTABLE_TEST_SEED=%u\n", seed_); }

  void OpenMemory() {
    store_ = storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }});
    OpenEngine();
  }

  void OpenRocksDb() {
    engine_.reset();
    store_.reset();
    storage::RocksDbOptions options;
    options.durability = storage::Durability::kRelaxed;
    options.now = [this] { return clock_.NowMs(); };
    auto opened = storage::OpenRocksDbStore(folder_.path(), options);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = std::move(*opened);
    OpenEngine();
  }

  void OpenEngine() {
    auto opened = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(opened) << opened.error().message();
    engine_ = std::move(*opened);
  }

  uint32_t Random(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  static item::Value N(int64_t number) { return item::Value(item::Number::FromInt(number)); }

  static IndexParameter Index(std::string name, std::vector<KeySchemaElement> key,
                              ProjectionParameter projection) {
    IndexParameter index;
    index.index_name = std::move(name);
    index.key_schema = std::move(key);
    index.projection = std::move(projection);
    return index;
  }

  void CreateSource(int64_t days) {
    CreateTableRequest request;
    request.table_name = "source";
    request.attribute_definitions = {{{"PK", item::Type::kString},
                                      {"SK", item::Type::kNumber},
                                      {"l", item::Type::kNumber},
                                      {"g", item::Type::kString}}};
    request.key_schema = {{{"PK", false}, {"SK", true}}};
    request.billing_mode = table::BillingMode::kPayPerRequest;
    request.local_indexes = {{Index("local", {{"PK", false}, {"l", true}},
                                    {table::ProjectionType::kInclude, {{"text"}}})}};
    request.global_indexes = {
        {Index("global", {{"g", false}, {"SK", true}}, {table::ProjectionType::kAll, {}}),
         Index("keys", {{"g", false}}, {table::ProjectionType::kKeysOnly, {}})}};
    ASSERT_TRUE(CreateTable(*engine_, request));
    // Some items are older than the recovery.
    for (int i = 0; i < 10; ++i) Write();
    clock_.now_ms += 1000;
    ASSERT_TRUE(UpdateContinuousBackups(*engine_, {"source", true, days}));
    Remember();
  }

  item::Item RandomKey() {
    item::Item key;
    key.Set("PK", item::Value("partition-" + std::to_string(Random(6))));
    key.Set("SK", N(Random(5)));
    return key;
  }

  static std::string NameOf(const item::Item& key) {
    return key.Find("PK")->string() + "/" + key.Find("SK")->number().ToString();
  }

  // One random action, and what it does to the model.
  TransactWrite RandomAction(const item::Item& key) {
    TransactWrite write;
    write.table_name = "source";
    write.item = key;
    item::Item& model = next_[NameOf(key)];
    switch (Random(4)) {
      case 0:
        write.action = TransactAction::kDelete;
        next_.erase(NameOf(key));
        break;
      case 1: {
        write.action = TransactAction::kUpdate;
        const item::Value number = N(Random(1000));
        write.update_expression = "SET l = :l REMOVE g";
        write.attributes.values = {{":l", number}};
        if (model.empty()) model = key;
        model.Set("l", number);
        model.Remove("g");
        break;
      }
      default:
        write.action = TransactAction::kPut;
        write.item.Set("text", item::Value(std::string(Random(60), 'x')));
        if (Random(3) > 0) write.item.Set("g", item::Value("g-" + std::to_string(Random(4))));
        if (Random(3) > 0) write.item.Set("l", N(Random(1000)));
        model = write.item;
    }
    return write;
  }

  // A write of one item or of several.
  void Write() {
    next_ = state_;
    TransactWriteItemsRequest request;
    std::map<std::string, item::Item> keys;
    for (uint32_t i = Random(3) == 0 ? 4 : 1; i > 0; --i) {
      const item::Item key = RandomKey();
      keys.emplace(NameOf(key), key);
    }
    for (const auto& [name, key] : keys) request.writes.push_back(RandomAction(key));
    const Status written = Submit(std::move(request));
    ASSERT_TRUE(written) << written.error().message();
    state_ = std::move(next_);
    Remember();
  }

  // By the operation of a single write where there is but one.
  Status Submit(TransactWriteItemsRequest request) {
    std::promise<Status> done;
    auto status = done.get_future();
    const auto answer = [&done](const auto& make) {
      const auto result = make();
      done.set_value(result ? Status() : Status(result.error()));
    };
    const TransactWrite& first = request.writes[0];
    if (request.writes.size() > 1) {
      TransactWriteItems(*engine_, std::move(request), answer);
    } else if (first.action == TransactAction::kUpdate) {
      UpdateItemRequest update;
      update.table_name = first.table_name;
      update.key = first.item;
      update.update_expression = first.update_expression;
      update.attributes = first.attributes;
      UpdateItem(*engine_, std::move(update), answer);
    } else if (first.action == TransactAction::kDelete) {
      DeleteItemRequest remove;
      remove.table_name = first.table_name;
      remove.key = first.item;
      DeleteItem(*engine_, std::move(remove), answer);
    } else {
      PutItemRequest put;
      put.table_name = first.table_name;
      put.item = first.item;
      PutItem(*engine_, std::move(put), answer);
    }
    return status.get();
  }

  void Remember() { states_[clock_.now_ms] = state_; }

  void Live(int writes, int64_t longest_pause_ms) {
    for (int i = 0; i < writes; ++i) {
      clock_.now_ms += static_cast<int64_t>(random_() % static_cast<uint64_t>(longest_pause_ms));
      Write();
    }
  }

  // A moment that can be restored, often one in which something was written.
  int64_t RandomMoment() {
    const auto described = DescribeContinuousBackups(*engine_, "source");
    EXPECT_TRUE(described);
    const int64_t earliest = described->earliest_ms;
    const int64_t latest = described->latest_ms;
    int64_t moment =
        earliest + static_cast<int64_t>(random_() % static_cast<uint64_t>(latest - earliest + 1));
    if (Random(2) == 0) moment = std::max(earliest, moment / 1000 * 1000);
    if (Random(2) == 0) {
      const auto written = states_.lower_bound(moment);
      if (written != states_.end()) moment = written->first - (Random(3) == 0 ? 1 : 0);
    }
    return std::clamp(moment, earliest, latest);
  }

  State StateAt(int64_t moment) const {
    const auto later = states_.upper_bound(moment);
    return later == states_.begin() ? State() : std::prev(later)->second;
  }

  // Everything that a table with these items has under its id.
  static Stored ExpectedIn(const table::TableDefinition& table, const State& state) {
    Stored stored;
    for (const auto& [name, item] : state) {
      const encoding::EncodedItem encoded = encoding::EncodeItem(item);
      stored[encoding::ItemKey(table, item)] = encoded.bytes;
      for (const table::IndexDefinition& index : table.indexes) {
        const auto entry = engine::IndexEntry::Of(table, index, encoding::ItemView(encoded));
        if (entry) stored[entry->key()] = entry->value();
      }
    }
    return stored;
  }

  static std::map<std::string, int64_t> ExpectedCounters(const table::TableDefinition& table,
                                                         const State& state) {
    std::map<std::string, int64_t> counters;
    const auto count = [&](uint16_t index_id, size_t bytes) {
      ++counters[encoding::ItemCountKey(table.id, index_id)];
      counters[encoding::ItemBytesKey(table.id, index_id)] += static_cast<int64_t>(bytes);
    };
    for (const auto& [name, item] : state) {
      const encoding::EncodedItem encoded = encoding::EncodeItem(item);
      const encoding::ItemView view(encoded);
      const item::Value* const hash[] = {item.Find("PK")};
      int64_t& collection = counters[encoding::CollectionBytesKey(
          table.id, encoding::PartitionPrefix(table.id, encoding::kTableItems, hash))];
      count(encoding::kTableItems, view.ChargedSize());
      collection += static_cast<int64_t>(view.ChargedSize());
      for (const table::IndexDefinition& index : table.indexes) {
        const auto entry = engine::IndexEntry::Of(table, index, view);
        if (!entry) continue;
        count(index.id, entry->charged_size());
        if (index.kind == table::IndexKind::kLocal) {
          collection += static_cast<int64_t>(entry->charged_size());
        }
      }
    }
    return counters;
  }

  Stored Read(const storage::Range& range) const {
    Stored stored;
    const auto cursor = store_->Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) stored.emplace(cursor->key(), cursor->value());
    EXPECT_TRUE(cursor->status());
    return stored;
  }

  void Compare(const std::string& name, const State& state) {
    const auto table = engine_->FindTable(name);
    ASSERT_TRUE(table) << name << " is not ready";
    ASSERT_EQ(Read(encoding::TableRange((*table)->id)), ExpectedIn(**table, state));
    const auto expected = ExpectedCounters(**table, state);
    for (const auto& [key, value] : expected) ASSERT_EQ(engine_->Counter(key), value);
    for (const auto& [key, value] : Read(encoding::CountersRange((*table)->id))) {
      if (expected.contains(key)) continue;
      ASSERT_EQ(engine_->Counter(key), 0);
    }
  }

  Status Begin(const std::string& name, int64_t moment) {
    RestoreTableToPointInTimeRequest request;
    request.source_table_name = "source";
    request.target_table_name = name;
    request.restore_time_ms = moment;
    auto begun = RestoreTableToPointInTime(*engine_, request);
    if (!begun) return begun.error();
    return {};
  }

  // Restores to a random moment, with more writes before it is done; compares and drops the table.
  void RestoreOnce() {
    const std::string name = "target-" + std::to_string(++targets_);
    const int64_t moment = RandomMoment();
    const State expected = StateAt(moment);
    SCOPED_TRACE(testing::Message() << name << " at " << moment);
    const Status begun = Begin(name, moment);
    ASSERT_TRUE(begun) << begun.error().message();
    if (Random(2) == 0) Write();
    engine_->jobs().WaitUntilIdle();
    Compare(name, expected);
    ASSERT_TRUE(DeleteTable(*engine_, name));
  }

  void RestoreTimes(int times) {
    for (int i = 0; i < times && !HasFatalFailure(); ++i) RestoreOnce();
  }

  const uint32_t seed_ = Seed();
  std::mt19937_64 random_{seed_};
  storage::TemporaryFolder folder_;
  SettableClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  State state_;
  State next_;
  std::map<int64_t, State> states_;  // at the end of each millisecond in which something changed
  int targets_ = 0;
};

TEST_F(PitrPropertyTest, RestoresEqualTheModel) {
  OpenMemory();
  CreateSource(35);
  for (int round = 0; round < 18 && !HasFatalFailure(); ++round) {
    Live(40, 2500);
    RestoreTimes(50);
  }
}

// The log is trimmed meanwhile, up to the very edge of what can be restored.
TEST_F(PitrPropertyTest, RestoresEqualTheModelAtTheEdgeOfRetention) {
  OpenMemory();
  CreateSource(1);
  for (int round = 0; round < 4 && !HasFatalFailure(); ++round) {
    Live(100, kHourMs / 2);
    engine_->housekeeping().Wake();
    engine_->housekeeping().WaitUntilIdle();
    RestoreTimes(30);
    const auto described = DescribeContinuousBackups(*engine_, "source");
    ASSERT_TRUE(described);
    EXPECT_FALSE(Begin("too-early", described->earliest_ms - 1));
    ASSERT_TRUE(Begin("edge", described->earliest_ms));
    engine_->jobs().WaitUntilIdle();
    Compare("edge", StateAt(described->earliest_ms));
    ASSERT_TRUE(DeleteTable(*engine_, "edge"));
  }
}

TEST_F(PitrPropertyTest, RestoresEqualTheModelOnDiskAcrossReopening) {
  OpenRocksDb();
  CreateSource(35);
  for (int round = 0; round < 6 && !HasFatalFailure(); ++round) {
    Live(40, 2500);
    RestoreTimes(5);
    // A restore that the end of the process interrupts, wherever it is.
    const int64_t moment = RandomMoment();
    const State expected = StateAt(moment);
    const std::string name = "interrupted-" + std::to_string(round);
    ASSERT_TRUE(Begin(name, moment));
    OpenRocksDb();
    engine_->jobs().WaitUntilIdle();
    Compare(name, expected);
    RestoreTimes(5);
  }
}

}  // namespace
}  // namespace monotable::operations
