#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "engine/engine_fixture.h"
#include "engine/preparations.h"
#include "engine/write.h"
#include "storage/memory/memory_store.h"
#include "work/executor.h"

// What the tests of prepared writes work with.
namespace monotable::engine {

// A store that calls a function before it takes an update which has read its values by itself.
class WatchedStore : public storage::Store {
 public:
  explicit WatchedStore(const Clock& clock)
      : store_(storage::NewMemoryStore({.now = [&clock] { return clock.NowMs(); }})) {}

  const storage::Reader& Latest() const override { return store_->Latest(); }
  std::unique_ptr<storage::Reader> Snapshot() const override {
    if (out_of_memory) throw std::bad_alloc();
    return store_->Snapshot();
  }
  uint64_t LastSequence() const override { return store_->LastSequence(); }
  void Submit(std::unique_ptr<storage::Update> update) override {
    weight = update->weight();
    if (!update->known().values.empty()) {
      if (auto call = std::exchange(before_prepared, nullptr)) call();
    }
    store_->Submit(std::move(update));
  }
  Result<std::unique_ptr<storage::BulkWrite>> StartBulkWrite() override {
    return store_->StartBulkWrite();
  }
  Result<std::unique_ptr<storage::Reader>> Checkpoint(const std::string& folder) override {
    return store_->Checkpoint(folder);
  }
  uint64_t ApproximateBytes() const override { return store_->ApproximateBytes(); }

  std::function<void()> before_prepared;
  std::atomic<bool> out_of_memory = false;
  std::atomic<size_t> weight = 0;  // of the last update

 private:
  std::unique_ptr<storage::Store> store_;
};

// A store, an engine and a table with several indexes, a stream, recovery and time to live.
class PreparedWorld {
 public:
  explicit PreparedWorld(bool prepares, const work::ExecutorOptions& options = {})
      : store_(clock_), executor_(options) {
    auto opened = Engine::Open(store_, clock_, {});
    EXPECT_TRUE(opened);
    engine_ = std::move(*opened);
    if (prepares) engine_->SetExecutor(&executor_);
    ChangeTable([](table::TableDefinition*) {});
  }
  ~PreparedWorld() { engine_->SetExecutor(nullptr); }

  // Creates or changes the table.
  void ChangeTable(const std::function<void(table::TableDefinition*)>& change) {
    auto made = engine_->catalog().Change(
        "things", [&](const table::TableDefinition* current, uint32_t id) -> Catalog::Decision {
          table::TableDefinition table = current != nullptr ? *current : Things(id);
          change(&table);
          return std::optional(table);
        });
    ASSERT_TRUE(made);
    table_ = *made;
  }

  static table::IndexDefinition Index(uint16_t id, table::ProjectionType projection) {
    table::IndexDefinition index;
    index.id = id;
    index.name = "index-" + std::to_string(id);
    index.kind = table::IndexKind::kGlobal;
    index.key = {{{"status", item::Type::kString}}, {}};
    index.projection.type = projection;
    return index;
  }

  ItemWrite Put(const item::Item& item) const {
    ItemWrite write = Keyed(WriteAction::kPut, item.Find("PK")->string());
    write.put = encoding::EncodeItem(item);
    return write;
  }
  ItemWrite Delete(const std::string& pk) const { return Keyed(WriteAction::kDelete, pk); }
  ItemWrite Check(const std::string& pk) const { return Keyed(WriteAction::kConditionCheck, pk); }
  ItemWrite Update(const std::string& pk, const std::string& text, item::Value value) const {
    ItemWrite write = Keyed(WriteAction::kUpdate, pk);
    write.substitutions = expression::Substitutions(std::nullopt, {{{":v", std::move(value)}}});
    write.update = *expression::ParseUpdate(text, write.substitutions);
    return write;
  }
  ItemWrite AddOne(const std::string& pk) const { return Update(pk, "ADD n :v", N(1)); }
  static ItemWrite If(ItemWrite write, const std::string& condition) {
    write.condition = *expression::ParseCondition(condition, expression::ConditionKind::kCondition,
                                                  write.substitutions);
    return write;
  }

