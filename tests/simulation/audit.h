#pragma once

#include <string>

#include "simulation/model.h"
#include "simulation/server.h"

namespace monotable::simulation {

// Compares everything in the server with the model while nothing writes: the items of each table,
// each index with what the items say it should hold, the counters of items and bytes of tables,
// indexes and item collections. Returns a description of the first difference, or an empty text.
std::string Audit(Server& server, const Model& model);

// The promises of the accounts table: every user has exactly the claim of their e-mail address, and
// every claim has its user. Counters hold the sum of what was counted, in hundredths.
std::string AuditAccounts(const Model& model, int64_t counted);

}  // namespace monotable::simulation
