#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(ServerLimitsTest, LimitsTheBytesOfAllBodies) {
  ServerOptions options;
  options.max_buffered_bytes = 1'500'000;
  Start(parking_.Handler(), options);
  const std::string body(1'000'000, 'x');
  TestClient first = Connect();
  first.Send(PostBytes(body));
  std::optional parked(parking_.Take());
  // The first body counts as long as its request lives.
  EXPECT_EQ(Connect().Post(body)->status, 503);
  // Small ones are always served.
  TestClient small = Connect();
  small.Send(PostBytes("small"));
  parking_.Take().second.Send(Text("ok"));
  EXPECT_EQ(small.Receive()->status, 200);

  parked->second.Send(Text("ok"));
  parked.reset();
  EXPECT_EQ(first.Receive()->status, 200);
  TestClient second = Connect();
  second.Send(PostBytes(body));
  parking_.Take().second.Send(Text("ok"));
  EXPECT_EQ(second.Receive()->status, 200);
}

TEST_F(ServerLimitsTest, LimitsConnections) {
  ServerOptions options;
  options.max_connections = 3;
  Start(Echo, options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect());
    ASSERT_EQ(clients.back().Post("x")->status, 200);
  }
  TestClient extra = Connect();
  const std::string all = extra.ReceiveAll();
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(all, HasSubstr("Connection: close\r\n"));
  extra.Close();
  clients.pop_back();
  // The server notices that there is room again as soon as it has read the closes.
  std::optional<TestClient::Answer> answer;
  for (int i = 0; i < 1000 && !(answer && answer->status == 200); ++i) {
    answer = Connect().Post("x");
  }
  EXPECT_EQ(answer->status, 200);
}

ServerOptions Impatient() {
  ServerOptions options;
  options.idle_timeout = options.header_timeout = options.body_timeout = options.write_timeout =
      milliseconds(50);
  return options;
}

TEST_F(ServerLimitsTest, ClosesIdleConnections) {
  Start(Echo, Impatient());
  TestClient silent = Connect();
  EXPECT_EQ(silent.ReceiveAll(), "");
  TestClient client = Connect();
  ASSERT_EQ(client.Post("x")->status, 200);
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST_F(ServerLimitsTest, TellsSlowClients) {
  Start(Echo, Impatient());
  TestClient head = Connect();
  head.Send("POST / HTTP/1.1\r\nHost");
  EXPECT_THAT(head.ReceiveAll(), HasSubstr("408 Request Timeout"));
  TestClient body = Connect();
  body.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhi");
  EXPECT_THAT(body.ReceiveAll(), HasSubstr("The body of the request took too long."));
}

TEST_F(ServerLimitsTest, DropsClientsThatDoNotRead) {
  Start([](const Request&,
           const Responder& responder) { responder.Send(Text(std::string(64'000'000, 'x'))); },
        Impatient());
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
  Start(parking_.Handler(), Impatient());
  TestClient waiting = Connect();
  waiting.Send(PostBytes("x"));
  auto [request, responder] = parking_.Take();
  // A connection that came later has been closed for being idle by now.
  EXPECT_EQ(Connect().ReceiveAll(), "");
  responder.Send(Text("late"));
  EXPECT_EQ(waiting.Receive()->body, "late");
}

}  // namespace
}  // namespace monotable::http
