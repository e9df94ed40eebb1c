#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace monotable::json {

// Appends text as a JSON string with its quotes. Escapes what JSON requires and nothing else, so
// UTF-8 passes through as it is.
void AppendString(std::string_view text, std::string* out);

// The same to where there is room for MaxStringLength characters, for text that is made in one
// piece; returns the end of what was written.
char* PrintString(std::string_view text, char* at);
constexpr size_t MaxStringLength(size_t text_length) {
  return 6 * text_length + 2;  // \u0000 for each byte, and the quotes
}

// Appends a floating-point number that always shows a fraction, as Java prints it: 1.0, 0.5.
void AppendDouble(double value, std::string* out);

// Writes JSON text at the end of a string. Commas come by themselves, from the last character
// written, so a writer has no state and any number of them may work on the same text. The caller
// balances Begin and End.
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

}  // namespace monotable::json
