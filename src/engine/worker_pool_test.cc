#include "engine/worker_pool.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace monotable::engine {
namespace {

TEST(WorkerPoolTest, RunsEverythingBeforeItGoes) {
  std::atomic<int> runs = 0;
  {
    WorkerPool pool(3, 1000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.TryPost([&runs] { ++runs; }));
  }
  EXPECT_EQ(runs, 500);
}

TEST(WorkerPoolTest, RefusesWhatDoesNotFitIntoTheQueue) {
  std::promise<void> started;
  std::promise<void> release;
  int runs = 0;
  {
    WorkerPool pool(1, 2);
    ASSERT_TRUE(pool.TryPost([&] {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    EXPECT_TRUE(pool.TryPost([&runs] { ++runs; }));
    EXPECT_TRUE(pool.TryPost([&runs] { ++runs; }));
    EXPECT_FALSE(pool.TryPost([&runs] { ++runs; }));
    release.set_value();
  }
  EXPECT_EQ(runs, 2);
}

TEST(WorkerPoolTest, RunsTasksAtTheSameTime) {
  std::promise<void> first;
  std::promise<void> second;
  WorkerPool pool(2, 10);  // goes first, and waits for the tasks
  // Each waits for the other, which takes two threads.
  ASSERT_TRUE(pool.TryPost([&] {
    first.set_value();
    second.get_future().wait();
  }));
  ASSERT_TRUE(pool.TryPost([&] {
    first.get_future().wait();
    second.set_value();
  }));
}

}  // namespace
}  // namespace monotable::engine
