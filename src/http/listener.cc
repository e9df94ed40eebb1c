#include "http/listener.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace monotable::http {
namespace {

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
  // A server that was just stopped leaves connections behind that must not keep it from starting.
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // Accepted sockets inherit it: answers leave at once.
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

}  // namespace

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
      // Another server there would get a part of the clients that ask for localhost.
      return ListenError("::1", port, second_error);
    }
  }
  return listeners;
}

}  // namespace monotable::http
