#include "engine/jobs.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "storage/memory/memory_store.h"

namespace monotable::engine {
namespace {

class JobsTest : public testing::Test {
 protected:
  static Job NewJob(const std::string& id, JobKind kind = JobKind::kBackup) {
    Job job{kind, id, JobState::kRunning, {}};
    job.record.Set("what", item::Value("to do"));
    return job;
  }

  static Result<item::Item> Succeed(const Job& job, const std::stop_token&) {
    item::Item record = job.record;
    record.Set("outcome", item::Value("good"));
    return record;
  }

  Job Found(const Jobs& jobs, const std::string& id) const {
    auto found = jobs.Find(JobKind::kBackup, id);
    EXPECT_TRUE(found && *found);
    return found && *found ? **found : Job();
  }

  const std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
};

TEST_F(JobsTest, IdsSortByTheirTime) {
  const std::string early = Jobs::NewId(999);
  const std::string late = Jobs::NewId(1'763'116'200'123);
  EXPECT_EQ(early.substr(0, 15), "00000000000999-");
  EXPECT_EQ(late.substr(0, 15), "01763116200123-");
  EXPECT_EQ(late.size(), 23U);
  EXPECT_LT(early, late);
  EXPECT_NE(late, Jobs::NewId(1'763'116'200'123));
}

TEST_F(JobsTest, KeepsWhatCameOutOfAJob) {
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.SetWork(JobKind::kBackup, Succeed));
  ASSERT_TRUE(jobs.Begin(NewJob("a")));
  jobs.WaitUntilIdle();
  const Job done = Found(jobs, "a");
  EXPECT_EQ(done.state, JobState::kDone);
  EXPECT_EQ(done.record.Find("what")->string(), "to do");
  EXPECT_EQ(done.record.Find("outcome")->string(), "good");
}

TEST_F(JobsTest, AFailureIsKeptWithItsMessage) {
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.SetWork(JobKind::kBackup, [](const Job&, const auto&) -> Result<item::Item> {
    return Error::Internal("no disk");
  }));
  ASSERT_TRUE(jobs.Begin(NewJob("a")));
  jobs.WaitUntilIdle();
  const Job failed = Found(jobs, "a");
  EXPECT_EQ(failed.state, JobState::kFailed);
  EXPECT_EQ(failed.record.Find("failure")->string(), "no disk");
}

TEST_F(JobsTest, ListsOneKindOldestFirst) {
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.Begin(NewJob("b")));
  ASSERT_TRUE(jobs.Begin(NewJob("a")));
  ASSERT_TRUE(jobs.Begin(NewJob("c", JobKind::kExport)));
  const auto listed = jobs.List(JobKind::kBackup);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].id, "a");
  EXPECT_EQ((*listed)[1].id, "b");
  ASSERT_TRUE(jobs.Remove(JobKind::kBackup, "a"));
  EXPECT_EQ(jobs.List(JobKind::kBackup)->size(), 1U);
  EXPECT_FALSE(*jobs.Find(JobKind::kBackup, "a"));
}

TEST_F(JobsTest, AJobWaitsForTheWorkOfItsKind) {
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.Begin(NewJob("a")));
  jobs.WaitUntilIdle();
  EXPECT_EQ(Found(jobs, "a").state, JobState::kRunning);
  std::atomic<int> times = 0;
  ASSERT_TRUE(jobs.SetWork(JobKind::kBackup, [&times](const Job& job, const auto&) {
    ++times;
    return Result<item::Item>(job.record);
  }));
  jobs.WaitUntilIdle();
  EXPECT_EQ(Found(jobs, "a").state, JobState::kDone);
  EXPECT_EQ(times, 1);
}

TEST_F(JobsTest, AnotherProcessDoesWhatWasLeftUnfinished) {
  {
    Jobs jobs(*store_);
    std::promise<void> started;
    ASSERT_TRUE(
        jobs.SetWork(JobKind::kBackup,
                     [&started](const Job&, const std::stop_token& stop) -> Result<item::Item> {
                       started.set_value();
                       std::mutex mutex;
                       std::condition_variable_any forever;
                       std::unique_lock lock(mutex);
                       forever.wait(lock, stop, [] { return false; });
                       return Error::Internal("stopped");
                     }));
    ASSERT_TRUE(jobs.Begin(NewJob("a")));
    started.get_future().wait();
    jobs.Stop();
    EXPECT_EQ(Found(jobs, "a").state, JobState::kRunning);
  }
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.SetWork(JobKind::kBackup, Succeed));
  jobs.WaitUntilIdle();
  EXPECT_EQ(Found(jobs, "a").state, JobState::kDone);
}

TEST_F(JobsTest, AJobCanHaveItsOwnWorkInThisProcess) {
  Jobs jobs(*store_);
  ASSERT_TRUE(jobs.Begin(NewJob("a"), nullptr, Succeed));
  jobs.WaitUntilIdle();
  EXPECT_EQ(Found(jobs, "a").state, JobState::kDone);
}

TEST_F(JobsTest, AJobThatRemovesItselfStaysRemoved) {
  Jobs jobs(*store_);
  ASSERT_TRUE(
      jobs.SetWork(JobKind::kBackup, [&jobs](const Job& job, const auto&) -> Result<item::Item> {
        TRY(jobs.Remove(job.kind, job.id));
        return job.record;
      }));
  ASSERT_TRUE(jobs.Begin(NewJob("a")));
  jobs.WaitUntilIdle();
  EXPECT_FALSE(*jobs.Find(JobKind::kBackup, "a"));
}

TEST_F(JobsTest, MoreCanBeWrittenWithAJobAndWithItsRemoval) {
  Jobs jobs(*store_);
  const auto write = [](storage::Batch* batch) { batch->Put("extra", "1"); };
  ASSERT_TRUE(jobs.Begin(NewJob("a"), write));
  std::string value;
  EXPECT_TRUE(*store_->Latest().Get("extra", &value));
  ASSERT_TRUE(
      jobs.Remove(JobKind::kBackup, "a", [](storage::Batch* batch) { batch->Delete("extra"); }));
  EXPECT_FALSE(*store_->Latest().Get("extra", &value));
}

TEST_F(JobsTest, ADamagedRecordIsAnErrorAndNotACrash) {
  Jobs jobs(*store_);
  const std::string key = encoding::JobKey(static_cast<uint8_t>(JobKind::kBackup), "a");
  ASSERT_TRUE(storage::UpdateAndWait(
      *store_, {key},
      [&key](auto, const auto&, storage::Batch* batch) { batch->Put(key, "nonsense"); }));
  EXPECT_FALSE(jobs.Find(JobKind::kBackup, "a"));
  EXPECT_FALSE(jobs.List(JobKind::kBackup));
}

}  // namespace
}  // namespace monotable::engine
