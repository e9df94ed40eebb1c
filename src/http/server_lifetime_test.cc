#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_server.h"
#include "http/server_fixture.h"

namespace monotable::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using ServerLifetimeTest = ServerFixture;

TEST_F(ServerLifetimeTest, DrainAnswersRequestsInFlight) {
  Start(parking_.Handler());
  TestClient idle = Connect();
  TestClient busy = Connect();
  busy.Send(PostBytes("x"));
  auto [request, responder] = parking_.Take();
  const uint16_t port = server_->port();
  std::thread drain([this] { server_->Drain(std::chrono::seconds(10)); });
  EXPECT_EQ(idle.ReceiveAll(), "");
  while (TestClient(port).connected()) std::this_thread::yield();
  responder.Send(Text("done"));
  const auto answer = busy.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "done");
  EXPECT_THAT(answer->head, HasSubstr("Connection: close\r\n"));
  busy.Close();
  drain.join();
}

TEST_F(ServerLifetimeTest, DrainGivesUpAtItsLimit) {
  Start(parking_.Handler());
  TestClient client = Connect();
  client.Send(PostBytes("x"));
  auto [request, responder] = parking_.Take();
  server_->Drain(milliseconds(20));
  EXPECT_EQ(client.ReceiveAll(), "");
  server_.reset();
  responder.Send(Text("nobody waits for this"));
}

// Waits until the work for a request may stop; false if that takes too long.
bool BecomesAbandoned(const Responder& responder) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!responder.abandoned()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_F(ServerLifetimeTest, TellsTheWorkWhenTheClientIsGone) {
  Start(parking_.Handler());
  TestClient staying = Connect();
  staying.Send(PostBytes("x"));
  auto [kept_request, kept] = parking_.Take();
  for (const bool reset : {false, true}) {
    TestClient client = Connect();
    client.Send(PostBytes("x"));
    auto [request, responder] = parking_.Take();
    EXPECT_FALSE(responder.abandoned());
    client.Close(reset);
    EXPECT_TRUE(BecomesAbandoned(responder)) << "reset: " << reset;
  }
  EXPECT_FALSE(kept.abandoned());
}

// Requests that were sent ahead wait in the kernel, and the end of the client waits behind them.
TEST_F(ServerLifetimeTest, TellsTheWorkWhenAClientIsGoneThatSentAhead) {
  Start(parking_.Handler());
  for (const size_t ahead : {size_t{1}, size_t{50'000}}) {
    TestClient client = Connect();
    client.Send(PostBytes("x"));
    auto [request, responder] = parking_.Take();
    client.Send(PostBytes(std::string(ahead, 'y')));
    EXPECT_FALSE(responder.abandoned());
    client.Close();
    EXPECT_TRUE(BecomesAbandoned(responder)) << ahead;
  }
}

TEST_F(ServerLifetimeTest, AnswersAClientThatFinishedSendingEveryRequest) {
  Start(parking_.Handler());
  TestClient client = Connect();
  client.Send(PostBytes("1") + PostBytes("2"));
  client.FinishSending();
  for (const std::string_view name : {"first", "second"}) {
    auto [request, responder] = parking_.Take();
    EXPECT_TRUE(BecomesAbandoned(responder));
    responder.Send(Text(std::string(name)));
  }
  EXPECT_EQ(client.Receive()->body, "first");
  EXPECT_EQ(client.Receive()->body, "second");
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST_F(ServerLifetimeTest, TellsTheWorkWhenDrainingGivesUp) {
  Start(parking_.Handler());
  TestClient client = Connect();
  client.Send(PostBytes("x"));
  auto [request, responder] = parking_.Take();
  server_->Drain(milliseconds(20));
  EXPECT_TRUE(responder.abandoned());
}

// The loop cannot close connections while a handler holds its thread.
TEST_F(ServerLifetimeTest, TellsAHandlerThatHoldsTheLoopWhenDrainingGivesUp) {
  std::promise<void> entered;
  Start([&entered](const Request&, const Responder& responder) {
    entered.set_value();
    if (BecomesAbandoned(responder)) responder.Send(Text("stopped"));
  });
  TestClient client = Connect();
  client.Send(PostBytes("x"));
  entered.get_future().wait();
  const auto before = std::chrono::steady_clock::now();
  server_->Drain(milliseconds(20));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(9));
}

TEST_F(ServerLifetimeTest, DrainOfAnIdleServerIsImmediate) {
  Start(Echo);
  TestClient client = Connect();
  ASSERT_EQ(client.Post("x")->status, 200);
  const auto before = std::chrono::steady_clock::now();
  server_->Drain(std::chrono::seconds(60));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
  server_->Drain(std::chrono::seconds(60));
}

TEST_F(ServerLifetimeTest, ListensOnBothLoopbackAddresses) {
  Start(Echo);
  TestClient client(server_->port(), "::1");
  if (!client.connected()) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(client.Post("x")->body, "x");
}

TEST_F(ServerLifetimeTest, SaysThatAPortIsInUse) {
  Start(Echo);
  ServerOptions options;
  options.port = server_->port();
  Server second(options, *handler_);
  const Status status = second.Start();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message(),
            fmt::format("Port {} of 127.0.0.1 is in use. Stop the program that listens there or "
                        "choose another port with --port.",
                        options.port));
}

TEST_F(ServerLifetimeTest, SaysThatAHostIsNotHere) {
  ServerOptions options;
  options.port = 0;
  TestHandler handler(Echo);
  options.host = "192.0.2.1";
  const Status foreign = Server(options, handler).Start();
  ASSERT_FALSE(foreign.has_value());
  EXPECT_THAT(foreign.error().message(), HasSubstr("this machine has no such address"));
  options.host = "300.300.300.300";
  const Status invalid = Server(options, handler).Start();
  ASSERT_FALSE(invalid.has_value());
  EXPECT_THAT(invalid.error().message(), HasSubstr("Cannot listen on host '300.300.300.300'"));
}

}  // namespace
}  // namespace monotable::http
