// Runs the engine against a reference model. All of it follows from --seed, except for how the
// threads of a crowd interleave.
//
//   simulation [--seed N] [--store memory|rocksdb|faulty|all] [--clients N] [--operations N]
//              [--seconds N]
//
// A run has two parts. First one client in lockstep with the model (lockstep.h): every reply is
// compared. Then rounds of several clients at once (crowd.h): what they saw is explained by the
// change log (history.h), and after each round all items, index entries and counters are compared
// with the model (audit.h). With rocksdb the store is closed and opened again between rounds. With
// faulty, which skips the lockstep, updates and reads fail now and then and run out of order: what
// failed must have left nothing behind.
//
// --operations is the number of calls of each part, of all clients together; with --seconds the
// whole is repeated with new seeds until the time is over. The exit code is 1 if anything differs,
// with the seed on standard output.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simulation/crowd.h"
#include "simulation/lockstep.h"
#include "simulation/server.h"

namespace monotable::simulation {
namespace {

// Another one in every run unless the environment says which one, as script/test does.
uint64_t DefaultSeed() {
  const char* given = std::getenv("MONOTABLE_SIMULATION_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

struct Options {
  uint64_t seed = DefaultSeed();
  std::vector<StoreKind> stores = {StoreKind::kMemory, StoreKind::kRocksDb, StoreKind::kFaulty};
  uint64_t clients = 4;
  uint64_t operations = 4000;
  uint64_t seconds = 0;
};

constexpr uint64_t kRounds = 4;

std::string_view NameOf(StoreKind store) {
  switch (store) {
    case StoreKind::kMemory:
      return "memory";
    case StoreKind::kRocksDb:
      return "rocksdb";
    case StoreKind::kFaulty:
      break;
  }
  return "faulty";
}

// A folder that is removed when the run is over.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "simulation-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string RunLockstep(const Options& options, StoreKind store, const Folder& folder,
                        uint64_t* performed) {
  Server server({store, folder.Sub("lockstep"), options.seed});
  if (!server.Start()) return "cannot start";
  Lockstep lockstep(server, options.seed);
  auto problem = lockstep.Run(options.operations);
  *performed += lockstep.performed();
  return problem;
}

std::string RunCrowd(const Options& options, StoreKind store, const Folder& folder,
                     uint64_t* performed) {
  Server server({store, folder.Sub("crowd"), options.seed});
  if (!server.Start()) return "cannot start";
  Crowd crowd(server, options.seed, options.clients);
  auto problem = crowd.CreateTables();
  for (uint64_t round = 0; problem.empty() && round < kRounds; ++round) {
    problem = crowd.RunRound(options.operations / kRounds / options.clients);
    if (!problem.empty() || store != StoreKind::kRocksDb) continue;
    if (!server.Restart()) return "cannot start again";
    problem = crowd.CheckContents();
    if (!problem.empty()) problem = "after a restart: " + problem;
  }
  *performed += crowd.performed();
  return problem;
}

std::string RunOnce(const Options& options, StoreKind store, uint64_t* performed) {
  const Folder folder;
  if (store != StoreKind::kFaulty) {
    if (auto problem = RunLockstep(options, store, folder, performed); !problem.empty()) {
      return "lockstep: " + problem;
    }
  }
  if (auto problem = RunCrowd(options, store, folder, performed); !problem.empty()) {
    return "crowd: " + problem;
  }
  return "";
}

bool Parse(int count, char** arguments, Options* options) {
  static const std::map<std::string, StoreKind> stores = {{"memory", StoreKind::kMemory},
                                                          {"rocksdb", StoreKind::kRocksDb},
                                                          {"faulty", StoreKind::kFaulty}};
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    const std::string value = arguments[i + 1];
    if (name == "--store" && stores.contains(value)) {
      options->stores = {stores.at(value)};
      continue;
    }
    if (name == "--store" && value == "all") continue;
    const uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--seed") {
      options->seed = number;
    } else if (name == "--clients" && number > 0) {
      options->clients = number;
    } else if (name == "--operations") {
      options->operations = number;
    } else if (name == "--seconds") {
      options->seconds = number;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

int Main(int count, char** arguments) {
  Options options;
  if (!Parse(count, arguments, &options)) {
    fmt::print(stderr,
               "usage: simulation [--seed N] [--store memory|rocksdb|faulty|all] [--clients "
               "N] [--operations N] [--seconds N]\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  uint64_t performed = 0;
  uint64_t seeds = 0;
  do {
    for (const StoreKind store : options.stores) {
      const auto problem = RunOnce(options, store, &performed);
      if (problem.empty()) continue;
      fmt::print("seed {}, {} store: {}\n", options.seed, NameOf(store), problem);
      return 1;
    }
    ++seeds;
    ++options.seed;
  } while (std::chrono::steady_clock::now() - start < std::chrono::seconds(options.seconds));
  fmt::print("{} calls with {} seeds, from {} to {}\n", performed, seeds, options.seed - seeds,
             options.seed - 1);
  return 0;
}

}  // namespace
}  // namespace monotable::simulation

int main(int count, char** arguments) {
  return monotable::simulation::Main(count, arguments);
}
