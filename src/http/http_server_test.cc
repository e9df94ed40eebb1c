#include "http/http_server.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server_fixture.h"

namespace monotable::http {
namespace {

using testing::HasSubstr;

using ServerTest = ServerFixture;

TEST_F(ServerTest, AnswersOverAndOverOnOneConnection) {
  Start(Echo);
  TestClient client = Connect();
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.Post(fmt::format("body {}", i));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, fmt::format("body {}", i));
    EXPECT_THAT(answer->head, HasSubstr("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_THAT(answer->head, HasSubstr(" GMT\r\nContent-Type: text/plain\r\n"));
    EXPECT_THAT(answer->head, testing::Not(HasSubstr("Connection:")));
  }
}

TEST_F(ServerTest, SendsTheGivenHeaders) {
  Start([](const Request&, const Responder& responder) {
    Response response = Text("x");
    response.status = 404;
    response.headers.emplace_back("x-amzn-RequestId", "ID");
    responder.Send(std::move(response));
  });
  const auto answer = Connect().Post("");
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->head, HasSubstr("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(answer->head, HasSubstr("Content-Length: 1\r\nx-amzn-RequestId: ID\r\n\r\n"));
}

TEST_F(ServerTest, ReadsRequestsByteByByte) {
  Start(Echo);
  TestClient client = Connect();
  for (const char c : PostBytes("hello")) ASSERT_TRUE(client.Send({&c, 1}));
  EXPECT_EQ(client.Receive()->body, "hello");
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  Start(Echo);
  TestClient client = Connect();
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += PostBytes(std::to_string(i));
  ASSERT_TRUE(client.Send(bytes));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.Receive()->body, std::to_string(i));
}

TEST_F(ServerTest, ReadsChunkedBodies) {
  Start(Echo);
  TestClient client = Connect();
  client.Send("POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel");
  client.Send("lo\r\n6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive()->body, "hello world");
  EXPECT_EQ(client.Post("next")->body, "next");
}

TEST_F(ServerTest, LetsClientsContinue) {
  Start(Echo);
  TestClient client = Connect();
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Receive()->head, "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("hi");
  EXPECT_EQ(client.Receive()->body, "hi");
}

TEST_F(ServerTest, ClosesWhenAsked) {
  Start(Echo);
  for (const std::string_view request :
       {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    TestClient client = Connect();
    client.Send(request);
    EXPECT_THAT(client.ReceiveAll(), HasSubstr("Connection: close\r\n"));
  }
}

TEST_F(ServerTest, KeepsOldClientsThatAskForIt) {
  Start(Echo);
  TestClient client = Connect();
  for (int i = 0; i < 2; ++i) {
    client.Send("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx");
    const auto answer = client.Receive();
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->head, HasSubstr("Connection: keep-alive\r\n"));
  }
}

TEST_F(ServerTest, ClosesWhenTheHandlerSaysSo) {
  Start([](const Request&, const Responder& responder) {
    Response response = Text("bye");
    response.close = true;
    responder.Send(std::move(response));
  });
  TestClient client = Connect();
  client.Send(PostBytes("1") + PostBytes("2"));
  EXPECT_THAT(client.ReceiveAll(), HasSubstr("Connection: close\r\n\r\nbye"));
}

TEST_F(ServerTest, AnswersHeadWithoutABody) {
  Start([](const Request&, const Responder& responder) { responder.Send(Text("body")); });
  TestClient client = Connect();
  client.Send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.Receive(false)->head, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_EQ(client.Post("")->body, "body");
}

TEST_F(ServerTest, AnswersAClientThatFinishedSending) {
  Start(parking_.Handler());
  TestClient client = Connect();
  client.Send(PostBytes("x"));
  client.FinishSending();
  auto [request, responder] = parking_.Take();
  responder.Send(Text("still here"));
  EXPECT_THAT(client.ReceiveAll(), HasSubstr("still here"));
}

TEST_F(ServerTest, RefusesMalformedRequestsAndCloses) {
  Start(Echo);
  TestClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost : h\r\n\r\n" + PostBytes("never answered"));
  const std::string all = client.ReceiveAll();
  EXPECT_THAT(all, HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(all, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\nA header name is malformed.\n"));
}

TEST_F(ServerTest, LetsTheHandlerShapeItsOwnErrors) {
  class JsonHandler : public Handler {
    void Handle(Request, Responder) override {}
    Response HandleProtocolError(int status, std::string_view reason, std::string_view) override {
      Response response;
      response.status = status;
      response.content_type = "application/json";
      response.body = fmt::format("{{\"message\":\"{}\"}}", reason);
      return response;
    }
  } handler;
  ServerOptions options;
  options.port = 0;
  options.threads = 1;
  Server server(options, handler);
  ASSERT_TRUE(server.Start().has_value());
  TestClient client(server.port());
  EXPECT_EQ(client.Post("x")->body, R"({"message":"The request was not answered."})");
  client.Send("nonsense\r\n\r\n");
  EXPECT_EQ(client.Receive()->body, R"({"message":"The request line is malformed."})");
}

TEST_F(ServerTest, SendsLargeAnswersToSlowReaders) {
  // Each part differs from the others: the server gives back what it has sent.
  std::string large;
  for (int i = 0; large.size() < 8'000'000; ++i) large += std::to_string(i);
  Start([&large](const Request&, const Responder& responder) { responder.Send(Text(large)); });
  TestClient client = Connect();
  client.SetReceiveBuffer(256 * 1024);
  client.Send(PostBytes("1") + PostBytes("2"));
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Receive();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body == large);
  }
}

}  // namespace
}  // namespace monotable::http
