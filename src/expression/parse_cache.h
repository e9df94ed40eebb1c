#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "error/result.h"

namespace monotable::expression {

// The most recently used parsed expressions, by text. Applications send the same few texts over and
// over with different values, so that parsing is rare. Not thread-safe: each thread has its own.
template <typename Parsed>
class ParseCache {
 public:
  static constexpr size_t kDefaultCapacity = 512;

  explicit ParseCache(size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  // What `parse` returned for this text before, or returns now. Errors are not kept.
  template <typename Parse>
  Result<std::shared_ptr<const Parsed>> FindOrParse(std::string_view text, Parse parse) {
    if (const auto known = by_text_.find(text); known != by_text_.end()) {
      newest_first_.splice(newest_first_.begin(), newest_first_, known->second);
      return known->second->parsed;
    }
    TRY_ASSIGN(Parsed parsed, parse());
    newest_first_.push_front(
        {std::string(text), std::make_shared<const Parsed>(std::move(parsed))});
    by_text_.emplace(newest_first_.front().text, newest_first_.begin());
    if (by_text_.size() > capacity_) {
      by_text_.erase(newest_first_.back().text);
      newest_first_.pop_back();
    }
    return newest_first_.front().parsed;
  }

  size_t size() const { return by_text_.size(); }

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const Parsed> parsed;
  };

  size_t capacity_;
  std::list<Entry> newest_first_;
  // The keys are views of the entries' texts.
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator> by_text_;
};

}  // namespace monotable::expression
