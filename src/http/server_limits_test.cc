#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "http/file_descriptor.h"
#include "http/http_server.h"
#include "http/server_fixture.h"

namespace monotable::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using ServerLimitsTest = ServerFixture;

TEST_F(ServerLimitsTest, RefusesLargeHeads) {
  ServerOptions options;
  options.max_header_bytes = 1000;
  Start(Echo, options);
  TestClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(100'000, 'x'));
  EXPECT_THAT(client.ReceiveAll(), HasSubstr("HTTP/1.1 431 "));
}

TEST_F(ServerLimitsTest, RefusesLargeBodiesBeforeTheyCome) {
  ServerOptions options;
  options.max_body_bytes = 1'000'000;
  Start(Echo, options);
  EXPECT_EQ(Connect().Post(std::string(1'000'000, 'x'))->body.size(), 1'000'000u);
  TestClient client = Connect();
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000001\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 413);
  // A client that sends everything first sees the answer too, not a reset.
  TestClient eager = Connect();
  EXPECT_EQ(eager.Post(std::string(1'000'001, 'x'))->status, 413);
}

TEST_F(ServerLimitsTest, RefusesLargeBodiesInsteadOfContinuing) {
  Start(Echo);
  TestClient client = Connect();
  client.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 413);
}

// A client that sends everything before it reads sees the answer, not a broken connection.
TEST_F(ServerLimitsTest, ReadsOnAfterAnEarlyAnswer) {
  ServerOptions options;
  options.max_body_bytes = 1'000'000;
  Start(Echo, options);
  TestClient client = Connect();
  EXPECT_TRUE(client.Send(PostBytes(std::string(20'000'000, 'x'))));
  EXPECT_EQ(client.Receive()->status, 413);
}

TEST_F(ServerLimitsTest, IdleConnectionsMakeRoom) {
  ServerOptions options;
  options.max_connections = 3;
  Start(Echo, options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect());
    ASSERT_EQ(clients.back().Post("x")->status, 200);
  }
  // Whatever number of clients come and stay, each is served.
  for (int i = 0; i < 20; ++i) {
    clients.push_back(Connect());
    const auto answer = clients.back().Post("x");
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->status, 200);
  }
  EXPECT_EQ(clients[0].ReceiveAll(), "");
}

// A flood of silent clients does not push out those that have asked before.
TEST_F(ServerLimitsTest, SilentConnectionsMakeRoomFirst) {
  ServerOptions options;
  options.max_connections = 20;
  Start(Echo, options);
  TestClient client = Connect();
  ASSERT_EQ(client.Post("x")->status, 200);
  std::vector<TestClient> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(Connect());
  // A loop may still have clients to take that came before this one, and then takes them for newer.
  std::optional<TestClient::Answer> newcomer;
  for (int i = 0; i < 20 && !newcomer; ++i) newcomer = Connect().Post("x");
  ASSERT_TRUE(newcomer);
  EXPECT_EQ(newcomer->status, 200);
  const auto answer = client.Post("x");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

// Who sends a part of a head and waits is as idle as who sends nothing.
TEST_F(ServerLimitsTest, SlowHeadsMakeRoom) {
  ServerOptions options;
  options.max_connections = 3;
  options.threads = 1;
  Start(Echo, options);
  std::vector<TestClient> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(Connect());
    slow.back().Send("POST / HTTP/1.1\r\nHost");
  }
  std::optional<TestClient::Answer> answer;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!(answer && answer->status == 200) && std::chrono::steady_clock::now() < limit) {
    answer = Connect().Post("x");
    std::this_thread::sleep_for(milliseconds(20));
  }
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ServerLimitsTest, RefusesConnectionsIfAllAreBusy) {
  ServerOptions options;
  options.max_connections = 3;
  Start(parking_.Handler(), options);
  std::vector<TestClient> clients;
  std::vector<std::pair<Request, Responder>> parked;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect());
    clients.back().Send(PostBytes("x"));
    parked.push_back(parking_.Take());
  }
  TestClient extra = Connect();
  const std::string all = extra.ReceiveAll();
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(all, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(all, HasSubstr("Retry-After: 1\r\n"));
  extra.Close();
  for (const auto& [request, responder] : parked) responder.Send(Text("ok"));
  for (TestClient& client : clients) EXPECT_EQ(client.Receive()->status, 200);
}

