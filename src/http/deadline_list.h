#pragma once

#include <chrono>

namespace monotable::http {

using TimePoint = std::chrono::steady_clock::time_point;

class DeadlineList;

// Something that can wait in one DeadlineList at a time. Its destructor leaves the list. Not
// thread-safe.
class DeadlineEntry {
 public:
  DeadlineEntry() = default;
  DeadlineEntry(const DeadlineEntry&) = delete;
  DeadlineEntry& operator=(const DeadlineEntry&) = delete;
  ~DeadlineEntry() { Leave(); }

  void Leave();

 private:
  friend class DeadlineList;

  DeadlineEntry* previous_ = nullptr;  // null outside of a list
  DeadlineEntry* next_ = nullptr;
  TimePoint deadline_;
};

// Entries that all wait equally long: the order of joining is the order of deadlines, so that
// joining, leaving and finding the next to expire are a few pointers each. Not thread-safe.
class DeadlineList {
 public:
  explicit DeadlineList(std::chrono::milliseconds wait);

  // Moves the entry to the end, from wherever it was.
  void Join(DeadlineEntry& entry, TimePoint now);
  bool empty() const { return ends_.next_ == &ends_; }
  // The earliest deadline; the list must not be empty.
  TimePoint earliest() const { return ends_.next_->deadline_; }
  // The first entry if its time is over, otherwise null. The entry stays in the list until it
  // leaves or joins another.
  DeadlineEntry* Expired(TimePoint now);
  // The entry that joined first, or null.
  DeadlineEntry* first() const { return empty() ? nullptr : ends_.next_; }
  // The entry that joined after this one, or null.
  DeadlineEntry* After(const DeadlineEntry& entry) const {
    return entry.next_ == &ends_ ? nullptr : entry.next_;
  }

 private:
  const std::chrono::milliseconds wait_;
  DeadlineEntry ends_;  // before the first and after the last
};

inline void DeadlineEntry::Leave() {
  if (previous_ == nullptr) return;
  previous_->next_ = next_;
  next_->previous_ = previous_;
  previous_ = next_ = nullptr;
}

inline DeadlineList::DeadlineList(std::chrono::milliseconds wait) : wait_(wait) {
  ends_.previous_ = ends_.next_ = &ends_;
}

inline void DeadlineList::Join(DeadlineEntry& entry, TimePoint now) {
  entry.Leave();
  entry.deadline_ = now + wait_;
  entry.previous_ = ends_.previous_;
  entry.next_ = &ends_;
  ends_.previous_->next_ = &entry;
  ends_.previous_ = &entry;
}

inline DeadlineEntry* DeadlineList::Expired(TimePoint now) {
  return empty() || earliest() > now ? nullptr : ends_.next_;
}

}  // namespace monotable::http
