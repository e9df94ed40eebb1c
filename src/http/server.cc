#include "http/server.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "http/event_loop.h"
#include "http/listener.h"

namespace monotable::http {

Response Handler::HandleProtocolError(int status, std::string_view reason, std::string_view) {
  Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.body.append(reason).append("\n");
  return response;
}

// The loops and their threads.
class Server::Impl {
 public:
  Impl(ServerOptions options, Handler& handler) : shared_(std::move(options), handler) {}
  ~Impl() { Drain(std::chrono::milliseconds(0)); }

  Status Start();
  uint16_t port() const { return port_; }
  void Drain(std::chrono::milliseconds limit);

 private:
  void RunLoop(EventLoop& loop);

  SharedState shared_;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable loop_ended_;
  size_t running_ = 0;  // guarded by mutex_
  std::mutex drain_mutex_;
  std::vector<std::thread> threads_;  // guarded by drain_mutex_ once started
};

Status Server::Impl::Start() {
  TRY_ASSIGN(Listeners listeners, Listen(shared_.options.host, shared_.options.port));
  shared_.listeners = std::move(listeners.sockets);
  port_ = listeners.port;
  const size_t threads = shared_.options.threads != 0
                             ? shared_.options.threads
                             : std::max<size_t>(1, std::thread::hardware_concurrency());
  for (size_t i = 0; i < threads; ++i) {
    shared_.loops.push_back(std::make_unique<EventLoop>(shared_));
    if (!shared_.loops.back()->valid()) {
      return Error(ErrorCode::kUnavailable,
                   "The process has no file descriptors left. Raise the limit (ulimit -n).");
    }
  }
  running_ = threads;
  for (const auto& loop : shared_.loops) {
    threads_.emplace_back([this, &loop] { RunLoop(*loop); });
  }
  return {};
}

void Server::Impl::RunLoop(EventLoop& loop) {
  loop.Run();
  const std::lock_guard lock(mutex_);
  --running_;
  loop_ended_.notify_all();
}

void Server::Impl::Drain(std::chrono::milliseconds limit) {
  const std::lock_guard drain_lock(drain_mutex_);
  shared_.draining = true;
  for (const auto& loop : shared_.loops) loop->inbox().PostDrain();
  {
    std::unique_lock lock(mutex_);
    loop_ended_.wait_for(lock, limit, [this] { return running_ == 0; });
  }
  for (const auto& loop : shared_.loops) loop->inbox().PostStop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

Server::Server(ServerOptions options, Handler& handler)
    : impl_(std::make_unique<Impl>(std::move(options), handler)) {}

Server::~Server() = default;

Status Server::Start() {
  return impl_->Start();
}

uint16_t Server::port() const {
  return impl_->port();
}

void Server::Drain(std::chrono::milliseconds limit) {
  impl_->Drain(limit);
}

}  // namespace monotable::http
