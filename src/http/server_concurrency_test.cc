#include <atomic>
#include <map>
#include <memory>
#include <mutex>
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

using ServerConcurrencyTest = ServerFixture;

TEST_F(ServerConcurrencyTest, HandlesOneRequestOfAConnectionAtATime) {
  Start(parking_.Handler());
  TestClient client = Connect();
  // More than the server reads at once, so that input has to wait in the kernel.
  constexpr int kRequests = 40;
  const std::string filler(5000, 'x');
  std::thread sender([&] {
    for (int i = 0; i < kRequests; ++i) {
      client.Send(PostBytes(std::to_string(i) + filler));
    }
  });
  std::atomic<int> answered{0};
  for (int i = 0; i < kRequests; ++i) {
    auto [request, responder] = parking_.Take();
    ASSERT_EQ(request.body(), std::to_string(i) + filler);
    ASSERT_EQ(answered++, i);
    responder.Send(Text(std::to_string(i)));
    ASSERT_EQ(client.Receive()->body, std::to_string(i));
  }
  sender.join();
}

TEST_F(ServerConcurrencyTest, SpreadsConnectionsEvenly) {
  struct Counts {
    std::mutex mutex;
    std::map<std::thread::id, int> by_thread;  // guarded by mutex
  };
  const auto counts = std::make_shared<Counts>();
  ServerOptions options;
  options.threads = 4;
  Start(
      [counts](const Request& request, const Responder& responder) {
        {
          const std::lock_guard lock(counts->mutex);
          ++counts->by_thread[std::this_thread::get_id()];
        }
        Echo(request, responder);
      },
      options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 32; ++i) {
    clients.push_back(Connect());
    ASSERT_EQ(clients.back().Post("x")->status, 200);
  }
  const std::lock_guard lock(counts->mutex);
  ASSERT_EQ(counts->by_thread.size(), 4u);
  for (const auto& [thread, count] : counts->by_thread) EXPECT_EQ(count, 8);
}

TEST_F(ServerConcurrencyTest, ServesManyConnectionsAtOnce) {
  Start(Echo);
  std::vector<TestClient> clients;
  for (int i = 0; i < 400; ++i) clients.push_back(Connect());
  for (int round = 0; round < 5; ++round) {
    for (size_t i = 0; i < clients.size(); ++i) {
      ASSERT_TRUE(clients[i].Send(PostBytes(std::to_string(i))));
    }
    for (size_t i = 0; i < clients.size(); ++i) {
      ASSERT_EQ(clients[i].Receive()->body, std::to_string(i));
    }
  }
}

