#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/http_client_for_tests.h"
#include "http/http_server.h"

namespace monotable::http {

// Handles by a function.
class TestHandler : public Handler {
 public:
  using Function = std::function<void(Request, Responder)>;
  explicit TestHandler(Function function) : function_(std::move(function)) {}

  void Handle(Request request, Responder responder) override {
    function_(std::move(request), std::move(responder));
  }

 private:
  Function function_;
};

inline Response Text(std::string body) {
  Response response;
  response.content_type = "text/plain";
  response.body = std::move(body);
  return response;
}

inline void Echo(const Request& request, const Responder& responder) {
  responder.Send(Text(std::string(request.body())));
}

// Keeps responders until the test answers them.
class Parking {
 public:
  TestHandler::Function Handler() {
    return [this](Request request, Responder responder) {
      const std::lock_guard lock(mutex_);
      parked_.emplace_back(std::move(request), std::move(responder));
      changed_.notify_all();
    };
  }
  // Waits for the next request.
  std::pair<Request, Responder> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !parked_.empty(); });
    auto taken = std::move(parked_.front());
    parked_.erase(parked_.begin());
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<Request, Responder>> parked_;
};

// A server on a free port with two loops unless told otherwise.
class ServerFixture : public testing::Test {
 protected:
  void Start(TestHandler::Function function, ServerOptions options = {}) {
    handler_.emplace(std::move(function));
    options.port = 0;
    if (options.threads == 0) options.threads = 2;
    server_.emplace(options, *handler_);
    const Status status = server_->Start();
    ASSERT_TRUE(status.has_value()) << status.error().message();
  }
  TestClient Connect() { return TestClient(server_->port()); }

  // What handlers use outlives the server, which may still be in one when a test has its answers.
  Parking parking_;
  std::optional<TestHandler> handler_;
  std::optional<Server> server_;
};

}  // namespace monotable::http
