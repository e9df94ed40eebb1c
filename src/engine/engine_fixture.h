#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "encoding/item.h"
#include "engine/engine.h"
#include "engine/key_check.h"
#include "engine/write.h"
#include "item/value.h"
#include "storage/memory/memory_store.h"

// Short names for the values that tests write and expect.
namespace monotable::engine {

inline item::Value N(int64_t number) {
  return item::Value(item::Number::FromInt(number));
}

// An engine over a memory store that tests of the engine's own parts start from. The engine can be
// closed and opened again over the same store, as a restart does.

class SettableClock : public Clock {
 public:
  int64_t NowMs() const override { return now_ms; }
  std::atomic<int64_t> now_ms = 1'800'000'000'000;
};

class EngineFixture : public testing::Test {
 protected:
  EngineFixture() : store_(storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }})) {
    OpenEngine();
  }

  Engine& engine() { return *engine_; }
  Catalog& catalog() { return engine_->catalog(); }
  storage::Store& store() { return *store_; }

  void OpenEngine() {
    auto opened = Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(opened) << opened.error().message();
    engine_ = std::move(opened).value();
  }

  void CloseEngine() { engine_.reset(); }

  // A table with a string key "PK" and the given name.
  static table::TableDefinition Definition(const std::string& name) {
    table::TableDefinition definition;
    definition.name = name;
    definition.uuid = "uuid-of-" + name;
    definition.attributes = {{"PK", item::Type::kString}};
    definition.key.hash = definition.attributes;
    return definition;
  }

  static Result<TablePtr> Create(Catalog& catalog, const table::TableDefinition& definition) {
    return catalog.Change(
        definition.name,
        [&definition](const table::TableDefinition* current, uint32_t id) -> Catalog::Decision {
          if (current != nullptr) return Error(ErrorCode::kResourceInUse, "exists");
          table::TableDefinition created = definition;
          created.id = id;
          return std::optional(std::move(created));
        });
  }

  static Result<TablePtr> Drop(Catalog& catalog, const std::string& name) {
    return catalog.Change(name,
                          [](const table::TableDefinition* current, uint32_t) -> Catalog::Decision {
                            if (current == nullptr)
                              return Error(ErrorCode::kResourceNotFound, "gone");
                            return std::optional<table::TableDefinition>();
                          });
  }

  // The write path itself, waited for.
  Status Put(const TablePtr& table, const item::Item& item) {
    ItemWrite write;
    write.table = table;
    write.action = WriteAction::kPut;
    write.key = KeyOf(*table, item);
    write.put = encoding::EncodeItem(item);
    return WriteAndWait(std::move(write));
  }

  Status Delete(const TablePtr& table, const item::Item& key) {
    ItemWrite write;
    write.table = table;
    write.action = WriteAction::kDelete;
    write.key = key;
    return WriteAndWait(std::move(write));
  }

  size_t CountKeys(const storage::Range& range) const {
    size_t count = 0;
    const auto cursor = store_->Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) ++count;
    return count;
  }

  SettableClock clock_;  // of the engine and of the store
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Engine> engine_;

 private:
  Status WriteAndWait(ItemWrite write) {
    WriteRequest request;
    request.items.push_back(std::move(write));
    std::promise<Status> done;
    std::future<Status> status = done.get_future();
    SubmitWrite(*engine_, std::move(request),
                [&done](const WriteRequest&, Result<WriteOutcome> outcome) {
                  if (!outcome) {
                    done.set_value(std::move(outcome).error());
                  } else if (outcome->refused()) {
                    done.set_value(std::move(*outcome->items[0].error));
                  } else {
                    done.set_value({});
                  }
                });
    return status.get();
  }
};

}  // namespace monotable::engine
