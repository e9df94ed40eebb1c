#include "work/executor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "work/meter.h"

namespace monotable::work {
namespace {

TEST(ExecutorTest, RunsEverythingBeforeItGoes) {
  std::atomic<int> runs = 0;
  {
    Executor executor({.running = 3, .max_queued = 1000});
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(executor.Post([&runs] { ++runs; }));
  }
  EXPECT_EQ(runs, 500);
}

TEST(ExecutorTest, RefusesWhatDoesNotFitIntoTheQueue) {
  std::promise<void> started;
  std::promise<void> release;
  int runs = 0;
  {
    Executor executor({.running = 1, .threads = 1, .max_queued = 2});
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
  Executor executor({.running = 2, .max_queued = 10});  // goes first, and waits for the tasks
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
  Executor executor({.running = 1, .threads = 1, .continuation_threads = 1, .max_queued = 0});
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
  Executor executor({.running = 1, .threads = 1, .continuation_threads = 1, .max_queued = 10});
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
    Executor executor({.running = 1, .threads = 1, .continuation_threads = 0, .max_queued = 10});
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
  Executor executor({.running = 2, .max_queued = 1000});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(executor.Post([&runs] { ++runs; }));
  executor.Drain();
  EXPECT_EQ(runs, 100);
  EXPECT_FALSE(executor.Post([&runs] { ++runs; }));
  executor.Continue([&continued] { continued.set_value(); });
  continued.get_future().wait();
}

TEST(ExecutorTest, StopRunsWhatIsQueuedAndTakesNothingMore) {
  std::atomic<int> runs = 0;
  Executor executor({.running = 1, .max_queued = 1000});
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

// Works until the meter stops it or somebody says so.
bool WorkUntil(const std::atomic<bool>& done) {
  while (!done) {
    if (!Charge(100'000)) return false;
  }
  return true;
}

constexpr uint64_t kNoLimit = uint64_t{1} << 62;

TEST(ExecutorTest, ALightTaskGoesBeforeAHeavyOneEnds) {
  std::atomic<bool> light_ran = false;
  std::promise<bool> heavy_ran;
  Executor executor({.running = 1, .max_units = kNoLimit});
  // The heavy task has the only turn and ends only when the light one has run.
  ASSERT_TRUE(executor.Post([&] { heavy_ran.set_value(WorkUntil(light_ran)); }));
  ASSERT_TRUE(executor.Post([&] { light_ran = true; }));
  EXPECT_TRUE(heavy_ran.get_future().get());
}

TEST(ExecutorTest, ATaskThatWaitsForSomethingElseGivesItsTurnAway) {
  std::promise<void> ran;
  Executor executor({.running = 1});
  ASSERT_TRUE(executor.Post([&] { ran.get_future().wait(); }));
  ASSERT_TRUE(executor.Post([&] { ran.set_value(); }));
}

// Otherwise a busy machine would have more and more to do at the same time.
TEST(ExecutorTest, FewTasksComputeWithoutATurn) {
  std::atomic<bool> stop = false;
  std::atomic<int> begun = 0;
  std::promise<void> light_ran;
  Executor executor({.running = 1});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(executor.Post([&] {
      ++begun;
      while (!stop) {  // and never says that it works
      }
    }));
  }
  executor.Continue([&light_ran] { light_ran.set_value(); });
  EXPECT_EQ(light_ran.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(begun, 3);
  stop = true;
}

TEST(ExecutorTest, AThreadThatIsSlowToWakeUpKeepsItsTurn) {
  std::atomic<bool> stop = false;
  std::vector<std::jthread> others;
  for (unsigned i = 0; i < 4 * std::max(1u, std::thread::hardware_concurrency()); ++i) {
    others.emplace_back([&stop] {
      while (!stop) {
      }
    });
  }
  std::atomic<int> ended = 0;
  {
    Executor executor({.running = 2});
    for (int i = 0; i < 16; ++i) {
      ASSERT_TRUE(executor.Post([&ended] {
        for (int slice = 0; slice < 50; ++slice) ASSERT_TRUE(Charge(1'000'000));
        ++ended;
      }));
    }
    executor.Drain();
    stop = true;
  }
  EXPECT_EQ(ended, 16);
}

TEST(ExecutorTest, HeavyTasksMakeProgressUnderAFloodOfLightOnes) {
  Executor executor({.running = 1});
  std::atomic<bool> stop = false;
  std::atomic<int> slices = 0;
  std::promise<void> enough;
  ASSERT_TRUE(executor.Post([&] {
    while (slices < 20) {
      ASSERT_TRUE(Charge(1'000'000));
      ++slices;
    }
    enough.set_value();
  }));
  // Each light task posts the next one, so one is always waiting.
  std::function<void()> light = [&] {
    if (!stop && !executor.Post(light)) stop = true;  // refused while the executor stops
  };
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(executor.Post(light));
  enough.get_future().wait();
  stop = true;
  executor.Stop();
}

struct TestClient final : Client {
  bool is_gone() const override { return gone; }
  Account* account() const override { return &used; }

  std::atomic<bool> gone = false;
  mutable Account used;
};

TEST(ExecutorTest, TasksOfHeavyClientsWaitBehindOthers) {
  const auto client = std::make_shared<TestClient>();
  client->used.Add(1'000'000'000);
  std::promise<void> started;
  std::promise<void> release;
  std::string order;
  {
    Executor executor({.running = 1, .threads = 1});
    ASSERT_TRUE(executor.Post([&] {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    ASSERT_TRUE(executor.Post([&order] { order += "heavy "; }, client));
    ASSERT_TRUE(executor.Post([&order] { order += "light "; }));
    release.set_value();
  }
  EXPECT_EQ(order, "light heavy ");
}

TEST(ExecutorTest, ATaskIsStoppedWhenItsClientIsGone) {
  Executor executor({.max_units = kNoLimit});
  const auto client = std::make_shared<TestClient>();
  const std::atomic<bool> never = false;
  std::promise<bool> ran;
  ASSERT_TRUE(executor.Post(
      [&] {
        EXPECT_EQ(ThisClient(), client);
        ran.set_value(WorkUntil(never));
      },
      client));
  client->gone = true;
  EXPECT_FALSE(ran.get_future().get());
  EXPECT_EQ(ThisClient(), nullptr);
}

TEST(ExecutorTest, ATaskIsStoppedAtTheLimitOfItsWork) {
  Executor executor({.max_units = 10'000'000});
  const std::atomic<bool> never = false;
  std::promise<Error> stopped;
  ASSERT_TRUE(executor.Post([&] {
    EXPECT_FALSE(WorkUntil(never));
    EXPECT_TRUE(Stopped());
    stopped.set_value(StopError());
  }));
  EXPECT_EQ(stopped.get_future().get().code(), ErrorCode::kValidation);
}

// Each task keeps memory step by step, as a read does that gathers its answer.
TEST(ExecutorTest, TasksThatKeepMemoryEndBeforeOthersKeepMore) {
  constexpr int kTasks = 20;
  constexpr uint64_t kStep = 1'000'000;
  std::atomic<uint64_t> kept = 0;
  std::atomic<uint64_t> most = 0;
  std::atomic<int> ended = 0;
  {
    Executor executor({.running = 2, .max_kept_bytes = 40 * kStep});
    for (int i = 0; i < kTasks; ++i) {
      ASSERT_TRUE(executor.Post([&] {
        for (int step = 0; step < 16; ++step) {
          ASSERT_TRUE(Keep(kStep));
          const uint64_t now = kept += kStep;
          if (now > most) most = now;
        }
        kept -= 16 * kStep;
        ++ended;
      }));
    }
  }
  EXPECT_EQ(ended, kTasks);
  // All together would have kept 320 steps. Those that have just begun keep some more than allowed,
  // and so do the two that go on.
  EXPECT_LT(most, 120 * kStep);
}

TEST(ExecutorTest, GivingUpStopsWhatRuns) {
  Executor executor({.running = 2, .max_units = kNoLimit});
  const std::atomic<bool> never = false;
  std::atomic<int> stopped = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(executor.Post([&] { stopped += WorkUntil(never) ? 0 : 1; }));
  }
  executor.GiveUp();
  executor.Stop();
  EXPECT_EQ(stopped, 10);
}

TEST(ExecutorTest, ATaskWithoutMemoryEndsAndTheOthersGoOn) {
  std::promise<void> ran;
  Executor executor({.running = 1});
  ASSERT_TRUE(executor.Post([] { throw std::bad_alloc(); }));
  ASSERT_TRUE(executor.Post([&ran] { ran.set_value(); }));
  ran.get_future().wait();
}

TEST(AccountTest, WhatWasUsedFades) {
  Account account;
  EXPECT_FALSE(account.is_heavy());
  account.Add(5'000'000);
  EXPECT_TRUE(account.is_heavy());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (account.is_heavy()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace
}  // namespace monotable::work
