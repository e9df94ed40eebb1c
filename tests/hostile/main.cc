// hostile: many clients that send wrong requests to a running server, which must answer each as
// HTTP says, never with an internal error, and must live on within its memory. See kUsage.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "hostile/answers.h"
#include "hostile/mutation.h"
#include "http/file_descriptor.h"

namespace monotable::hostile {
namespace {

constexpr std::string_view kUsage =
    "hostile --port PORT --corpus FOLDER [--pid PID --memory-mb MB] [--seconds N | --requests N]\n"
    "        [--threads N] [--seed N]\n"
    "Sends mutated requests to a server on this machine. Fails if an answer is not valid HTTP, is\n"
    "an internal error or does not come; if the server is gone at the end; or if the server of "
    "the\n"
    "process PID has taken more than MB megabytes. Prints its seed, which repeats the requests.\n";

struct Options {
  uint16_t port = 0;
  std::string corpus;
  int pid = 0;
  size_t memory_mb = 0;
  double seconds = 3;
  uint64_t requests = UINT64_MAX;
  size_t threads = 2;
  uint64_t seed = std::random_device()();
};

// What the threads have found together. Thread-safe, lock mutex.
struct Findings {
  std::mutex mutex;
  std::vector<std::string> problems;
  AnswerCheck::Counts counts;

  void Add(std::string problem) {
    const std::lock_guard lock(mutex);
    problems.push_back(std::move(problem));
  }
};

constexpr size_t kConnections = 6;  // of a thread
constexpr size_t kTogether = 40;    // requests that are sent ahead, at most

http::FileDescriptor Connect(uint16_t port) {
  http::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{20, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket.get(), to, sizeof(address)) != 0) socket.Close();
  return socket;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// One client on one connection after the other. Not thread-safe.
class Client {
 public:
  Client(const Options& options, const std::vector<Seed>& seeds, uint64_t seed, Findings& findings)
      : options_(options), mutator_(seeds, seed), findings_(findings) {}

  // Sends some requests ahead; returns how many.
  size_t Send() {
    if (!socket_) {
      socket_ = Connect(options_.port);
      check_.Reset();
      if (!socket_) findings_.Add("no connection");
    }
    sent_.clear();
    expected_ = check_.answers();
    const size_t count = 1 + mutator_.random().Below(kTogether);
    for (size_t i = 0; i < count; ++i) sent_ += mutator_.Framed();
    expected_ += count;
    ends_ = mutator_.random().OneIn(3);
    if (ends_) sent_ += mutator_.Broken();
    if (mutator_.random().OneIn(100)) sent_ += mutator_.Valid(CreateTableSeed()), ++expected_;
    SendAll(socket_.get(), sent_);
    return count + (ends_ ? 1 : 0);
  }

  // Receives the answers. A client that broke the framing leaves in one way or another.
  void Receive() {
    const size_t way = ends_ ? mutator_.random().Below(4) : 3;
    if (way == 0) return Leave(true);
    if (way == 1 && ends_) return Leave(false);
    if (ends_) shutdown(socket_.get(), SHUT_WR);
    while (ends_ || check_.answers() < expected_) {
      const ssize_t received = recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
      if (received <= 0) {
        if (received < 0 && errno == EAGAIN) findings_.Add(fmt::format("no answer to {}", sent_));
        const bool is_early = !ends_ && !check_.said_close();
        if (is_early) findings_.Add(fmt::format("closed early after {}", sent_));
        return Leave(false);
      }
      if (auto wrong = check_.Feed({buffer_.data(), static_cast<size_t>(received)})) {
        findings_.Add(*wrong + "\nafter " + sent_);
        return Leave(false);
      }
      if (check_.said_close() && !ends_) return Leave(false);
    }
  }

  const AnswerCheck::Counts& counts() const { return check_.counts(); }

 private:
  void Leave(bool reset) {
    const linger how{1, 0};
    if (reset) setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &how, sizeof(how));
    socket_.Close();
  }

