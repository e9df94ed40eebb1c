#pragma once

#include <ctime>
#include <string>

#include "http/message.h"

namespace monotable::http {

// How the answer ends the exchange, for the Connection header.
enum class Persistence {
  kImplied,    // HTTP/1.1 staying open: no header
  kKeepAlive,  // HTTP/1.0 staying open, which must be said
  kClose,
};

// Writes the heads of answers. Keeps the Date header of the current second. Not thread-safe.
class ResponseHeadWriter {
 public:
  // Appends status line and headers, with the empty line that ends them.
  void Write(const Response& response, Persistence persistence, time_t now, std::string* out);

 private:
  time_t date_second_ = -1;
  std::string date_line_;
};

}  // namespace monotable::http