TEST_F(ServerConcurrencyTest, TakesAnswersOfOtherThreads) {
  Start(parking_.Handler());
  constexpr int kClients = 20;
  constexpr int kRequests = 200;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 3; ++worker) {
    threads.emplace_back([&] {
      while (true) {
        auto [request, responder] = parking_.Take();
        if (request.body() == "stop") return responder.Send(Text("stopped"));
        Echo(request, responder);
      }
    });
  }
  std::vector<std::thread> callers;
  for (int i = 0; i < kClients; ++i) {
    callers.emplace_back([&, i] {
      TestClient client = Connect();
      for (int j = 0; j < kRequests; ++j) {
        const auto body = fmt::format("{}-{}", i, j);
        const auto answer = client.Post(body);
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->body, body);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  for (size_t i = 0; i < threads.size(); ++i) EXPECT_EQ(Connect().Post("stop")->body, "stopped");
  for (auto& thread : threads) thread.join();
}

// A connection may be answered from within the handler of another, as a group commit does.
TEST_F(ServerConcurrencyTest, AnswersOneConnectionFromTheHandlerOfAnother) {
  const auto waiting = std::make_shared<std::vector<std::pair<Request, Responder>>>();
  ServerOptions options;
  options.threads = 1;
  Start(
      [waiting](Request request, Responder responder) {
        waiting->emplace_back(std::move(request), std::move(responder));
        if (waiting->size() < 3) return;
        for (const auto& [parked, parked_responder] : *waiting) Echo(parked, parked_responder);
        waiting->clear();
      },
      options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(Connect());
  for (int round = 0; round < 20; ++round) {
    // The first two have sent ahead, which must not be handled within the handler of the third.
    for (TestClient& client : clients) client.Send(PostBytes("a") + PostBytes("b"));
    for (TestClient& client : clients) {
      ASSERT_EQ(client.Receive()->body, "a");
      ASSERT_EQ(client.Receive()->body, "b");
    }
  }
}

// A client that sends a thousand requests ahead has one handled for each of another client.
TEST_F(ServerConcurrencyTest, AClientThatSendsAheadDoesNotHoldUpOthers) {
  std::atomic<bool> other_has_sent{false};
  std::atomic<int> ahead{0};
  ServerOptions options;
  options.threads = 1;
  Start(
      [&](const Request& request, const Responder& responder) {
        // The first request waits until the other client's is there.
        if (request.body() == "a" && ahead++ == 0) {
          while (!other_has_sent) std::this_thread::yield();
        }
        responder.Send(Text(request.body() == "a" ? "a" : std::to_string(ahead)));
      },
      options);
  TestClient other = Connect();
  ASSERT_EQ(other.Post("b")->body, "0");
  TestClient client = Connect();
  constexpr int kRequests = 1000;
  std::string bytes;
  for (int i = 0; i < kRequests; ++i) bytes += PostBytes("a");
  client.Send(bytes);
  while (ahead == 0) std::this_thread::yield();
  other.Send(PostBytes("b"));
  other_has_sent = true;
  EXPECT_LE(std::stoi(other.Receive()->body), 10);
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(client.Receive()->body, "a");
}

TEST_F(ServerConcurrencyTest, AnswersADroppedResponderWith500) {
  Start([](const Request&, const Responder&) {});
  TestClient client = Connect();
  EXPECT_EQ(client.Post("x")->status, 500);
  EXPECT_EQ(client.Post("x")->status, 500) << "the connection stays usable";
}

TEST_F(ServerConcurrencyTest, IgnoresASecondAnswer) {
  Start([](const Request& request, const Responder& responder) {
    const Responder copy = responder;
    Echo(request, responder);
    copy.Send(Text("second"));
  });
  TestClient client = Connect();
  EXPECT_EQ(client.Post("1")->body, "1");
  EXPECT_EQ(client.Post("2")->body, "2");
}

TEST_F(ServerConcurrencyTest, MakesAnAnswerOnTheThreadThatSendsIt) {
  std::thread::id handled_on;
  std::thread::id made_on;
  std::thread other;
  Start([&](const Request& request, const Responder& responder) {
    handled_on = std::this_thread::get_id();
    other = std::thread([&made_on, responder, body = std::string(request.body())] {
      responder.SendMade([&made_on, body] {
        made_on = std::this_thread::get_id();
        return Text(body);
      });
    });
  });
  TestClient client = Connect();
  EXPECT_EQ(client.Post("1")->body, "1");
  other.join();
  EXPECT_EQ(made_on, handled_on);
}

TEST_F(ServerConcurrencyTest, SurvivesClientsThatLeaveBeforeTheAnswer) {
  Start(parking_.Handler());
  for (const bool reset : {false, true}) {
    for (int i = 0; i < 20; ++i) {
      TestClient client = Connect();
      client.Send(PostBytes("x"));
      auto [request, responder] = parking_.Take();
      client.Close(reset);
      // Another connection that may get the place of the one that left.
      TestClient other = Connect();
      other.Send(PostBytes("y"));
      auto [other_request, other_responder] = parking_.Take();
      responder.Send(Text(std::string(100'000, 'x')));
      other_responder.Send(Text("other"));
      ASSERT_EQ(other.Receive()->body, "other");
    }
  }
}

TEST_F(ServerConcurrencyTest, SurvivesClientsThatLeaveWithinARequest) {
  Start(Echo);
  const std::string bytes = PostBytes("hello");
  for (size_t i = 0; i < bytes.size(); ++i) {
    TestClient client = Connect();
    client.Send(std::string_view(bytes).substr(0, i));
    client.Close(i % 2 == 0);
  }
  EXPECT_EQ(Connect().Post("x")->body, "x");
}

}  // namespace
}  // namespace monotable::http