  const Options& options_;
  Mutator mutator_;
  Findings& findings_;
  AnswerCheck check_;
  http::FileDescriptor socket_;
  std::string sent_;
  size_t expected_ = 0;
  bool ends_ = false;
  std::vector<char> buffer_ = std::vector<char>(64 * 1024);
};

// Has several clients wait for the server at the same time.
void RunThread(const Options& options, const std::vector<Seed>& seeds, size_t thread,
               std::atomic<uint64_t>& requests, Findings& findings) {
  std::deque<Client> clients;
  for (size_t i = 0; i < kConnections; ++i) {
    clients.emplace_back(options, seeds, options.seed + thread * kConnections + i, findings);
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  while (requests < options.requests && std::chrono::steady_clock::now() < end) {
    {
      const std::lock_guard lock(findings.mutex);
      if (!findings.problems.empty()) break;
    }
    for (Client& client : clients) requests += client.Send();
    for (Client& client : clients) client.Receive();
  }
  const std::lock_guard lock(findings.mutex);
  for (const Client& client : clients) {
    findings.counts.all += client.counts().all;
    findings.counts.unavailable += client.counts().unavailable;
    for (size_t i = 0; i < client.counts().by_class.size(); ++i) {
      findings.counts.by_class[i] += client.counts().by_class[i];
    }
  }
}

bool IsAlive(const Options& options) {
  const http::FileDescriptor socket = Connect(options.port);
  if (!socket) return false;
  AnswerCheck check;
  SendAll(socket.get(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::vector<char> buffer(4096);
  while (check.answers() == 0) {
    const ssize_t received = recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (received <= 0 || check.Feed({buffer.data(), static_cast<size_t>(received)})) return false;
  }
  return check.counts().by_class[2] == 1;
}

// The most memory that a process has ever had, in megabytes.
size_t PeakMegabytes(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::strtoul(line.c_str() + 6, nullptr, 10) / 1024;
  }
  return SIZE_MAX;
}

std::optional<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    const char* value = arguments[i + 1].c_str();
    if (name == "--port")
      options.port = static_cast<uint16_t>(std::atoi(value));
    else if (name == "--corpus")
      options.corpus = value;
    else if (name == "--pid")
      options.pid = std::atoi(value);
    else if (name == "--memory-mb")
      options.memory_mb = std::strtoul(value, nullptr, 10);
    else if (name == "--seconds")
      options.seconds = std::atof(value);
    else if (name == "--threads")
      options.threads = std::strtoul(value, nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoul(value, nullptr, 10);
    else if (name == "--requests") {
      options.requests = std::strtoul(value, nullptr, 10);
      options.seconds = 24 * 3600;
    } else {
      return std::nullopt;
    }
  }
  if (arguments.size() % 2 != 0 || options.port == 0 || options.corpus.empty()) return std::nullopt;
  return options;
}

int Main(const std::vector<std::string>& arguments) {
  const auto options = ParseOptions(arguments);
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  fmt::print("seed {}\n", options->seed);
  const std::vector<Seed> seeds = LoadSeeds(options->corpus);
  Findings findings;
  std::atomic<uint64_t> requests{0};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < options->threads; ++i) {
    threads.emplace_back([&, i] { RunThread(*options, seeds, i, requests, findings); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!IsAlive(*options)) findings.Add("the server does not answer any more");
  if (options->pid != 0) {
    const size_t peak = PeakMegabytes(options->pid);
    fmt::print("the server took {} MB at most\n", peak);
    if (peak > options->memory_mb) findings.Add(fmt::format("that is over {}", options->memory_mb));
  }
  const AnswerCheck::Counts& counts = findings.counts;
  fmt::print(
      "{} requests in {:.1f} s, {:.0f} per second; {} answers: {} of 2xx, {} of 4xx, {} of 503\n",
      requests.load(), took.count(), static_cast<double>(requests) / took.count(), counts.all,
      counts.by_class[2], counts.by_class[4], counts.unavailable);
  for (const std::string& problem : findings.problems)
    fmt::print("FAILED: {}\n", problem.substr(0, 5000));
  return findings.problems.empty() ? 0 : 1;
}

}  // namespace
}  // namespace monotable::hostile

int main(int count, char** values) {
  return monotable::hostile::Main(std::vector<std::string>(values + 1, values + count));
}
