#include "storage/store.h"

#include <array>
#include <cstring>
#include <future>
#include <string>
#include <utility>

#include "work/meter.h"

namespace monotable::storage {
namespace {

using DecideFunction =
    std::function<void(std::span<const std::optional<std::string_view>>, const Commit&, Batch*)>;

// The update may keep a reference to the function, because UpdateAndWait returns only after Done.
class WaitedUpdate : public Update {
 public:
  WaitedUpdate(std::vector<std::string> keys, const DecideFunction& decide,
               std::promise<Status> done)
      : keys_(ExclusiveKeys(std::move(keys))), decide_(decide), done_(std::move(done)) {}

  std::span<const NamedKey> keys() const override { return keys_; }

  void Decide(const Current& current, const Commit& commit, Batch* batch) override {
    decide_(current.values, commit, batch);
  }

  void Done(Status status) override { done_.set_value(std::move(status)); }

 private:
  const std::vector<NamedKey> keys_;
  const DecideFunction& decide_;
  std::promise<Status> done_;
};

// An entry begins with the sizes of its key and its value.
std::array<char, 16> HeadOf(std::string_view key, std::string_view value) {
  const std::array<uint64_t, 2> sizes = {key.size(), value.size()};
  std::array<char, sizeof(sizes)> head;
  std::memcpy(head.data(), sizes.data(), head.size());
  return head;
}

}  // namespace

std::vector<NamedKey> ExclusiveKeys(std::vector<std::string> keys) {
  std::vector<NamedKey> exclusive;
  exclusive.reserve(keys.size());
  for (std::string& key : keys) exclusive.push_back({std::move(key)});
  return exclusive;
}

void SeenRange::Add(std::string_view key, std::string_view value) {
  const auto head = HeadOf(key, value);
  entries.append(head.data(), head.size()).append(key).append(value);
}

bool RangeComparison::Matches(std::string_view key, std::string_view value) {
  const auto head = HeadOf(key, value);
  for (const std::string_view part : {std::string_view(head.data(), head.size()), key, value}) {
    if (!rest_.starts_with(part)) return false;
    rest_.remove_prefix(part.size());
  }
  return true;
}

Result<bool> HoldsAsSeen(const Reader& reader, const SeenRange& seen) {
  if (!work::Charge(work::kLookupUnits)) return false;
  RangeComparison comparison(seen.entries);
  const auto cursor = reader.Scan(seen.range, Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const size_t bytes = cursor->key().size() + cursor->value().size();
    if (!work::Charge(work::kCursorStepUnits + bytes)) return false;
    if (!comparison.Matches(cursor->key(), cursor->value())) return false;
  }
  TRY(cursor->status());
  return comparison.complete();
}

Error OutOfMemory() {
  return Error(ErrorCode::kUnavailable,
               "The server does not have enough memory for this write. Try again later, or write "
               "less in one request.");
}

Status UpdateAndWait(Store& store, std::vector<std::string> keys, const DecideFunction& decide) {
  std::promise<Status> done;
  std::future<Status> status = done.get_future();
  store.Submit(std::make_unique<WaitedUpdate>(std::move(keys), decide, std::move(done)));
  return status.get();
}

Result<int64_t> ReadCounter(const Reader& reader, std::string_view key) {
  std::string bytes;
  TRY_ASSIGN(const bool found, reader.Get(key, &bytes));
  if (!found) return int64_t{0};
  return DecodeCounter(bytes);
}

}  // namespace monotable::storage
