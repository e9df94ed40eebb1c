#include <cstdint>
#include <string_view>

#include <benchmark/benchmark.h>

#include "encoding/item.h"
#include "engine/index_entries.h"
#include "sample.h"
#include "storage/store.h"

namespace monotable::bench {
namespace {

// Takes writes and keeps nothing but their size.
class CountingBatch : public storage::Batch {
 public:
  void Put(std::string_view key, std::string_view value) override {
    bytes_ += key.size() + value.size();
  }
  void Delete(std::string_view key) override { bytes_ += key.size(); }
  void DeleteRange(const storage::Range& range) override { bytes_ += range.begin.size(); }
  void Increment(std::string_view key, int64_t) override { bytes_ += key.size(); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// What a put over an old item does to three indexes.
void UpdateThreeIndexes(benchmark::State& state, const item::Item& old_item,
                        const item::Item& new_item) {
  const table::TableDefinition table = SalesTable();
  const encoding::EncodedItem old_bytes = encoding::EncodeItem(old_item);
  const encoding::EncodedItem new_bytes = encoding::EncodeItem(new_item);
  CountingBatch batch;
  for (auto _ : state) {
    const encoding::AttributeLookup before{encoding::ItemView(old_bytes)};
    const encoding::AttributeLookup after{encoding::ItemView(new_bytes)};
    for (const table::IndexDefinition& index : table.indexes) {
      benchmark::DoNotOptimize(engine::UpdateIndex(table, index, &before, &after, &batch));
    }
  }
  benchmark::DoNotOptimize(batch.bytes());
}

item::Item With(item::Item item, std::string_view name, item::Value value) {
  item.Set(name, std::move(value));
  return item;
}

void UpdateIndexesInPlace(benchmark::State& state) {
  const item::Item item = SampleItem(0);
  UpdateThreeIndexes(state, item, With(item, "Version", item::Value(item::Number::FromInt(2))));
}
BENCHMARK(UpdateIndexesInPlace);

// A new status moves the entry of the third index.
void UpdateIndexesMovingOne(benchmark::State& state) {
  const item::Item item = SampleItem(0);
  UpdateThreeIndexes(state, item, With(item, "GSI3PK", item::Value("STATUS#SHIPPED")));
}
BENCHMARK(UpdateIndexesMovingOne);

void UpdateIndexesOfEqualItems(benchmark::State& state) {
  UpdateThreeIndexes(state, SampleItem(0), SampleItem(0));
}
BENCHMARK(UpdateIndexesOfEqualItems);

}  // namespace
}  // namespace monotable::bench
