#include <string>

#include <benchmark/benchmark.h>

#include "encoding/item.h"
#include "item/value.h"
#include "sample.h"
#include "wire/attribute_value.h"

// One item of about 500 bytes on its way from the wire to the disk and back.
namespace monotable::bench {
namespace {

void ParseItemJson(benchmark::State& state) {
  const Document document(ItemJson(0));
  json::Parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.Parse(document.text()));
}
BENCHMARK(ParseItemJson);

void DecodeItemFromJson(benchmark::State& state) {
  const Document document(ItemJson(0));
  for (auto _ : state) benchmark::DoNotOptimize(wire::DecodeItem(document.object()));
}
BENCHMARK(DecodeItemFromJson);

void SizeOfItem(benchmark::State& state) {
  const item::Item item = SampleItem(0);
  for (auto _ : state) benchmark::DoNotOptimize(item::SizeOf(item));
  state.counters["item_bytes"] = static_cast<double>(item::SizeOf(item));
}
BENCHMARK(SizeOfItem);

void EncodeStoredItem(benchmark::State& state) {
  const item::Item item = SampleItem(0);
  for (auto _ : state) benchmark::DoNotOptimize(encoding::EncodeItem(item));
  state.counters["stored_bytes"] = static_cast<double>(encoding::EncodeItem(item).bytes.size());
}
BENCHMARK(EncodeStoredItem);

void DecodeStoredItem(benchmark::State& state) {
  const encoding::EncodedItem stored = encoding::EncodeItem(SampleItem(0));
  for (auto _ : state) benchmark::DoNotOptimize(encoding::DecodeItem(stored.bytes));
}
BENCHMARK(DecodeStoredItem);

void FindAttributeOfStoredItem(benchmark::State& state) {
  const encoding::EncodedItem stored = encoding::EncodeItem(SampleItem(0));
  for (auto _ : state) benchmark::DoNotOptimize(encoding::ItemView(stored).Find("Version"));
}
BENCHMARK(FindAttributeOfStoredItem);

void PrintStoredItemAsJson(benchmark::State& state) {
  const encoding::EncodedItem stored = encoding::EncodeItem(SampleItem(0));
  std::string text;
  for (auto _ : state) {
    text.clear();
    json::Writer writer(&text);
    wire::EncodeItem(encoding::ItemView(stored), &writer);
    benchmark::DoNotOptimize(text.data());
  }
}
BENCHMARK(PrintStoredItemAsJson);

}  // namespace
}  // namespace monotable::bench
