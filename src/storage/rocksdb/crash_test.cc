#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/rocksdb/rocksdb_store.h"
#include "storage/store.h"
#include "storage/temporary_folder_for_tests.h"

// Kills a process that writes and looks for what it had acknowledged. The process is this program
// again, running the disabled test below.
namespace monotable::storage {

namespace {

constexpr char kFolderVariable[] = "MONOTABLE_CRASH_FOLDER";
constexpr char kRelaxedVariable[] = "MONOTABLE_CRASH_RELAXED";
constexpr int kAcknowledgedPipe = 3;
constexpr int kClients = 4;
constexpr char kLog[] = {kLogPrefix, '\0'};

using Values = std::span<const std::optional<std::string_view>>;

std::string Key(const char* prefix, uint32_t number) {
  return prefix + std::to_string(number);
}

TEST(CrashTest, DISABLED_WritesUntilKilled) {
  const char* folder = std::getenv(kFolderVariable);
  ASSERT_NE(folder, nullptr) << "only for KilledWriterTest";
  RocksDbOptions options;
  if (std::getenv(kRelaxedVariable) != nullptr) options.durability = Durability::kRelaxed;
  options.write_buffer_bytes = size_t{128} << 10;  // flushes all the time
  auto store = OpenRocksDbStore(folder, options);
  ASSERT_TRUE(store);
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kClients; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t number = thread;; number += kClients) {
        const Status status =
            UpdateAndWait(**store, {Key("a", number)}, [&](Values, const Commit&, Batch* batch) {
              batch->Put(Key("a", number), std::string(200, 'x'));
              batch->Put(Key("b", number), std::string(200, 'x'));
              batch->Put(Key(kLog, number), std::string(300, 'x'));
              batch->Increment("count", 1);
            });
        if (!status) std::abort();
        if (write(kAcknowledgedPipe, &number, sizeof number) != sizeof number) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Starts this program on the disabled test, with the writing end of a pipe.
pid_t StartWriter(const std::string& folder, Durability durability, int pipe) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.push_back(std::string(kFolderVariable) + "=" + folder);
  if (durability == Durability::kRelaxed) variables.push_back(std::string(kRelaxedVariable) + "=1");
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=CrashTest.DISABLED_WritesUntilKilled";
  std::string disabled = "--gtest_also_run_disabled_tests";
  char* arguments[] = {program.data(), filter.data(), disabled.data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe, kAcknowledgedPipe);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment.data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

class KilledWriterTest : public testing::TestWithParam<Durability> {};

TEST_P(KilledWriterTest, LosesNothing) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = StartWriter(folder.path(), GetParam(), ends[1]);
  ASSERT_GT(child, 0);
  close(ends[1]);

  std::vector<uint32_t> acknowledged;
  uint32_t number = 0;
  while (read(ends[0], &number, sizeof number) == sizeof number) {
    acknowledged.push_back(number);
    if (acknowledged.size() == 2000) kill(child, SIGKILL);
  }
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  ASSERT_GE(acknowledged.size(), 2000u);

  RocksDbOptions options;
  options.durability = GetParam();
  auto store = OpenRocksDbStore(folder.path(), options);
  ASSERT_TRUE(store) << store.error().message();
  const Reader& reader = (*store)->Latest();
  std::string value;
  for (const uint32_t lost : acknowledged) {
    EXPECT_TRUE(*reader.Get(Key("a", lost), &value)) << lost;
    EXPECT_TRUE(*reader.Get(Key("b", lost), &value)) << lost;
    EXPECT_TRUE(*reader.Get(Key(kLog, lost), &value)) << lost;
  }
  // What was not acknowledged is there as a whole or not at all.
  size_t pairs = 0;
  for (auto cursor = reader.Scan({"a", "b"}, Direction::kForward); cursor->Valid();
       cursor->Next(), ++pairs) {
    const std::string suffix(cursor->key().substr(1));
    EXPECT_TRUE(*reader.Get("b" + suffix, &value));
    EXPECT_TRUE(*reader.Get(kLog + suffix, &value));
  }
  ASSERT_TRUE(*reader.Get("count", &value));
  EXPECT_EQ(DecodeCounter(value), static_cast<int64_t>(pairs));
  EXPECT_LE(pairs, acknowledged.size() + kClients);
}

INSTANTIATE_TEST_SUITE_P(Durabilities, KilledWriterTest,
                         testing::Values(Durability::kSync, Durability::kRelaxed));

}  // namespace

}  // namespace monotable::storage
