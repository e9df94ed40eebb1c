#include "load/workload.h"

#include <algorithm>
#include <random>
#include <utility>

#include "load/operations.h"

namespace monotable::load {

namespace {

constexpr std::string_view kLastKeyName = R"("LastEvaluatedKey":)";

// The key object after LastEvaluatedKey; empty when there is none. Keys of the data set have no
// braces in their text. Servers put the member near an end of the answer, so the last bytes are
// looked at before all of a long page.
std::string_view LastEvaluatedKey(std::string_view body) {
  constexpr size_t kTail = 512;
  size_t name = body.find(kLastKeyName, body.size() - std::min(body.size(), kTail));
  if (name == std::string_view::npos) name = body.find(kLastKeyName);
  if (name == std::string_view::npos) return {};
  const std::string_view key = body.substr(name + kLastKeyName.size());
  int depth = 0;
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '{') ++depth;
    if (key[i] == '}' && --depth == 0) return key.substr(0, i + 1);
  }
  return {};
}

// SplitMix64: good enough to choose items, and a few instructions.
uint64_t NextRandom(uint64_t& state) {
  uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// Different in every run, whatever the seed: a token or a revision that a run before has sent would
// spare the server the work.
uint64_t UniqueState() {
  std::random_device source;
  return (uint64_t{source()} << 32) | source();
}

RequestHead HeadOf(const Operation& operation, const Options& options) {
  return operation.target.empty() ? RequestHead::OfRest(options, operation.method, operation.path)
                                  : RequestHead::OfDynamoDb(options, operation.target);
}

}  // namespace

Result<Workload> Workload::Make(const Options& options) {
  TRY_ASSIGN(Operation operation, MakeOperation(options));
  if (!operation.in_order && !options.seconds && !options.requests) {
    return Error::Validation("--seconds or --requests must say when the run ends");
  }
  return Workload(std::move(operation), options);
}

Workload::Workload(Operation operation, const Options& options)
    : operation_(std::move(operation)),
      head_(HeadOf(operation_, options)),
      first_(options.first),
      items_(options.items),
      random_state_(options.seed),
      unique_state_(UniqueState()),
      is_scan_(operation_.target == "Scan"),
      is_transaction_(operation_.target == "TransactWriteItems"),
      checks_every_answer_(operation_.target == "BatchWriteItem"),
      scan_positions_(options.connections) {}

bool Workload::AppendRequest(std::string& out, size_t connection) {
  const bool has_items = ChooseNumbers() > 0;
  if (!has_items && !is_scan_) return false;
  head_.AppendTo(out, has_items ? numbers_.front() : 0);
  if (is_scan_) {
    AppendScan(out, connection);
  } else if (!operation_.texts.empty()) {
    AppendItems(out);
  }
  head_.FillLength(out);
  return true;
}

void Workload::TakeAnswer(std::string_view body, size_t connection) {
  if (is_scan_) scan_positions_[connection] = LastEvaluatedKey(body);
}

bool Workload::IsExpected(std::string_view body) const {
  size_t times = 0;
  size_t from = 0;
  while ((from = body.find(operation_.expected_text, from)) != std::string_view::npos) {
    ++times;
    from += operation_.expected_text.size();
  }
  return times == operation_.expected_times;
}

// Fills numbers_ with the items of the next request, all different, and returns how many.
size_t Workload::ChooseNumbers() {
  numbers_.clear();
  if (operation_.in_order) {
    while (numbers_.size() < operation_.count && next_in_order_ < items_) {
      numbers_.push_back(first_ + next_in_order_++);
    }
    return numbers_.size();
  }
  while (numbers_.size() < operation_.count) {
    const uint64_t number = first_ + NextRandom(random_state_) % items_;
    if (std::find(numbers_.begin(), numbers_.end(), number) == numbers_.end()) {
      numbers_.push_back(number);
    }
  }
  return numbers_.size();
}

void Workload::AppendItems(std::string& out) {
  const uint64_t revision = NextRandom(unique_state_);
  out += operation_.opening;
  for (size_t i = 0; i < numbers_.size(); ++i) {
    if (i > 0) out += ',';
    operation_.texts[i % operation_.texts.size()].AppendTo(out, numbers_[i], revision);
  }
  out += operation_.closing;
  if (is_transaction_) AppendToken(out);
}

void Workload::AppendScan(std::string& out, size_t connection) {
  out += operation_.opening;
  const std::string& position = scan_positions_[connection];
  if (!position.empty()) out.append(R"(,"ExclusiveStartKey":)").append(position);
  out += operation_.closing;
}

// Ends the body with a ClientRequestToken of its own, as an SDK does.
void Workload::AppendToken(std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int half = 0; half < 2; ++half) {
    uint64_t bits = NextRandom(unique_state_);
    for (int digit = 0; digit < 16; ++digit, bits >>= 4) out += kDigits[bits & 15];
  }
  out += "\"}";
}

}  // namespace monotable::load
