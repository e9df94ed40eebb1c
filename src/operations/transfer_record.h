#pragma once

#include <string>

#include "engine/jobs.h"
#include "error/result.h"
#include "operations/transfers.h"

// Exports and imports as jobs, and the requests that tokens are compared by.
namespace monotable::operations {

// The attribute that the engine adds to the record of a failed job.
inline constexpr std::string_view kFailureAttribute = "failure";

// The state of the job follows from the status, except that a transfer which failed for a known
// reason is a job that is done.
engine::Job ToJob(const ExportDescription& transfer);
engine::Job ToJob(const ImportDescription& transfer);
Result<ExportDescription> ToExport(const engine::Job& job);
Result<ImportDescription> ToImport(const engine::Job& job);

// A text that is equal for requests that ask for the same.
std::string FingerprintOf(const ExportTableRequest& request);
// The definition stands for the parameters of the table. What differs in every new table is left
// out.
std::string FingerprintOf(const ImportTableRequest& request, table::TableDefinition table);

}  // namespace monotable::operations
