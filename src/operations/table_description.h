#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "operations/parameters.h"
#include "table/definition.h"

namespace monotable::operations {

// TableDescription: a definition with its live figures. The front door prints it.
struct TableDescription {
  struct Figures {
    int64_t item_count = 0;
    int64_t size_bytes = 0;
    // Only of a global index that was added to the table and is not yet there.
    std::optional<bool> backfilling = std::nullopt;
    bool warming = false;  // more warm throughput has been asked for
  };

  std::shared_ptr<const table::TableDefinition> definition;
  std::string status;  // "CREATING", "ACTIVE", "UPDATING" or "DELETING"
  std::string arn;     // of the table; index and stream ARNs follow from it
  Figures figures;
  std::map<std::string, Figures> index_figures;  // by index name
  bool sse_updating = false;
  // DeleteTable answers with the keys and attribute definitions left out.
  bool reduced = false;
};

// How DescribeTable, CreateTable, UpdateTable and DeleteTable describe a table.
TableDescription Describe(engine::Engine& engine,
                          std::shared_ptr<const table::TableDefinition> definition,
                          std::string status);

// What a table or index can take at once: what was asked for, and at least what its billing gives.
table::Throughput WarmOf(table::BillingMode billing_mode, const table::Throughput& throughput,
                         const std::optional<table::WarmThroughput>& warm);

// Whether an index is being created; the table is UPDATING as long as that is so.
bool IsFillingIndex(const table::TableDefinition& table);

}  // namespace monotable::operations