  static item::Item Thing(const std::string& pk, size_t bytes) {
    item::Item item;
    item.Set("PK", item::Value(pk));
    item.Set("status", item::Value("new"));
    item.Set("text", item::Value(std::string(bytes, 'x')));
    return item;
  }

  // A request that depends on all items of the table as they are now.
  WriteRequest Seeing(ItemWrite write) const {
    WriteRequest request;
    request.items.push_back(std::move(write));
    storage::SeenRange seen{encoding::ItemsRange(table_->id, encoding::kTableItems)};
    seen.sequence = store_.LastSequence();
    auto cursor = store_.Latest().Scan(seen.range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) seen.Add(cursor->key(), cursor->value());
    request.ranges.push_back(std::move(seen));
    request.locks.push_back({"the range"});
    return request;
  }

  void Submit(WriteRequest request, std::promise<Result<WriteOutcome>>* done) {
    SubmitWrite(*engine_, std::move(request),
                [done](const WriteRequest&, auto outcome) { done->set_value(std::move(outcome)); });
  }
  Result<WriteOutcome> Run(WriteRequest request) {
    std::promise<Result<WriteOutcome>> done;
    Submit(std::move(request), &done);
    return done.get_future().get();
  }
  template <typename... Writes>
  Result<WriteOutcome> Run(Writes... writes) {
    WriteRequest request;
    (request.items.push_back(std::move(writes)), ...);
    return Run(std::move(request));
  }

  std::optional<item::Item> Get(const std::string& pk) const {
    std::string value;
    if (!*store_.Latest().Get(encoding::ItemKey(*table_, Key(pk)), &value)) return std::nullopt;
    return *encoding::DecodeItem(value);
  }
  std::optional<int64_t> Number(const std::string& pk) const {
    const auto item = Get(pk);
    if (!item || item->Find("n") == nullptr) return std::nullopt;
    return std::stoll(item->Find("n")->number().ToString());
  }
  std::vector<std::pair<std::string, std::string>> Everything() const {
    std::vector<std::pair<std::string, std::string>> all;
    auto cursor = store_.Latest().Scan({}, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) all.emplace_back(cursor->key(), cursor->value());
    return all;
  }
  size_t CountEntries(uint16_t index) const {
    size_t count = 0;
    const auto range = encoding::ItemsRange(table_->id, index);
    auto cursor = store_.Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) ++count;
    return count;
  }

  uint64_t prepared() const { return engine_->preparations().started(); }
  Engine& engine() { return *engine_; }
  WatchedStore& store() { return store_; }
  SettableClock& clock() { return clock_; }
  const TablePtr& table() const { return table_; }

  static item::Item Key(const std::string& pk) {
    item::Item key;
    key.Set("PK", item::Value(pk));
    return key;
  }

 private:
  static table::TableDefinition Things(uint32_t id) {
    table::TableDefinition table;
    table.id = id;
    table.name = "things";
    table.uuid = "uuid";
    table.attributes = {{"PK", item::Type::kString}, {"status", item::Type::kString}};
    table.key.hash = {table.attributes.front()};
    for (uint16_t index = 1; index <= 3; ++index) {
      table.indexes.push_back(Index(index, table::ProjectionType::kAll));
    }
    table.indexes.push_back(Index(4, table::ProjectionType::kKeysOnly));
    table.next_index_id = 5;
    table.stream.enabled = true;
    table.stream.view_type = table::StreamViewType::kNewAndOldImages;
    table.point_in_time_recovery.enabled = true;
    table.time_to_live.enabled = true;
    table.time_to_live.attribute = "expires";
    table.time_to_live.filled = true;  // so that housekeeping has nothing to write in between
    return table;
  }

  ItemWrite Keyed(WriteAction action, const std::string& pk) const {
    ItemWrite write;
    write.table = table_;
    write.table_name = "things";
    write.action = action;
    write.key = Key(pk);
    return write;
  }

  SettableClock clock_;
  WatchedStore store_;
  work::Executor executor_;
  std::unique_ptr<Engine> engine_;
  TablePtr table_;
};

// An item whose put, with its index entries and its log record, is too much for the store's thread.
inline constexpr size_t kLarge = 300'000;

}  // namespace monotable::engine
