#include "controls/test_controls.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_client_for_tests.h"
#include "http/http_server.h"
#include "storage/memory/memory_store.h"

namespace monotable::controls {
namespace {

using testing::HasSubstr;

// A world that appends the body of each request to one value, on a thread of its store, and answers
// with the value. GET answers with the value as it is. A request for /slow waits until it is let
// go.
class AppendingWorld : public World, public http::Handler {
 public:
  explicit AppendingWorld(const Snapshot* beginning)
      : shift_ms_(beginning == nullptr ? 0 : beginning->clock_shift_ms),
        store_(storage::NewMemoryStore(
            {.last_sequence = beginning == nullptr ? 0 : beginning->last_sequence})) {
    if (beginning != nullptr) EXPECT_TRUE(FillStore(*beginning, *store_));
  }
  ~AppendingWorld() override { *alive_ = false; }

  http::Handler& handler() override { return *this; }
  storage::Store& store() override { return *store_; }
  int64_t clock_shift_ms() const override { return shift_ms_; }
  Result<int64_t> AdvanceClock(int64_t by_ms) override { return shift_ms_ += by_ms; }

  void Handle(http::Request request, http::Responder responder) override {
    if (request.target() == "/slow") {
      std::thread([alive = alive_, responder = std::move(responder)]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        responder.SendMade([alive] { return Text(*alive ? "alive" : "gone"); });
      }).detach();
      return;
    }
    store_->Submit(std::make_unique<Append>(std::string(request.body()), std::move(responder)));
  }

 private:
  static http::Response Text(std::string body) {
    http::Response response;
    response.body = std::move(body);
    return response;
  }

  class Append : public storage::Update {
   public:
    Append(std::string text, http::Responder responder)
        : text_(std::move(text)), responder_(std::move(responder)) {}
    std::span<const storage::NamedKey> keys() const override { return keys_; }
    void Decide(const storage::Current& current, const storage::Commit&,
                storage::Batch* batch) override {
      value_ = std::string(current.values[0].value_or("")) + text_;
      if (!text_.empty()) batch->Put(keys_[0].bytes, value_);
    }
    void Done(Status) override { responder_.Send(Text(value_)); }

   private:
    const std::vector<storage::NamedKey> keys_ = {{"value"}};
    const std::string text_;
    const http::Responder responder_;
    std::string value_;
  };

  std::atomic<int64_t> shift_ms_;
  std::shared_ptr<std::atomic<bool>> alive_ = std::make_shared<std::atomic<bool>>(true);
  std::unique_ptr<storage::Store> store_;
};

class TestControlsTest : public testing::Test {
 protected:
  TestControlsTest() {
    auto controls =
        TestControls::Start([this](const Snapshot* beginning) -> Result<std::unique_ptr<World>> {
          if (refuse_) return Error::Internal("no more worlds");
          return std::unique_ptr<World>(std::make_unique<AppendingWorld>(beginning));
        });
    EXPECT_TRUE(controls);
    controls_ = std::move(controls).value();
    http::ServerOptions options;
    options.port = 0;
    options.threads = 2;
    server_ = std::make_unique<http::Server>(options, *controls_);
    EXPECT_TRUE(server_->Start());
  }

  http::TestClient::Answer Send(std::string_view method, std::string_view target,
                                std::string_view body,
                                std::string_view type = "application/json") const {
    http::TestClient client(server_->port());
    client.Send(
        fmt::format("{} {} HTTP/1.1\r\nHost: x\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
                    method, target, type, body.size(), body));
    return client.Receive().value_or(http::TestClient::Answer{});
  }
  http::TestClient::Answer Control(std::string_view name, std::string_view body = "{}") const {
    return Send("POST", fmt::format("/test-controls/{}", name), body);
  }
  std::string Append(std::string_view text) const { return Send("POST", "/", text).body; }

  std::atomic<bool> refuse_ = false;
  std::unique_ptr<TestControls> controls_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(TestControlsTest, ResetBeginsAgain) {
  EXPECT_EQ(Append("a"), "a");
  EXPECT_EQ(Append("b"), "ab");
  EXPECT_EQ(Control("reset").body, "{}");
  EXPECT_EQ(Append("c"), "c");
}

TEST_F(TestControlsTest, RestoresASnapshotAnyNumberOfTimes) {
  Append("a");
  EXPECT_EQ(Control("advance", R"({"milliseconds": 1500})").body, R"({"now":1500})");
  EXPECT_EQ(Control("snapshot").body, R"({"snapshot":"1"})");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Append("b"), "ab");
    EXPECT_EQ(Control("advance", R"({"milliseconds": 500})").body, R"({"now":2000})");
    EXPECT_EQ(Control("restore", R"({"snapshot": "1"})").status, 200);
  }
  EXPECT_EQ(Control("reset").status, 200);
  EXPECT_EQ(Append(""), "");
  EXPECT_EQ(Control("snapshot").body, R"({"snapshot":"2"})");
  EXPECT_EQ(Control("restore", R"({"snapshot": "1"})").status, 200);
  EXPECT_EQ(Append(""), "a");
}

TEST_F(TestControlsTest, ForgetsASnapshot) {
  Control("snapshot");
  EXPECT_EQ(Control("forget", R"({"snapshot": "1"})").status, 200);
  const auto answer = Control("restore", R"({"snapshot": "1"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, R"({"message":"There is no snapshot '1' on this server."})");
}

TEST_F(TestControlsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(Control("explode").body, HasSubstr("There is no test control 'explode'"));
  EXPECT_EQ(Send("GET", "/test-controls/reset", "").status, 405);
  EXPECT_EQ(Send("POST", "/test-controls/reset", "{}", "text/plain").status, 415);
  for (const char* body : {"", "[]", "{"}) EXPECT_EQ(Control("reset", body).status, 400) << body;
  for (const char* body : {"{}", R"({"milliseconds": -1})", R"({"milliseconds": "1"})",
                           R"({"milliseconds": 1e300})"}) {
    EXPECT_EQ(Control("advance", body).status, 400) << body;
  }
  EXPECT_EQ(Control("restore").status, 400);
}

TEST_F(TestControlsTest, KeepsTheWorldIfTheNextOneCannotBeOpened) {
  Append("a");
  refuse_ = true;
  const auto answer = Control("reset");
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("no more worlds"));
  EXPECT_EQ(Append("b"), "ab");
}

TEST_F(TestControlsTest, FinishesRequestsInFlightBeforeTheWorldEnds) {
  http::TestClient slow(server_->port());
  slow.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(Control("reset").status, 200);
  const auto answer = slow.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "alive");
}

TEST_F(TestControlsTest, IsSafeWhileOthersWrite) {
  std::atomic<bool> stop = false;
  std::atomic<int> answered = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      http::TestClient client(server_->port());
      while (!stop) {
        const auto answer = client.Post("x");
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 200);
        ++answered;
      }
    });
  }
  Control("snapshot");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Control("restore", R"({"snapshot": "1"})").status, 200);
    EXPECT_EQ(Control("snapshot").status, 200);
    EXPECT_EQ(Control("reset").status, 200);
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(answered, 0);
  Control("reset");
  EXPECT_EQ(Append("end"), "end");
}

}  // namespace
}  // namespace monotable::controls
