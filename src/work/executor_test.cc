#include "work/executor.h"

#include <atomic>
#include <future>
#include <string>

#include <gtest/gtest.h>

namespace monotable::work {
namespace {

TEST(ExecutorTest, RunsEverythingBeforeItGoes) {
  std::atomic<int> runs = 0;
  {
    Executor executor({.threads = 3, .max_queued = 1000});
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(executor.Post([&runs] { ++runs; }));
  }
  EXPECT_EQ(runs, 500);
}

TEST(ExecutorTest, RefusesWhatDoesNotFitIntoTheQueue) {
  std::promise<void> started;
  std::promise<void> release;
  int runs = 0;
  {
    Executor executor({.threads = 1, .max_queued = 2});
    ASSERT_TRUE(executor.Post([&] {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    EXPECT_TRUE(executor.Post([&runs] { ++runs; }));
    EXPECT_TRUE(executor.Post([&runs] { ++runs; }));
    const Status refused = executor.Post([&runs] { ++runs; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kThrottling);
    release.set_value();
  }
  EXPECT_EQ(runs, 2);
}

TEST(ExecutorTest, RunsTasksAtTheSameTime) {
  std::promise<void> first;
  std::promise<void> second;
  Executor executor({.threads = 2, .max_queued = 10});  // goes first, and waits for the tasks
  // Each waits for the other, which takes two threads.
  ASSERT_TRUE(executor.Post([&] {
    first.set_value();
    second.get_future().wait();
  }));
  ASSERT_TRUE(executor.Post([&] {
    first.get_future().wait();
    second.set_value();
  }));
}

TEST(ExecutorTest, ContinuationsRunWhileEveryThreadIsBusyAndTheQueueIsFull) {
  std::promise<void> started;
  std::promise<void> release;
  Executor executor({.threads = 1, .continuation_threads = 1, .max_queued = 0});
  // A queue of no length takes nothing new, so the busy thread is a continuation as well.
  executor.Continue([&] {
    started.set_value();
    release.get_future().wait();
  });
  started.get_future().wait();
  EXPECT_FALSE(executor.Post([] {}));
  std::promise<void> ran;
  executor.Continue([&ran] { ran.set_value(); });
  ran.get_future().wait();
  release.set_value();
}

TEST(ExecutorTest, ContinuationsHaveThreadsOfTheirOwn) {
  std::promise<void> started;
  std::promise<void> continued;
  Executor executor({.threads = 1, .continuation_threads = 1, .max_queued = 10});
  // The only thread for new work is released by a continuation, which must not wait for it.
  ASSERT_TRUE(executor.Post([&] {
    started.set_value();
    continued.get_future().wait();
  }));
  started.get_future().wait();
  executor.Continue([&continued] { continued.set_value(); });
}

TEST(ExecutorTest, ContinuationsGoBeforeNewWork) {
  std::promise<void> started;
  std::promise<void> release;
  std::string order;
  {
    Executor executor({.threads = 1, .continuation_threads = 0, .max_queued = 10});
    ASSERT_TRUE(executor.Post([&] {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    ASSERT_TRUE(executor.Post([&order] { order += "new "; }));
    executor.Continue([&order] { order += "continued "; });
    release.set_value();
  }
  EXPECT_EQ(order, "continued new ");
}

TEST(ExecutorTest, DrainWaitsForNewWorkAndLetsItContinue) {
  std::atomic<int> runs = 0;
  std::promise<void> continued;
  Executor executor({.threads = 2, .max_queued = 1000});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(executor.Post([&runs] { ++runs; }));
  executor.Drain();
  EXPECT_EQ(runs, 100);
  EXPECT_FALSE(executor.Post([&runs] { ++runs; }));
  executor.Continue([&continued] { continued.set_value(); });
  continued.get_future().wait();
}

TEST(ExecutorTest, StopRunsWhatIsQueuedAndTakesNothingMore) {
  std::atomic<int> runs = 0;
  Executor executor({.threads = 1, .max_queued = 1000});
  for (int i = 0; i < 100; ++i) {
    // Each task continues, also while the executor stops.
    ASSERT_TRUE(executor.Post([&] { executor.Continue([&runs] { ++runs; }); }));
  }
  executor.Stop();
  EXPECT_EQ(runs, 100);
  EXPECT_FALSE(executor.Post([&runs] { ++runs; }));
  executor.Stop();
  EXPECT_EQ(runs, 100);
}

}  // namespace
}  // namespace monotable::work
