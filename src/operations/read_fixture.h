#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "engine/index_entries.h"
#include "item/value.h"
#include "storage/memory/memory_store.h"
#include "table/definition.h"

// An engine over a memory store for the tests of read operations. Tables and items are put there
// directly, without the write operations.
namespace monotable::operations {

using Names = std::map<std::string, std::string>;
using Values = std::map<std::string, item::Value>;
using Strings = std::vector<std::string>;

inline item::Value S(std::string_view text) {
  return item::Value(text);
}

inline item::Value N(std::string_view text) {
  return item::Value(*item::Number::Parse(text));
}

inline item::Value B(std::string_view bytes) {
  return item::Value(item::Binary{std::string(bytes)});
}

inline item::Item MakeItem(std::vector<item::Attribute> attributes) {
  return item::Item::FromUnsorted(std::move(attributes));
}

inline table::IndexDefinition GlobalIndex(std::string name, table::KeySchema key,
                                          table::Projection projection = {}) {
  table::IndexDefinition index;
  index.name = std::move(name);
  index.key = std::move(key);
  index.projection = std::move(projection);
  return index;
}

inline table::IndexDefinition LocalIndex(std::string name, table::KeySchema key,
                                         table::Projection projection = {}) {
  table::IndexDefinition index =
      GlobalIndex(std::move(name), std::move(key), std::move(projection));
  index.kind = table::IndexKind::kLocal;
  return index;
}

class ReadFixture : public testing::Test {
 protected:
  ReadFixture() {
    auto opened = engine::Engine::Open(*store_, clock_, {});
    EXPECT_TRUE(opened) << opened.error().message();
    engine_ = std::move(opened).value();
  }

  engine::Engine& engine() { return *engine_; }

  engine::TablePtr Create(std::string name, table::KeySchema key,
                          std::vector<table::IndexDefinition> indexes = {}) {
    table::TableDefinition table;
    table.name = name;
    table.key = std::move(key);
    for (table::IndexDefinition& index : indexes) index.id = table.next_index_id++;
    table.indexes = std::move(indexes);
    auto created = engine_->catalog().Change(
        name, [&](const table::TableDefinition*, uint32_t id) -> engine::Catalog::Decision {
          table.id = id;
          return std::optional(table);
        });
    EXPECT_TRUE(created) << created.error().message();
    return *created;
  }

  void Put(const engine::TablePtr& table, const item::Item& item) {
    const auto encoded = encoding::EncodeItem(item);
    const std::string key = encoding::ItemKey(*table, item);
    const auto written = storage::UpdateAndWait(
        *store_, {key}, [&](auto, const storage::Commit&, storage::Batch* batch) {
          batch->Put(key, encoded.bytes);
          for (const auto& index : table->indexes) {
            const encoding::AttributeLookup lookup{encoding::ItemView(encoded)};
            engine::UpdateIndex(*table, index, nullptr, &lookup, batch);
          }
        });
    ASSERT_TRUE(written) << written.error().message();
  }

  // Adds an attribute that brings an item to exactly so many charged bytes.
  static item::Item Padded(item::Item item, size_t bytes) {
    item.Set("filler", item::Value(std::string(bytes - item::SizeOf(item) - 6, 'z')));
    return item;
  }

  static item::Item Decode(const encoding::EncodedItem& item) {
    auto decoded = encoding::DecodeItem(item.bytes);
    EXPECT_TRUE(decoded) << decoded.error().message();
    return decoded ? *std::move(decoded) : item::Item();
  }

 private:
  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
};

// The message of an error of the kind that is expected.
template <typename T>
std::string ErrorText(const Result<T>& result, ErrorCode code = ErrorCode::kValidation) {
  if (result) return "(no error)";
  EXPECT_EQ(static_cast<int>(result.error().code()), static_cast<int>(code));
  return result.error().message();
}

}  // namespace monotable::operations
