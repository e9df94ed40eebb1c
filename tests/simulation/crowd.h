#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/generator.h"
#include "simulation/history.h"
#include "simulation/model.h"
#include "simulation/server.h"

namespace monotable::simulation {

// Several clients at once, in rounds. While they work, another thread adds and removes indexes and
// drops and makes the scratch table. After each round the history must be explicable (history.h),
// and the contents must be those that the history leads to (audit.h).
class Crowd {
 public:
  Crowd(Server& server, uint64_t seed, uint64_t clients)
      : server_(server), seed_(seed), clients_(clients) {}

  std::string CreateTables();
  // Runs a round with this many calls per client and returns what went wrong, or an empty text.
  std::string RunRound(uint64_t calls);
  // Compares the contents with the model after a restart.
  std::string CheckContents();
  uint64_t performed() const { return performed_.load(); }

 private:
  void RunClient(Generator generator, uint64_t calls, std::vector<Event>* events);
  void Record(const Call& call, std::vector<Event>* events);
  void RecordTwice(const Call& call, std::vector<Event>* events);
  void SweepPages(Call call, std::vector<Event>* events);
  void UseAccounts(Generator* generator, std::vector<Event>* events);
  void UseScratch(Generator* generator);
  void ChangeTables(Generator generator);
  void ChangeIndexes(Generator* generator, TableSchema* table);
  std::string FindScratch();

  Server& server_;
  const uint64_t seed_;
  const uint64_t clients_;
  uint64_t round_ = 0;
  Model model_;  // at the beginning of a round
  int64_t counted_ = 0;
  // The tables as the thread that changes them knows them.
  TableSchema orders_ = Orders();
  TableSchema blobs_ = Blobs();
  TableSchema accounts_ = Accounts();
  std::optional<TableSchema> scratch_;
  std::atomic<uint64_t> clock_ = 0;
  std::atomic<uint64_t> performed_ = 0;
  std::atomic<bool> stop_ = false;
};

}  // namespace monotable::simulation
