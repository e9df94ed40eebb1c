#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/base64.h"

namespace monotable::json {

// Appends text as a JSON string with its quotes. Escapes what JSON requires and nothing else, so
// UTF-8 passes through as it is.
void AppendString(std::string_view text, std::string* out);

// Writes the same JSON string to a buffer with room for MaxStringLength characters and returns the
// end of what was written.
char* PrintString(std::string_view text, char* at);
constexpr size_t MaxStringLength(size_t text_length) {
  // \u0000 for each byte, the quotes, and room for the last bytes to be written eight at a time.
  return 6 * text_length + 2 + 8;
}

// Appends a floating-point number that always shows a fraction, as Java prints it: 1.0, 0.5.
void AppendDouble(double value, std::string* out);

// Writes JSON text at the end of a string. The writer adds commas itself, judging by the last
// character written. It has no other state, so any number of writers may work on the same text. The
// caller balances Begin and End. Not thread-safe.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  Writer& BeginObject() { return Open('{'); }
  Writer& EndObject() { return Close('}'); }
  Writer& BeginArray() { return Open('['); }
  Writer& EndArray() { return Close(']'); }

  // For names that the service or the client chose freely.
  Writer& Key(std::string_view name);
  Writer& String(std::string_view text);
  Writer& Integer(int64_t value);
  Writer& Double(double value);
  Writer& Bool(bool flag);
  // Text that is already JSON and needs no escaping.
  Writer& Raw(std::string_view json);

  std::string* out() { return out_; }

 private:
  // A value or key needs a comma before it unless it is the first of its container.
  void Separate() {
    if (out_->empty()) return;
    const char last = out_->back();
    if (last != '{' && last != '[' && last != ':') out_->push_back(',');
  }
  Writer& Open(char bracket) {
    Separate();
    out_->push_back(bracket);
    return *this;
  }
  Writer& Close(char bracket) {
    out_->push_back(bracket);
    return *this;
  }

  std::string* out_;
};

// Appends JSON to a text piece by piece, for the responses that are printed most often. The printer
// makes room ahead and fills it, instead of growing the text with every quote and colon, so until
// the printer is destroyed the text is longer than what was printed. Not thread-safe.
class Printer {
 public:
  // `expected` is a guess at how many bytes will be appended.
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

  // Prints the text as a JSON string with its quotes.
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

  // Prints the bytes in base64, without quotes.
  void PrintBase64(std::string_view bytes) {
    out_.resize(size_);
    AppendBase64(bytes, &out_);
    size_ = out_.size();
  }

  // The last character of the text, which must not be empty.
  char last() const { return out_[size_ - 1]; }

  // Longer strings are appended directly, because room for their worst case would waste memory.
  static constexpr size_t kLongString = 1024;

  // Room for so many bytes, for a caller that prints several pieces at once. Printed says where
  // they end.
  char* Room(size_t bytes) {
    if (out_.size() - size_ < bytes) out_.resize(size_ + bytes + kMoreRoom);
    return out_.data() + size_;
  }
  void Printed(const char* end) { size_ = static_cast<size_t>(end - out_.data()); }

 private:
  // A little, because resizing fills it with zeros. The capacity doubles.
  static constexpr size_t kMoreRoom = 512;

  std::string& out_;
  size_t size_;  // of what was printed
};

}  // namespace monotable::json
