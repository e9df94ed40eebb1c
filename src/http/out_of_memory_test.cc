// Memory that runs out at any allocation of an I/O thread fails a request, never the server.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "http/http_server.h"
#include "http/server_fixture.h"

namespace monotable::http {
namespace {

// The thread whose allocations fail, how many succeed before, and how many fail then.
std::atomic<std::thread::id> poor_thread;
std::atomic<int> allocations_left{0};
std::atomic<int> failures_left{0};
std::atomic<int> failures{0};

[[maybe_unused]] bool MustFail() {
  if (failures_left == 0 || poor_thread.load() != std::this_thread::get_id()) return false;
  if (allocations_left-- > 0) return false;
  if (failures_left-- <= 0) {
    failures_left = 0;
    return false;
  }
  ++failures;
  return true;
}

}  // namespace
}  // namespace monotable::http

// Every allocation of this test program comes here, except under a sanitizer, which has operators
// of its own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MONOTABLE_OWN_OPERATORS 0
#endif
#endif
#ifndef MONOTABLE_OWN_OPERATORS
#define MONOTABLE_OWN_OPERATORS 1
void* operator new(size_t size) {
  if (monotable::http::MustFail()) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
#endif

namespace monotable::http {
namespace {

class OutOfMemoryTest : public ServerFixture {
 protected:
  // Starts a server with one loop and notes its thread.
  void StartPoor(TestHandler::Function function, ServerOptions options = {}) {
    options.threads = 1;
    Start(
        [function](Request request, Responder responder) {
          poor_thread = std::this_thread::get_id();
          function(std::move(request), std::move(responder));
        },
        options);
    ASSERT_EQ(Connect().Post("x")->status, 200);
  }

  void Fail(int after, int times) {
    failures = 0;
    allocations_left = after;
    failures_left = times;
  }
};

// Each allocation of a whole exchange fails in turn, alone and with all that follow in it.
TEST_F(OutOfMemoryTest, AnyAllocationFailsOneRequest) {
  if (MONOTABLE_OWN_OPERATORS == 0) GTEST_SKIP() << "a sanitizer allocates here";
  StartPoor([](const Request& request, const Responder& responder) {
    const std::string work(request.body());
    if (work.size() % 2 == 0) return responder.Send(Text(work + work));
    responder.SendMade([work] { return Text(work + work); });
  });
  for (const size_t size : {100u, 101u, 100'000u}) {
    for (const int times : {1, 1000}) {
      int after = 0;
      do {
        Fail(after, times);
        {
          TestClient client = Connect();
          client.Send(PostBytes(std::string(size, 'x')));
          const auto answer = client.Receive();
          if (answer) {
            EXPECT_TRUE(answer->status == 200 || answer->status == 500 || answer->status == 503)
                << answer->status;
          }
        }
        failures_left = 0;
        const auto next = Connect().Post("next");
        ASSERT_TRUE(next) << "after " << after << " allocations";
        ASSERT_EQ(next->status, 200);
      } while (failures > 0 && ++after < 500);
      EXPECT_GT(after, 10);
      EXPECT_LT(after, 500);
    }
  }
}

TEST_F(OutOfMemoryTest, AHandlerThatThrowsFailsItsRequest) {
  StartPoor([](const Request& request, const Responder& responder) {
    if (request.body() == "throw") throw std::bad_alloc();
    if (request.body() == "make") {
      return responder.SendMade([]() -> Response { throw std::bad_alloc(); });
    }
    Echo(request, responder);
  });
  TestClient client = Connect();
  EXPECT_EQ(client.Post("throw")->status, 500);
  EXPECT_EQ(client.Post("fine")->status, 200) << "the connection stays usable";
  EXPECT_EQ(client.Post("make")->status, 500);
  EXPECT_EQ(Connect().Post("fine")->status, 200);
}

}  // namespace
}  // namespace monotable::http
