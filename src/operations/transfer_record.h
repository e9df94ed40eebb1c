#pragma once

#include <string>

#include "engine/jobs.h"
#include "error/result.h"
#include "operations/transfers.h"

// Exports and imports as jobs, and the requests that tokens are compared by.
namespace monotable::operations {

// What the engine puts into a failed job beside its record.
inline constexpr std::string_view kFailureAttribute = "failure";

// The state of the job follows from the status, except that a failure with a reason is a job done.
engine::Job ToJob(const ExportDescription& transfer);
engine::Job ToJob(const ImportDescription& transfer);
Result<ExportDescription> ToExport(const engine::Job& job);
Result<ImportDescription> ToImport(const engine::Job& job);

// Equal for requests that ask for the same.
std::string FingerprintOf(const ExportTableRequest& request);
// A table definition stands for its parameters, with what is new in each taken out.
std::string FingerprintOf(const ImportTableRequest& request, table::TableDefinition table);

}  // namespace monotable::operations
