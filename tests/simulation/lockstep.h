#pragma once

#include <cstdint>
#include <string>

#include "simulation/generator.h"
#include "simulation/model.h"
#include "simulation/server.h"

namespace monotable::simulation {

// One client, one call at a time: every reply must be exactly the model's. Tables and indexes come
// and go between the calls.
class Lockstep {
 public:
  Lockstep(Server& server, uint64_t seed) : server_(server), generator_(seed, "l") {}

  // Runs some calls and returns the first that went wrong, or an empty text.
  std::string Run(uint64_t calls);
  const Model& model() const { return model_; }
  uint64_t performed() const { return performed_; }

 private:
  std::string Step();
  std::string CallOnce(const Call& call);
  std::string RetryToken(const Call& call);
  // Reads a page call to its end, all segments of it, and compares the whole.
  std::string Sweep(const PageCall& page);
  std::string ChangeTables();
  std::string ChangeIndexes(const std::string& table_name);

  Server& server_;
  Generator generator_;
  Model model_;
  uint64_t performed_ = 0;
};

}  // namespace monotable::simulation
