#pragma once

#include <string>
#include <vector>

#include "error/result.h"
#include "operations/transfers.h"
#include "transfer/bucket.h"
#include "transfer/data_files.h"

// What an export leaves beside its data: two manifests, each with its MD5 in a file of its own.
namespace monotable::transfer {

// The folder of an export within its bucket, with a slash at the end.
std::string ExportFolder(const operations::ExportDescription& transfer);
// Where its data is, up to the number of the file. Incremental exports share one folder.
std::string DataPath(const operations::ExportDescription& transfer);
// The key of the summary, which is written last: an export that has one is complete.
std::string SummaryKey(const operations::ExportDescription& transfer);

// Whether an object of this name accompanies data and holds none: what exports leave, and the error
// reports of imports.
bool IsCompanion(const std::string& key);

Status WriteManifests(const Bucket& bucket, const operations::ExportDescription& transfer,
                      const std::vector<DataFile>& files);

}  // namespace monotable::transfer
