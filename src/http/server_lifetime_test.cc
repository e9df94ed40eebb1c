#include <chrono>
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
