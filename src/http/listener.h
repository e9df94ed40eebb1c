#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "error/result.h"
#include "http/file_descriptor.h"

namespace monotable::http {

// The listening sockets of a server, non-blocking. One, or two where IPv4 loopback is asked for:
// clients that turn `localhost` into ::1 first are served on the same port.
struct Listeners {
  std::vector<FileDescriptor> sockets;
  uint16_t port = 0;
};

// Binds and listens. Errors are one line that says what to do.
Result<Listeners> Listen(const std::string& host, uint16_t port);

}  // namespace monotable::http
