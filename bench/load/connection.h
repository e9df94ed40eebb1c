#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <netinet/in.h>

#include "error/result.h"
#include "load/response.h"

namespace monotable::load {

using Clock = std::chrono::steady_clock;

// A keep-alive connection with at most one request under way. Its socket does not block.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Connects, or connects anew, and forgets the request under way.
  Status Connect(const sockaddr_in& address);

  int socket() const { return socket_; }

  // The buffer for the next request, empty; Flush sends it.
  std::string& BeginRequest();

  enum class Sent { kAll, kPart, kBroken };
  // Sends what is left of the request; after kPart, again when the socket takes more.
  Sent Flush();

  enum class Received { kIncomplete, kAnswer, kBroken };
  Received Receive();
  const Response& response() const { return response_; }

  void Close();

  // When the next request is due, for a run with an interval.
  Clock::time_point due;
  // Whether a request is under way, when it was sent (with an interval: was due), and whether its
  // latency counts.
  bool is_busy = false;
  Clock::time_point sent_at;
  bool is_measured = false;
  // Whether the socket had no room for the whole request.
  bool waits_to_send = false;

 private:
  int socket_ = -1;
  std::string request_;
  size_t sent_ = 0;
  Response response_;
};

}  // namespace monotable::load
