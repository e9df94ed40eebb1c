#include <string>

#include <benchmark/benchmark.h>

#include "encoding/keyspace.h"
#include "encoding/ordered_key.h"
#include "item/number.h"
#include "sample.h"

namespace monotable::bench {
namespace {

constexpr char kPrice[] = "129.90";
constexpr char kLongest[] = "-1234567890.1234567890123456789012345678";  // 38 digits

void EncodeItemKey(benchmark::State& state) {
  const table::TableDefinition table = SalesTable();
  const item::Item item = SampleItem(0);
  for (auto _ : state) benchmark::DoNotOptimize(encoding::ItemKey(table, item));
}
BENCHMARK(EncodeItemKey);

void EncodePartitionPrefix(benchmark::State& state) {
  const item::Value partition("SALE#00000042");
  const item::Value* const hash[] = {&partition};
  for (auto _ : state) benchmark::DoNotOptimize(encoding::PartitionPrefix(1, 0, hash));
}
BENCHMARK(EncodePartitionPrefix);

void EncodeNumberKey(benchmark::State& state, const char* text) {
  const item::Value value(Must(item::Number::Parse(text)));
  std::string key;
  for (auto _ : state) {
    key.clear();
    encoding::AppendKeyComponent(value, &key);
    benchmark::DoNotOptimize(key.data());
  }
}
BENCHMARK_CAPTURE(EncodeNumberKey, price, kPrice);
BENCHMARK_CAPTURE(EncodeNumberKey, longest, kLongest);

void ParseNumber(benchmark::State& state, const char* text) {
  for (auto _ : state) benchmark::DoNotOptimize(item::Number::Parse(text));
}
BENCHMARK_CAPTURE(ParseNumber, price, kPrice);
BENCHMARK_CAPTURE(ParseNumber, longest, kLongest);

void PrintNumber(benchmark::State& state, const char* text) {
  const item::Number number = Must(item::Number::Parse(text));
  std::string printed;
  for (auto _ : state) {
    printed.clear();
    number.AppendTo(&printed);
    benchmark::DoNotOptimize(printed.data());
  }
}
BENCHMARK_CAPTURE(PrintNumber, price, kPrice);
BENCHMARK_CAPTURE(PrintNumber, longest, kLongest);

void AddNumbers(benchmark::State& state) {
  const item::Number price = Must(item::Number::Parse(kPrice));
  const item::Number one = item::Number::FromInt(1);
  for (auto _ : state) benchmark::DoNotOptimize(item::Number::Add(price, one));
}
BENCHMARK(AddNumbers);

}  // namespace
}  // namespace monotable::bench
