#include "engine/recorded_batch.h"

namespace monotable::engine {
namespace {

// Shorter values are not worth a look into the map.
constexpr size_t kShortestKept = 256;

}  // namespace

void RecordedBatch::KeepInPlace(std::string_view bytes) {
  if (bytes.size() >= kShortestKept) kept_.insert_or_assign(bytes.data(), bytes.size());
}

void RecordedBatch::Put(std::string_view key, std::string_view value) {
  Step step{Kind::kPut, key.size(), value.size()};
  if (value.size() >= kShortestKept) {
    const auto kept = kept_.find(value.data());
    if (kept != kept_.end() && value.size() <= kept->second) step.place = value.data();
  }
  Add(step, key, value);
}

void RecordedBatch::Delete(std::string_view key) {
  Add({Kind::kDelete, key.size(), 0}, key, {});
}

void RecordedBatch::DeleteRange(const storage::Range& range) {
  Add({Kind::kDeleteRange, range.begin.size(), range.end.size()}, range.begin, range.end);
}

void RecordedBatch::Increment(std::string_view key, int64_t delta) {
  Add({Kind::kIncrement, key.size(), 0, nullptr, delta}, key, {});
}

void RecordedBatch::Add(Step step, std::string_view key, std::string_view value) {
  copies_ += key;
  if (step.place == nullptr) copies_ += value;
  steps_.push_back(step);
  bytes_ += key.size() + value.size();
}

void RecordedBatch::WriteTo(storage::Batch* batch) const {
  std::string_view rest = copies_;
  const auto next = [&rest](size_t size) {
    const std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
  };
  for (const Step& step : steps_) {
    const std::string_view key = next(step.key_size);
    const std::string_view value = step.place == nullptr
                                       ? next(step.value_size)
                                       : std::string_view(step.place, step.value_size);
    switch (step.kind) {
      case Kind::kPut:
        batch->Put(key, value);
        break;
      case Kind::kDelete:
        batch->Delete(key);
        break;
      case Kind::kDeleteRange:
        batch->DeleteRange({std::string(key), std::string(value)});
        break;
      case Kind::kIncrement:
        batch->Increment(key, step.delta);
        break;
    }
  }
}

}  // namespace monotable::engine
