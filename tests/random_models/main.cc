// Random models against a reference. Everything follows from --seed, except for how the threads of
// two clients interleave.
//
//   random_models [--seed N] [--models N] [--writes N] [--model N]
//
// Each model is loaded, checked and served. Random writes go through the model (creates,
// replacements, patches, deletes, transactions, operations) and through the DynamoDB API with
// `rules: enforce`. The reference (reference.h) says what each write should do. After each write
// the answers are compared, and after some writes everything that the table holds. One in eight
// models is on RocksDB. One in four is also written by two clients at once, each with its own
// runtime; then the table must fulfil all rules in the end. Models whose rules could reach the
// items of another parent must be refused.
//
// A difference is printed with the seed, the smallest model and the shortest list of writes that
// still differ, and the exit code is 1. --model N runs only that model of the seed.

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "random_models/design_generator.h"
#include "random_models/trial.h"

namespace monotable::random_models {
namespace {

// Another one in every run unless the environment says which one, as script/test does.
uint64_t DefaultSeed() {
  const char* given = std::getenv("MONOTABLE_SIMULATION_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

struct Options {
  uint64_t seed = DefaultSeed();
  uint64_t models = 40;
  uint64_t writes = 200;
  std::optional<uint64_t> only;
};

// A folder for RocksDB that is removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "random-models-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Counts {
  size_t models = 0;
  size_t writes = 0;
  size_t accepted = 0;
  size_t refused_models = 0;
};

void Print(const Options& options, uint64_t number, const Trial& trial,
           const std::string& difference) {
  fmt::print("seed {}, model {}\n\n{}\nwrites:\n", options.seed, number, YamlOf(trial.design));
  for (size_t i = 0; i < trial.calls.size(); ++i) {
    fmt::print("  {}. {}\n", i + 1, TextOf(trial.calls[i]));
  }
  fmt::print("\n{}\n", difference);
}

// Whether server and reference agree about one model.
bool RunModel(const Options& options, uint64_t number, Counts* counts) {
  Random random(options.seed * 1'000'003 + number);
  Trial trial;
  trial.design = MakeDesign(&random);
  const uint64_t seed = random.Seed();
  const Verdict verdict = [&] {
    if (number % 8 != 7) return Generate(seed, options.writes, &trial);
    const Folder folder;
    trial.folder = folder.path();
    Verdict on_disk = Generate(seed, options.writes, &trial);
    trial.folder.clear();
    return on_disk;
  }();
  ++counts->models;
  counts->writes += trial.calls.size();
  counts->accepted += verdict.accepted;
  if (verdict.refused_model) {
    Print(options, number, trial, "model check refuses the model:\n" + verdict.difference);
    return false;
  }
  if (!verdict.difference.empty()) {
    const Trial smallest = Shrink(trial);
    const Verdict shrunk = Repeat(smallest);
    Print(options, number, smallest,
          shrunk.difference.empty() ? verdict.difference : shrunk.difference);
    return false;
  }
  if (const auto ambiguous = MakeAmbiguous(trial.design, &random)) {
    Trial refused{*ambiguous, {}, ""};
    if (!Repeat(refused).refused_model) {
      Print(options, number, refused, "model check accepts a model that mixes parents");
      return false;
    }
    ++counts->refused_models;
  }
  if (number % 4 != 3) return true;
  Trial together{trial.design, {}, ""};
  const Verdict both = RunTogether(seed, options.writes, &together);
  counts->writes += together.calls.size();
  counts->accepted += both.accepted;
  if (both.difference.empty()) return true;
  Print(options, number, together, "two clients at once:\n" + both.difference);
  return false;
}

bool Parse(int count, char** arguments, Options* options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const uint64_t number = std::strtoull(arguments[i + 1], nullptr, 10);
    if (name == "--seed") {
      options->seed = number;
    } else if (name == "--models") {
      options->models = number;
    } else if (name == "--writes") {
      options->writes = number;
    } else if (name == "--model") {
      options->only = number;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

int Main(int count, char** arguments) {
  Options options;
  if (!Parse(count, arguments, &options)) {
    fmt::print(stderr, "usage: random_models [--seed N] [--models N] [--writes N] [--model N]\n");
    return 2;
  }
  Counts counts;
  const uint64_t begin = options.only.value_or(0);
  const uint64_t end = options.only ? begin + 1 : options.models;
  for (uint64_t number = begin; number < end; ++number) {
    if (!RunModel(options, number, &counts)) return 1;
  }
  fmt::print("seed {}: {} models, {} writes, {} of them done; {} ambiguous models refused\n",
             options.seed, counts.models, counts.writes, counts.accepted, counts.refused_models);
  return 0;
}

}  // namespace
}  // namespace monotable::random_models

int main(int count, char** arguments) {
  return monotable::random_models::Main(count, arguments);
}
