// The least that a server on the same RocksDB must do for GetItem and PutItem over HTTP: what
// Monotable takes above it is Monotable's own. No validation, no signatures, no item model.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"
#include "storage/rocksdb/rocksdb_options.h"

namespace {

using monotable::bench::Loop;

constexpr char kUsage[] = "usage: floor_server --port N --data FOLDER [--threads N]\n";

struct Options {
  int port = 0;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string data;
};

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "floor_server: %s\n", message.c_str());
  std::exit(1);
}

Options ParseArguments(int count, char** values) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = values[i];
    const char* value = i + 1 < count ? values[i + 1] : "";
    if (name == "--port") {
      options.port = std::atoi(value);
    } else if (name == "--threads") {
      options.threads = std::atoi(value);
    } else if (name == "--data") {
      options.data = value;
    }
  }
  if (options.port <= 0 || options.port > 65535 || options.threads <= 0 || options.data.empty()) {
    std::fputs(kUsage, stderr);
    std::exit(2);
  }
  return options;
}

// With Monotable's own settings of RocksDB, so that the difference is above it.
std::unique_ptr<rocksdb::DB> OpenDatabase(const std::string& folder) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::Open(monotable::storage::MakeRocksDbOptions({}), folder, &db);
  if (!status.ok()) Fail(status.ToString());
  return std::unique_ptr<rocksdb::DB>(db);
}

int Listen(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // accepted sockets inherit it
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
      listen(listener, 1024) < 0) {
    Fail("cannot listen on port " + std::to_string(port));
  }
  return listener;
}

// Deals connections to the loops in turn.
[[noreturn]] void Accept(int listener, std::vector<std::unique_ptr<Loop>>& loops) {
  for (size_t turn = 0;; ++turn) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) loops[turn % loops.size()]->Adopt(socket);
  }
}

}  // namespace

int main(int count, char** values) {
  const Options options = ParseArguments(count, values);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there are threads to inherit it

  const std::unique_ptr<rocksdb::DB> db = OpenDatabase(options.data);
  const int listener = Listen(options.port);
  std::vector<std::unique_ptr<Loop>> loops;
  for (int i = 0; i < options.threads; ++i) loops.push_back(std::make_unique<Loop>(db.get()));
  for (const auto& loop : loops) std::thread([&loop] { loop->Run(); }).detach();
  std::thread([&] { Accept(listener, loops); }).detach();

  int signal = 0;
  sigwait(&signals, &signal);
  // Every answered put is on the disk, so nothing is lost by leaving the threads where they are.
  _exit(0);
}
