#include "random_models/trial.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "random_models/call_generator.h"
#include "random_models/reference.h"
#include "random_models/server.h"

namespace monotable::random_models {
namespace {

constexpr size_t kCallsBetweenTables = 10;

// A marker whose item is gone is harmless: whoever wants the value takes it over. An expired item
// leaves such markers.
std::string CompareTables(const std::map<Key, Stored>& server,
                          const std::map<Key, Stored>& reference) {
  std::string text;
  for (const auto& [key, item] : reference) {
    const auto found = server.find(key);
    if (found == server.end()) {
      text += fmt::format("  {} is missing\n    should be {}\n", TextOf(key), TextOf(item));
    } else if (found->second != item) {
      text += fmt::format("  {} differs\n    is        {}\n    should be {}\n", TextOf(key),
                          TextOf(found->second), TextOf(item));
    }
  }
  for (const auto& [key, item] : server) {
    if (reference.contains(key)) continue;
    text += fmt::format("  {} should not be there\n    is {}\n", TextOf(key), TextOf(item));
  }
  return text;
}

std::string CompareAnswers(const Call& call, const Answer& answer, const Refusals& refusals) {
  if (answer.refusal.empty()) {
    if (refusals.empty()) return "";
    return fmt::format("  was done, but should be refused: {}\n", fmt::join(refusals, ", "));
  }
  if (refusals.empty()) {
    return fmt::format("  was refused: {} ({})\n", answer.refusal, answer.message);
  }
  if (call.kind == Call::Kind::kRaw || refusals.contains(answer.refusal)) return "";
  return fmt::format("  was refused as {} ({}), but should be refused as {}\n", answer.refusal,
                     answer.message, fmt::join(refusals, ", "));
}

// One server and one reference, call by call.
class Comparison {
 public:
  Comparison(const Design& design, const std::string& folder)
      : design_(design), reference_(design_), server_(folder, 1) {}

  std::string Open() { return server_.Open(YamlOf(design_)); }

  std::string Make(const Call& call, bool with_table) {
    server_.Advance(1);
    const Answer answer = server_.Perform(call, reference_.state(), design_);
    const Refusals refusals = reference_.Apply(call, answer.made, server_.now_seconds());
    if (answer.refusal.empty()) ++accepted_;
    std::string difference = CompareAnswers(call, answer, refusals);
    if (difference.empty() && with_table) {
      server_.Settle();
      difference = CompareTables(server_.Table(), reference_.Table());
    }
    if (difference.empty()) return "";
    return "after " + TextOf(call) + "\n" + difference;
  }

  const Reference& reference() const { return reference_; }
  int64_t now_seconds() const { return server_.now_seconds(); }
  size_t accepted() const { return accepted_; }

 private:
  const Design design_;
  Reference reference_;
  Server server_;
  size_t accepted_ = 0;
};

}  // namespace

Verdict Generate(uint64_t seed, size_t count, Trial* trial) {
  Comparison comparison(trial->design, trial->folder);
  Verdict verdict;
  verdict.difference = comparison.Open();
  verdict.refused_model = !verdict.difference.empty();
  Random random(seed);
  for (size_t i = 0; i < count && verdict.difference.empty(); ++i) {
    trial->calls.push_back(MakeCall(comparison.reference(), &random, comparison.now_seconds()));
    const bool with_table = (i + 1) % kCallsBetweenTables == 0 || i + 1 == count;
    verdict.difference = comparison.Make(trial->calls.back(), with_table);
  }
  verdict.accepted = comparison.accepted();
  return verdict;
}

Verdict Repeat(const Trial& trial) {
  Comparison comparison(trial.design, trial.folder);
  Verdict verdict;
  verdict.difference = comparison.Open();
  verdict.refused_model = !verdict.difference.empty();
  for (size_t i = 0; i < trial.calls.size() && verdict.difference.empty(); ++i) {
    verdict.difference = comparison.Make(trial.calls[i], true);
  }
  verdict.accepted = comparison.accepted();
  return verdict;
}

Verdict RunTogether(uint64_t seed, size_t count, Trial* trial) {
  constexpr size_t kClients = 2;
  Server server(trial->folder, kClients);
  Verdict verdict;
  verdict.difference = server.Open(YamlOf(trial->design));
  verdict.refused_model = !verdict.difference.empty();
  if (verdict.refused_model) return verdict;
  // Each client knows the table as it was a moment ago, which is enough to make calls that fit.
  const auto read = [&] {
    Reference reference(trial->design);
    State state;
    for (const auto& [key, stored] : server.Table()) {
      if (key.hash.starts_with("MONOTABLE#")) continue;
      if (auto parsed = reference.Parse(stored)) state[key] = std::move(parsed->item);
    }
    reference.Reset(std::move(state));
    return reference;
  };
  // A raw client may write what it likes into a copy, which the audit would take for a mistake.
  const auto writes_copy = [&](const Call& call) {
    return std::any_of(call.raw.begin(), call.raw.end(), [&](const RawWrite& write) {
      if (write.kind == RawWrite::Kind::kPut) return true;  // also by leaving the copy out
      const auto is_copy = [](const std::string& name) {
        return name.ends_with("copy") || name.find("Of") != std::string::npos;
      };
      return std::any_of(write.item.begin(), write.item.end(),
                         [&](const auto& one) { return is_copy(one.first); }) ||
             std::any_of(write.removed.begin(), write.removed.end(), is_copy);
    });
  };
  // An item that refers to nothing keeps its copy, also when another item comes to be there. So the
  // audit looks at copies only where no source is deleted or moved.
  const bool deletes = seed % 2 == 0;
  const auto removes = [&](const Call& call) {
    if (call.kind == Call::Kind::kOperation) return call.operation.starts_with("delete");
    return std::any_of(call.raw.begin(), call.raw.end(),
                       [](const RawWrite& one) { return one.kind == RawWrite::Kind::kDelete; }) ||
           std::any_of(call.changes.begin(), call.changes.end(), [&](const Change& one) {
             return one.kind == Change::Kind::kDelete || trial->design.Find(one.entity)->moves;
           });
  };
  std::mutex mutex;
  const auto run = [&](size_t client) {
    Random random(seed + client);
    for (size_t i = 0; i < count / kClients; ++i) {
      const Reference known = read();
      const Call call = MakeCall(known, &random, server.now_seconds());
      if (writes_copy(call) || (!deletes && removes(call))) continue;
      const Answer answer = server.Perform(call, known.state(), trial->design, client);
      const std::lock_guard lock(mutex);
      trial->calls.push_back(call);
      if (answer.refusal.empty()) ++verdict.accepted;
      if (answer.refusal.starts_with("(")) {
        verdict.difference +=
            fmt::format("  {}: {} {}\n", TextOf(call), answer.refusal, answer.message);
      }
    }
  };
  {
    std::vector<std::jthread> clients;
    for (size_t i = 0; i < kClients; ++i) clients.emplace_back(run, i);
  }
  server.Settle();
  const Reference result = read();
  verdict.difference += CompareTables(server.Table(), result.Table());
  for (const std::string& broken : result.Audit(/*with_copies=*/!deletes)) {
    verdict.difference += "  " + broken + "\n";
  }
  return verdict;
}

}  // namespace monotable::random_models