// Lowers the limit of the process so far that it can open nothing more.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    // Fills what is free between the others; what comes last is above all.
    for (int i = 0; i < 200; ++i) fillers_.emplace_back(dup(0));
    rlimit lower = before_;
    lower.rlim_cur = static_cast<rlim_t>(fillers_.back().get()) + 1;
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<FileDescriptor> fillers_;
};

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_F(ServerLimitsTest, GoesOnWithoutDescriptors) {
  Start(parking_.Handler());
  TestClient busy = Connect();
  busy.Send(PostBytes("1"));
  auto [request, responder] = parking_.Take();
  TestClient waiting(server_->port(), TestClient::Later{});
  {
    const NoMoreDescriptors none;
    // The kernel has the connection, and the server cannot have it: nobody else is idle.
    ASSERT_TRUE(waiting.ConnectNow());
    waiting.Send(PostBytes("2"));
    const double before = CpuSeconds();
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_LT(CpuSeconds() - before, 0.15) << "the server must not try all the time";
    responder.Send(Text("1"));
    EXPECT_EQ(busy.Receive()->body, "1");
    // Now another is idle, and makes room.
    auto [second_request, second] = parking_.Take();
    second.Send(Text("2"));
    EXPECT_EQ(waiting.Receive()->body, "2");
  }
}

// Only what a test waits for is short. A client of a busy machine may take longer than that between
// two steps, and no other deadline may end its connection then.
constexpr milliseconds kSoon{50};

TEST_F(ServerLimitsTest, ClosesIdleConnections) {
  ServerOptions options;
  options.idle_timeout = kSoon;
  Start(Echo, options);
  TestClient silent = Connect();
  EXPECT_EQ(silent.ReceiveAll(), "");
  // A client may be too late with its request.
  TestClient client = Connect();
  std::optional<TestClient::Answer> answer = client.Post("x");
  for (int i = 0; i < 100 && !answer; ++i) {
    client = Connect();
    answer = client.Post("x");
  }
  ASSERT_TRUE(answer);
  EXPECT_EQ(client.ReceiveAll(), "");
}

ServerOptions ImpatientWithRequests() {
  ServerOptions options;
  options.header_timeout = options.body_timeout = kSoon;
  return options;
}

TEST_F(ServerLimitsTest, TellsSlowClients) {
  Start(Echo, ImpatientWithRequests());
  TestClient head = Connect();
  head.Send("POST / HTTP/1.1\r\nHost");
  EXPECT_THAT(head.ReceiveAll(), HasSubstr("408 Request Timeout"));
  TestClient body = Connect();
  body.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhi");
  EXPECT_THAT(body.ReceiveAll(), HasSubstr("The body of the request took too long."));
}

// A byte now and then does not extend the time: the answer comes while bytes are sent.
TEST_F(ServerLimitsTest, TellsClientsThatTrickle) {
  Start(Echo, ImpatientWithRequests());
  for (const std::string_view begin :
       {"POST / HTTP/1.1\r\nHost: h\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n"}) {
    TestClient client = Connect();
    client.Send(begin);
    for (int i = 0; i < 1000 && !client.HasInput(milliseconds(10)); ++i) client.Send("x");
    ASSERT_TRUE(client.HasInput(milliseconds(0)));
    EXPECT_THAT(client.Receive()->head, HasSubstr("408 Request Timeout"));
  }
}

TEST_F(ServerLimitsTest, DropsClientsThatDoNotRead) {
  ServerOptions options;
  options.write_timeout = kSoon;
  Start([](const Request&,
           const Responder& responder) { responder.Send(Text(std::string(64'000'000, 'x'))); },
        options);
  TestClient client = Connect();
  client.SetReceiveBuffer(4096);
  client.Send(PostBytes("x"));
  // The server resets the connection while most of the answer is still on its side. Sending is the
  // one way to see that without reading.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (client.Send("x") && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_LT(std::chrono::steady_clock::now(), limit);
}

TEST_F(ServerLimitsTest, TimeSpentInTheHandlerDoesNotCount) {
  ServerOptions options = ImpatientWithRequests();
  options.write_timeout = kSoon;
  Start(parking_.Handler(), options);
  TestClient waiting = Connect();
  waiting.Send(PostBytes("x"));
  auto [request, responder] = parking_.Take();
  // A client that came later has been told by now that it is slow.
  TestClient slow = Connect();
  slow.Send("POST / HTTP/1.1\r\nHost");
  EXPECT_THAT(slow.ReceiveAll(), HasSubstr("408 Request Timeout"));
  responder.Send(Text("late"));
  EXPECT_EQ(waiting.Receive()->body, "late");
}

}  // namespace
}  // namespace monotable::http
