#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "simulation/call.h"
#include "simulation/schema.h"

namespace monotable::simulation {

// Makes random calls on few keys and few values, so that they meet often. Every choice follows from
// the seed. Not thread-safe: each client has its own.
class Generator {
 public:
  // The prefix tells the ids of this generator's calls from those of others.
  Generator(uint64_t seed, std::string prefix) : random_(seed), prefix_(std::move(prefix)) {}

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool Chance(unsigned percent) { return Below(100) < percent; }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  // A read or write of the given tables, whose indexes are those the schemas list.
  Call MakeCall(const std::vector<const TableSchema*>& tables);
  Call MakeRead(const std::vector<const TableSchema*>& tables);
  // The first page of a read; the caller continues from page to page.
  PageCall MakePage(const TableSchema& table);

  // Calls that keep the promises of the accounts table, see account_calls.cc. The second kind needs
  // the user as an earlier call read it.
  Call MakeAccountCall();
  Call MakeUserCall(const Item& user);
  Target MakeUserTarget();

  std::string NextId();

 private:
  Item MakeKey(const TableSchema& table);
  Item MakeItem(const TableSchema& table, const std::string& id);
  Value MakeValue(const std::string& attribute);
  Value MakeKeyValue(const KeyPart& part);
  Condition MakeCondition(int depth);
  Condition MakeSimpleCondition();
  Update MakeUpdate(const TableSchema& table, const std::string& id);
  Action MakeAction(const std::string& attribute);
  Intent MakeIntent(const TableSchema& table, const std::string& id, Intent::Kind kind);
  Call MakeSingleWrite(const TableSchema& table);
  Call MakeManyWrites(const std::vector<const TableSchema*>& tables, Call::Kind kind);
  Intent MakeCount(const std::string& id, int64_t hundredths);

  std::mt19937_64 random_;
  std::string prefix_;
  uint64_t calls_ = 0;
};

}  // namespace monotable::simulation
