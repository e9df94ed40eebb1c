#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/base64.h"
#include "json/write.h"

namespace monotable::json {

// Appends JSON to a text a piece at a time. For what is printed most: room is made ahead and then
// filled, instead of growing the text with every quote and colon. Until the printer is destroyed
// the text is longer than what was printed.
class Printer {
 public:
  // Expected is a guess at how much will be appended.
  Printer(std::string* out, size_t expected) : out_(*out), size_(out->size()) {
    out_.resize(size_ + expected);
  }
  ~Printer() { out_.resize(size_); }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  void Print(char character) {
    *Room(1) = character;
    ++size_;
  }

  void Print(std::string_view text) {
    text.copy(Room(text.size()), text.size());
    size_ += text.size();
  }

  // As a JSON string with its quotes.
  void PrintString(std::string_view text) {
    if (text.size() > kLongString) {
      out_.resize(size_);
      AppendString(text, &out_);
      size_ = out_.size();
      return;
    }
    char* const begin = Room(MaxStringLength(text.size()));
    size_ += static_cast<size_t>(json::PrintString(text, begin) - begin);
  }

  // Without quotes.
  void PrintBase64(std::string_view bytes) {
    out_.resize(size_);
    AppendBase64(bytes, &out_);
    size_ = out_.size();
  }

  // The last character of the text; it must not be empty.
  char last() const { return out_[size_ - 1]; }

 private:
  // Longer strings are appended, as room for the worst case would be too much to ask for.
  static constexpr size_t kLongString = 1024;

  char* Room(size_t bytes) {
    if (out_.size() - size_ < bytes) out_.resize(2 * (size_ + bytes));
    return out_.data() + size_;
  }

  std::string& out_;
  size_t size_;  // of what was printed
};

}  // namespace monotable::json
