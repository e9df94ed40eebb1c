#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "sample.h"
#include "service_client.h"

// Whole operations, from the bytes of an HTTP request to its answer, over a store in memory.
namespace monotable::bench {
namespace {

constexpr uint64_t kItems = 1000;

template <typename Body>
std::vector<std::string> Requests(std::string_view operation, Body body) {
  std::vector<std::string> requests;
  for (uint64_t i = 0; i < kItems; ++i) requests.push_back(HttpRequest(operation, body(i)));
  return requests;
}

// Puts over all items, twice, so that every put changes something when they are sent in turn.
std::vector<std::string> Puts(std::string_view table) {
  std::vector<std::string> puts;
  for (const uint64_t revision : {0, 1}) {
    for (uint64_t i = 0; i < kItems; ++i) {
      puts.push_back(HttpRequest("PutItem", PutItemBody(table, i, revision)));
    }
  }
  return puts;
}

std::string QueryBody(std::string_view table, uint64_t number) {
  const std::string sale = SampleItem(number).Find("PK")->string();
  return R"({"TableName":")" + std::string(table) +
         R"(","KeyConditionExpression":"PK = :sale",)"
         R"("ExpressionAttributeValues":{":sale":{"S":")" +
         sale + R"("}}})";
}

std::string UpdateItemBody(std::string_view table, uint64_t number) {
  return R"({"TableName":")" + std::string(table) + R"(","Key":)" + KeyJson(number) +
         R"(,"UpdateExpression":"SET Version = Version + :one, Quantity = Quantity - :one, )"
         R"(UpdatedAt = :now ADD Sold :one",)"
         R"("ConditionExpression":"attribute_exists(PK) AND Version >= :zero",)"
         R"("ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"},)"
         R"(":now":{"S":"2026-01-15T10:00:00Z"}}})";
}

void Load(ServiceClient& client, std::string_view table) {
  for (const std::string& put : Puts(table)) client.Send(put);
  client.Wait();
}

// Sends the requests in turn, a number of them at a time, as that many connections do.
void Run(benchmark::State& state, ServiceClient& client, const std::vector<std::string>& requests) {
  const int64_t together = state.range(0);
  size_t turn = 0;
  for (auto _ : state) {
    for (int64_t i = 0; i < together; ++i) client.Send(requests[++turn % requests.size()]);
    client.Wait();
  }
  state.SetItemsProcessed(state.iterations() * together);
}

void ServeGetItem(benchmark::State& state) {
  ServiceClient client;
  Load(client, "plain");
  Run(state, client, Requests("GetItem", [](uint64_t i) { return GetItemBody("plain", i); }));
}
BENCHMARK(ServeGetItem)->Arg(1);

void ServeQuery(benchmark::State& state) {
  ServiceClient client;
  Load(client, "plain");
  Run(state, client, Requests("Query", [](uint64_t i) { return QueryBody("plain", i); }));
}
BENCHMARK(ServeQuery)->Arg(1);

// Writes are answered by the thread of the store, so wall time is what counts, and one at a time
// is mostly waking up.
void ServePutItem(benchmark::State& state, std::string_view table) {
  ServiceClient client;
  Load(client, table);
  Run(state, client, Puts(table));
}
BENCHMARK_CAPTURE(ServePutItem, plain, "plain")->Arg(1)->Arg(64)->UseRealTime();
BENCHMARK_CAPTURE(ServePutItem, sales, "sales")->Arg(1)->Arg(64)->UseRealTime();

void ServeUpdateItem(benchmark::State& state) {
  ServiceClient client;
  Load(client, "sales");
  Run(state, client, Requests("UpdateItem", [](uint64_t i) { return UpdateItemBody("sales", i); }));
}
BENCHMARK(ServeUpdateItem)->Arg(1)->Arg(64)->UseRealTime();

}  // namespace
}  // namespace monotable::bench
