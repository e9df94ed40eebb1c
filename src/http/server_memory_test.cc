#include <chrono>
#include <string>
#include <thread>
#include <utility>
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

// Sixteen megabytes: a third for large bodies, three quarters with the work on them. A request of a
// megabyte needs about five while it is worked on.
class ServerMemoryTest : public ServerFixture {
 protected:
  ServerMemoryTest() {
    options_.max_body_bytes = 1024 * 1024;
    options_.request_memory_bytes = 16 * 1024 * 1024;
    // Longer than clients wait, so that nobody is refused only because the machine is busy.
    options_.memory_wait = std::chrono::seconds(60);
  }

  // Requests that take so much memory that no other one of their size has room.
  void FillMemory() {
    busy_.push_back(Connect());
    busy_.back().Send(PostBytes(large_));
    parked_.push_back(parking_.Take());
  }

  void AnswerAll() {
    for (const auto& [request, responder] : parked_) responder.Send(Text("done"));
    parked_.clear();
  }

  // The large request of a client that waited arrives, and the client gets the answer.
  void ExpectServed(TestClient& client) {
    auto [request, responder] = parking_.Take();
    EXPECT_EQ(request.body(), large_);
    responder.Send(Text("served"));
    EXPECT_EQ(client.Receive()->body, "served");
  }

  ServerOptions options_;
  const std::string large_ = std::string(1024 * 1024, 'x');
  std::vector<TestClient> busy_;
  std::vector<std::pair<Request, Responder>> parked_;
};

TEST_F(ServerMemoryTest, LargeRequestsWaitAndSmallOnesDoNot) {
  Start(parking_.Handler(), options_);
  FillMemory();
  TestClient third = Connect();
  std::thread sender([&] { third.Send(PostBytes(large_)); });
  // Many small ones are served, one after the other, while the large one waits.
  for (int i = 0; i < 50; ++i) {
    TestClient small = Connect();
    small.Send(PostBytes(std::string(50'000, 'y')));
    auto [request, responder] = parking_.Take();
    ASSERT_EQ(request.body().size(), 50'000u);
    responder.Send(Text("small"));
    ASSERT_EQ(small.Receive()->body, "small");
  }
  AnswerAll();
  ExpectServed(third);
  sender.join();
}

TEST_F(ServerMemoryTest, ChunkedBodiesWaitToo) {
  Start(parking_.Handler(), options_);
  FillMemory();
  TestClient third = Connect();
  const std::string chunk =
      fmt::format("{:x}\r\n{}\r\n", large_.size() / 8, large_.substr(0, large_.size() / 8));
  std::thread sender([&] {
    third.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 8; ++i) third.Send(chunk);
    third.Send("0\r\n\r\n");
  });
  std::this_thread::sleep_for(milliseconds(50));
  AnswerAll();
  ExpectServed(third);
  sender.join();
}

TEST_F(ServerMemoryTest, AnswersThoseThatWaitTooLong) {
  options_.memory_wait = milliseconds(50);
  Start(parking_.Handler(), options_);
  FillMemory();
  TestClient third = Connect();
  EXPECT_TRUE(third.Send(PostBytes(large_))) << "it must be able to send all before it reads";
  const auto answer = third.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_THAT(answer->head, HasSubstr("Retry-After: 1\r\n"));
  AnswerAll();
}

TEST_F(ServerMemoryTest, AClientThatAsksToContinueIsToldBeforeItSends) {
  options_.memory_wait = milliseconds(50);
  Start(parking_.Handler(), options_);
  FillMemory();
  TestClient third = Connect();
  third.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(third.Receive()->status, 503);
  AnswerAll();
}

TEST_F(ServerMemoryTest, ThrowsAwayAnAnswerThatDoesNotFit) {
  Start(
      [](const Request& request, const Responder& responder) {
        const size_t size = request.body() == "large" ? 20'000'000 : 500'000;
        responder.Send(Text(std::string(size, 'x')));
      },
      options_);
  TestClient client = Connect();
  EXPECT_EQ(client.Post("large")->status, 503);
  EXPECT_EQ(client.Post("small")->body.size(), 500'000u) << "the connection stays usable";
}

// Answers of 6 MB, to clients that never read: their memory goes to those that wait for it.
TEST_F(ServerMemoryTest, SlowReadersLoseTheirMemoryToOthers) {
  Start(
      [](const Request& request, const Responder& responder) {
        if (!request.body().empty()) return Echo(request, responder);
        responder.Send(Text(std::string(6'000'000, 'x')));
      },
      options_);
  std::vector<TestClient> slow;
  for (int i = 0; i < 2; ++i) {
    slow.emplace_back(server_->port(), TestClient::Later{});
    slow.back().SetReceiveBuffer(4096);
    ASSERT_TRUE(slow.back().ConnectNow());
    slow.back().Send(PostBytes(""));
  }
  std::this_thread::sleep_for(milliseconds(50));
  const auto answer = Connect().Post(large_);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

// Bodies that are announced and do not come.
TEST_F(ServerMemoryTest, SlowSendersLoseTheirMemoryToOthers) {
  Start(Echo, options_);
  std::vector<TestClient> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(Connect());
    slow.back().Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\nx");
  }
  std::this_thread::sleep_for(milliseconds(50));
  const auto answer = Connect().Post(large_);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

// What is received while it waits for memory is as if it had come later.
TEST_F(ServerMemoryTest, RequestsBehindOneThatWaitsAreAnsweredInOrder) {
  Start(parking_.Handler(), options_);
  FillMemory();
  TestClient third = Connect();
  std::thread sender([&] {
    third.Send(PostBytes("1") + PostBytes(large_) + PostBytes("3") + PostBytes("4"));
    third.FinishSending();
  });
  auto [first_request, first] = parking_.Take();
  EXPECT_EQ(first_request.body(), "1");
  first.Send(Text("1"));
  EXPECT_EQ(third.Receive()->body, "1");
  std::this_thread::sleep_for(milliseconds(20));
  AnswerAll();
  for (const std::string& body : {large_, std::string("3"), std::string("4")}) {
    auto [request, responder] = parking_.Take();
    ASSERT_EQ(request.body(), body);
    responder.Send(Text(body.substr(0, 1)));
    EXPECT_EQ(third.Receive()->body, body.substr(0, 1));
  }
  EXPECT_EQ(third.ReceiveAll(), "");
  sender.join();
}

}  // namespace
}  // namespace monotable::http
