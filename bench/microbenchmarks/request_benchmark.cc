#include <string>

#include <benchmark/benchmark.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation_table.h"
#include "sample.h"
#include "service_client.h"
#include "wire/constraint_check.h"
#include "wire/type_check.h"

// A request from the bytes of the connection to what an operation is called with.
namespace monotable::bench {
namespace {

const wire::Shape& InputOf(std::string_view operation) {
  return api::dynamodb::FindOperation(std::string(api::dynamodb::kDynamoDbTarget).append(operation))
      ->input;
}

void ParseHttpRequest(benchmark::State& state) {
  const std::string bytes = HttpRequest("PutItem", PutItemBody("sales", 0));
  RequestReader reader;
  for (auto _ : state) benchmark::DoNotOptimize(reader.Read(bytes));
}
BENCHMARK(ParseHttpRequest);

void CheckPutItem(benchmark::State& state) {
  const Document document(PutItemBody("sales", 0));
  const wire::Shape& input = InputOf("PutItem");
  for (auto _ : state) {
    Must(wire::CheckTypes(input, document.root()));
    Must(wire::CheckConstraints(input, document.object()));
  }
}
BENCHMARK(CheckPutItem);

void DecodePutItem(benchmark::State& state) {
  const Document document(PutItemBody("sales", 0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(Must(api::dynamodb::DecodePutItem(document.object())));
  }
}
BENCHMARK(DecodePutItem);

void CheckGetItem(benchmark::State& state) {
  const Document document(GetItemBody("sales", 0));
  const wire::Shape& input = InputOf("GetItem");
  for (auto _ : state) {
    Must(wire::CheckTypes(input, document.root()));
    Must(wire::CheckConstraints(input, document.object()));
  }
}
BENCHMARK(CheckGetItem);

void DecodeGetItem(benchmark::State& state) {
  const Document document(GetItemBody("sales", 0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(Must(api::dynamodb::DecodeGetItem(document.object())));
  }
}
BENCHMARK(DecodeGetItem);

}  // namespace
}  // namespace monotable::bench
