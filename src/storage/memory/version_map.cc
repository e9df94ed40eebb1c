#include "storage/memory/version_map.h"

#include <algorithm>
#include <iterator>

namespace monotable::storage {

namespace {

constexpr size_t kCollectBytes = size_t{256} << 10;
// Few enough keys that readers wait for the lock only briefly.
constexpr size_t kSweepKeys = 256;
constexpr int64_t kNodeBytes = 112;  // a tree node with its key and its vector
constexpr int64_t kVersionBytes = 48;

bool IsEmpty(const Range& range) {
  return !range.end.empty() && range.end <= range.begin;
}

int64_t ValueBytes(const std::optional<std::string>& value) {
  return kVersionBytes + (value ? static_cast<int64_t>(value->size()) : 0);
}

int64_t KeyBytes(std::string_view key) {
  return kNodeBytes + static_cast<int64_t>(key.size());
}

}  // namespace

uint64_t VersionMap::AddPin() const {
  std::shared_lock lock(mutex_);
  std::lock_guard pins_lock(pins_mutex_);
  pins_.insert(published_);
  return published_;
}

void VersionMap::RemovePin(uint64_t version) const {
  std::lock_guard lock(pins_mutex_);
  pins_.erase(pins_.find(version));
}

uint64_t VersionMap::OldestPin() const {
  std::lock_guard lock(pins_mutex_);
  return pins_.empty() ? kLatest : *pins_.begin();
}

bool VersionMap::IsRemoved(std::string_view key, uint64_t written, uint64_t seen_at) const {
  return std::any_of(removed_ranges_.begin(), removed_ranges_.end(), [&](const Garbage& removed) {
    return written < removed.version && removed.version <= seen_at && removed.range.Contains(key);
  });
}

const std::string* VersionMap::Visible(std::string_view key, const Versions& versions,
                                       uint64_t version) const {
  auto newest = std::find_if(versions.rbegin(), versions.rend(),
                             [&](const Version& v) { return v.version <= version; });
  if (newest == versions.rend() || !newest->value) return nullptr;
  if (IsRemoved(key, newest->version, version)) return nullptr;
  return &*newest->value;
}

bool VersionMap::Get(std::string_view key, uint64_t version, std::string* value) const {
  std::shared_lock lock(mutex_);
  auto entry = map_.find(key);
  if (entry == map_.end()) return false;
  const std::string* visible = Visible(key, entry->second, version);
  if (visible == nullptr) return false;
  *value = *visible;
  return true;
}

std::optional<std::string_view> VersionMap::Find(std::string_view key) const {
  auto entry = map_.find(key);
  if (entry == map_.end()) return std::nullopt;
  const std::string* visible = Visible(key, entry->second, kLatest);
  if (visible == nullptr) return std::nullopt;
  return *visible;
}

void VersionMap::Collect(const Range& range, Direction direction, uint64_t version, size_t limit,
                         std::vector<Entry>* entries) const {
  if (IsEmpty(range)) return;
  size_t bytes = 0;
  auto enough = [&] { return entries->size() >= limit || bytes >= kCollectBytes; };
  auto collect = [&](const Map::value_type& entry) {
    const std::string* visible = Visible(entry.first, entry.second, version);
    if (visible == nullptr) return;
    entries->emplace_back(entry.first, *visible);
    bytes += entry.first.size() + visible->size();
  };
  std::shared_lock lock(mutex_);
  const auto first = map_.lower_bound(range.begin);
  const auto last = range.end.empty() ? map_.end() : map_.lower_bound(range.end);
  if (direction == Direction::kForward) {
    for (auto entry = first; entry != last && !enough(); ++entry) collect(*entry);
  } else {
    for (auto entry = last; entry != first && !enough();) collect(*--entry);
  }
}

void VersionMap::Visit(
    const Range& range,
    const std::function<bool(std::string_view key, std::string_view value)>& visit) const {
  for (auto entry = map_.lower_bound(range.begin);
       entry != map_.end() && range.Contains(entry->first); ++entry) {
    const std::string* visible = Visible(entry->first, entry->second, kLatest);
    if (visible != nullptr && !visit(entry->first, *visible)) return;
  }
}

VersionMap::Map::iterator VersionMap::Trim(Map::iterator entry, uint64_t oldest) {
  Versions& versions = entry->second;
  // The newest version that a view at `oldest` can see. No view can see the versions before it.
  auto base = std::find_if(versions.rbegin(), versions.rend(),
                           [&](const Version& v) { return v.version <= oldest; });
  auto keep = base == versions.rend() ? versions.begin() : std::prev(base.base());
  // That version can go as well if it only says that the key is deleted.
  if (base != versions.rend() && (!keep->value || IsRemoved(entry->first, keep->version, oldest))) {
    ++keep;
  }
  for (auto version = versions.begin(); version != keep; ++version) {
    Account(-ValueBytes(version->value));
  }
  versions.erase(versions.begin(), keep);
  if (!versions.empty()) return std::next(entry);
  Account(-KeyBytes(entry->first));
  return map_.erase(entry);
}

bool VersionMap::Sweep() {
  if (garbage_.empty()) return false;
  std::unique_lock lock(mutex_);
  const uint64_t oldest = OldestPin();
  size_t budget = kSweepKeys;
  while (!garbage_.empty() && garbage_.front().version <= oldest) {
    Garbage& garbage = garbage_.front();
    auto entry = map_.lower_bound(garbage.range.begin);
    while (entry != map_.end() && garbage.range.Contains(entry->first)) {
      if (budget-- == 0) {
        garbage.range.begin = entry->first;
        return true;
      }
      entry = Trim(entry, oldest);
    }
    std::erase_if(removed_ranges_,
                  [&](const Garbage& removed) { return removed.version == garbage.version; });
    garbage_.pop_front();
  }
  return false;
}

VersionMap::Change::Change(VersionMap* map)
    : map_(*map), lock_(map_.mutex_), version_(map_.published_), oldest_pin_(map_.OldestPin()) {}

VersionMap::Change::~Change() {
  map_.published_ = version_;
}

void VersionMap::Change::Write(std::string key, std::optional<std::string> value) {
  ++version_;
  auto [entry, inserted] = map_.map_.try_emplace(std::move(key));
  map_.Account(ValueBytes(value) + (inserted ? KeyBytes(entry->first) : 0));
  entry->second.push_back({version_, std::move(value)});
  if (oldest_pin_ == kLatest) {
    map_.Trim(entry, kLatest);
    return;
  }
  if (inserted && entry->second.back().value) return;
  map_.garbage_.push_back({version_, {entry->first, entry->first + '\0'}});
}

void VersionMap::Change::DeleteRange(Range range) {
  if (IsEmpty(range)) return;
  ++version_;
  map_.removed_ranges_.push_back({version_, range});
  map_.garbage_.push_back({version_, std::move(range)});
}

}  // namespace monotable::storage
