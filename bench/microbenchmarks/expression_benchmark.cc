#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/parse_cache.h"
#include "expression/update.h"
#include "sample.h"

// Expressions as an application sends them: the same text again and again, which the cache of the
// thread knows (BindAgain), and texts that it has not seen lately (Parse).
namespace monotable::bench {
namespace {

using expression::Substitutions;

constexpr std::string_view kCondition = "attribute_exists(PK) AND Version >= :zero";
constexpr std::string_view kUpdate =
    "SET Version = Version + :one, Quantity = Quantity - :one, UpdatedAt = :now ADD Sold :one";
constexpr std::string_view kKeyCondition = "PK = :sale AND begins_with(SK, :line)";

Substitutions Values() {
  return Substitutions(std::nullopt,
                       Substitutions::Values{{":zero", item::Value(item::Number())},
                                             {":one", item::Value(item::Number::FromInt(1))},
                                             {":now", item::Value("2026-01-15T10:00:00Z")},
                                             {":sale", item::Value("SALE#00000042")},
                                             {":line", item::Value("LINE#")}});
}

// Goes through more texts of one meaning than the cache holds, so that it holds none of them when
// its turn comes. Blanks make the difference.
class Unseen {
 public:
  explicit Unseen(std::string_view text) {
    for (size_t i = 0; i < 2 * kCapacity; ++i) {
      texts_.push_back(std::string(text) + std::string(i / 64, ' ') + std::string(i % 64, '\n'));
    }
  }
  const std::string& Next() { return texts_[++turn_ % texts_.size()]; }

 private:
  static constexpr size_t kCapacity = expression::ParseCache<int>::kDefaultCapacity;
  std::vector<std::string> texts_;
  size_t turn_ = 0;
};

auto BindCondition(std::string_view text, Substitutions& values) {
  return expression::ParseCondition(text, expression::ConditionKind::kCondition, values);
}

auto BindKeyCondition(std::string_view text, Substitutions& values) {
  static const table::KeySchema key = SalesTable().key;
  return expression::ParseKeyCondition(text, values, key);
}

template <typename Bind>
void Parse(benchmark::State& state, Bind bind, std::string_view text) {
  Unseen texts(text);
  Substitutions values = Values();
  for (auto _ : state) benchmark::DoNotOptimize(Must(bind(texts.Next(), values)));
}
BENCHMARK_CAPTURE(Parse, condition, BindCondition, kCondition);
BENCHMARK_CAPTURE(Parse, update, expression::ParseUpdate, kUpdate);
BENCHMARK_CAPTURE(Parse, key_condition, BindKeyCondition, kKeyCondition);

template <typename Bind>
void BindAgain(benchmark::State& state, Bind bind, std::string_view text) {
  Substitutions values = Values();
  for (auto _ : state) benchmark::DoNotOptimize(Must(bind(text, values)));
}
BENCHMARK_CAPTURE(BindAgain, condition, BindCondition, kCondition);
BENCHMARK_CAPTURE(BindAgain, update, expression::ParseUpdate, kUpdate);
BENCHMARK_CAPTURE(BindAgain, key_condition, BindKeyCondition, kKeyCondition);

void EvaluateCondition(benchmark::State& state) {
  Substitutions values = Values();
  const auto condition = Must(BindCondition(kCondition, values));
  const item::Item item = SampleItem(0);
  for (auto _ : state) benchmark::DoNotOptimize(condition.Evaluate(item));
}
BENCHMARK(EvaluateCondition);

void ApplyUpdate(benchmark::State& state) {
  Substitutions values = Values();
  const auto update = Must(expression::ParseUpdate(kUpdate, values));
  const item::Item item = SampleItem(0);
  for (auto _ : state) benchmark::DoNotOptimize(Must(update.Apply(item)));
}
BENCHMARK(ApplyUpdate);

}  // namespace
}  // namespace monotable::bench
