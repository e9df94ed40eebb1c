#include "http/http_server.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/event_loop.h"
#include "work/promptness.h"

namespace monotable::http {

namespace {

// The listening sockets of a server, non-blocking. One, or two where IPv4 loopback is asked for:
// clients that turn `localhost` into ::1 first are served on the same port.
struct Listeners {
  std::vector<FileDescriptor> sockets;
  uint16_t port = 0;
};

constexpr int kBacklog = 1024;

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  void set_port(uint16_t port) {
    if (family() == AF_INET) {
      reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
    } else {
      reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
    }
  }
  uint16_t port() const {
    return ntohs(family() == AF_INET ? reinterpret_cast<const sockaddr_in*>(&storage)->sin_port
                                     : reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  }
};

Result<Address> Resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0 || found == nullptr) {
    return Error::Validation(fmt::format(
        "Cannot listen on host '{}': {}. Give an address of this machine, such as 127.0.0.1.", host,
        gai_strerror(code)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.length = found->ai_addrlen;
  return address;
}

Address Ipv6Loopback() {
  Address address;
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  std::memcpy(&address.storage, &loopback, sizeof(loopback));
  address.length = sizeof(loopback);
  return address;
}

// A listening socket, or errno.
std::pair<FileDescriptor, int> Open(const Address& address, bool only_ipv6) {
  FileDescriptor socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return {FileDescriptor(), errno};
  const int on = 1;
  // Connections of a server that was just stopped must not keep the next one from starting.
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // Accepted sockets inherit this option, so answers leave at once.
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (address.family() == AF_INET6) {
    const int only = only_ipv6 ? 1 : 0;
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  }
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) < 0 ||
      listen(socket.get(), kBacklog) < 0) {
    const int error = errno;
    return {FileDescriptor(), error};
  }
  return {std::move(socket), 0};
}

Error ListenError(const std::string& host, uint16_t port, int error) {
  if (error == EADDRINUSE) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("Port {} of {} is in use. Stop the program that listens there or "
                             "choose another port with --port.",
                             port, host));
  }
  if (error == EACCES) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("Port {} of {} needs privileges. Choose a port from 1024 with --port.",
                             port, host));
  }
  if (error == EADDRNOTAVAIL) {
    return Error::Validation(fmt::format(
        "Cannot listen on host '{}': this machine has no such address. Choose another with --host.",
        host));
  }
  return Error(ErrorCode::kUnavailable, fmt::format("Cannot listen on port {} of {}: {}.", port,
                                                    host, std::strerror(error)));
}

// Binds and listens. Errors are one line that says what to do.
Result<Listeners> Listen(const std::string& host, uint16_t port) {
  // `localhost` means both loopback addresses, whatever order the resolver has them in.
  const bool is_ipv4_loopback = host == "localhost" || host == "127.0.0.1";
  TRY_ASSIGN(Address address, Resolve(is_ipv4_loopback ? "127.0.0.1" : host));
  address.set_port(port);
  auto [socket, error] = Open(address, false);
  if (!socket) return ListenError(host, port, error);
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address.storage), &address.length);

  Listeners listeners;
  listeners.port = address.port();
  listeners.sockets.push_back(std::move(socket));
  if (is_ipv4_loopback) {
    Address ipv6 = Ipv6Loopback();
    ipv6.set_port(listeners.port);
    auto [second, second_error] = Open(ipv6, true);
    if (second) {
      listeners.sockets.push_back(std::move(second));
    } else if (second_error == EADDRINUSE && port != 0) {
      // Another server on that address would receive some of the clients that ask for localhost.
      return ListenError("::1", port, second_error);
    }
  }
  return listeners;
}

size_t ThreadsOf(const ServerOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max<size_t>(1, std::thread::hardware_concurrency());
}

// There must be memory to work on the largest request while others fill the part for bodies, or all
// would wait for each other; and what every connection reserves must leave most to the requests.
ServerOptions WithConsistentLimits(ServerOptions options) {
  options.request_memory_bytes =
      std::max(options.request_memory_bytes, 12 * options.max_body_bytes);
  options.max_connections = std::min(options.max_connections,
                                     options.request_memory_bytes / 4 / Connection::kReservedBytes);
  return options;
}

}  // namespace

size_t DescriptorsFor(const ServerOptions& options) {
  constexpr size_t kListeners = 2;
  constexpr size_t kPerLoop = 2;  // its epoll instance and its inbox
  return options.max_connections + MaxLingering(options) + kListeners +
         kPerLoop * ThreadsOf(options);
}

// The loops and their threads.
class Server::Impl {
 public:
  Impl(ServerOptions options, Handler& handler)
      : shared_(WithConsistentLimits(std::move(options)), handler) {}
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
  const size_t threads = ThreadsOf(shared_.options);
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
  work::BePrompt();
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
