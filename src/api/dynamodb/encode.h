#pragma once

#include <string>
#include <string_view>

#include "operations/backups.h"
#include "operations/batches.h"
#include "operations/items.h"
#include "operations/query_scan.h"
#include "operations/restores.h"
#include "operations/streams.h"
#include "operations/tables.h"
#include "operations/tags.h"
#include "operations/transactions.h"
#include "operations/transfers.h"

// From the answer of an operation to the body of a response, appended to out.
namespace monotable::api::dynamodb {

void EncodeGetItem(const operations::GetItemResponse& response, std::string* out);
void EncodeWriteItem(const operations::WriteItemResponse& response, std::string* out);
void EncodePage(const operations::PageResponse& response, std::string* out);
void EncodeBatchGetItem(const operations::BatchGetItemResponse& response, std::string* out);
void EncodeBatchWriteItem(const operations::BatchWriteItemResponse& response, std::string* out);
void EncodeTransactGetItems(const operations::TransactGetItemsResponse& response, std::string* out);
void EncodeTransactWriteItems(const operations::TransactWriteItemsResponse& response,
                              std::string* out);

// {"Table":…}, the answer of DescribeTable.
void EncodeDescribedTable(const operations::TableDescription& table, std::string* out);
// {"TableDescription":…}, that of CreateTable, UpdateTable and DeleteTable.
void EncodeChangedTable(const operations::TableDescription& table, std::string* out);
void EncodeListTables(const operations::ListTablesResponse& response, std::string* out);
void EncodeListTags(const operations::ListTagsOfResourceResponse& response, std::string* out);
void EncodeUpdateTimeToLive(const operations::UpdateTimeToLiveResponse& response, std::string* out);
void EncodeDescribeTimeToLive(const operations::DescribeTimeToLiveResponse& response,
                              std::string* out);

// {"BackupDetails":…}, the answer of CreateBackup.
void EncodeCreatedBackup(const operations::BackupDescription& backup, std::string* out);
// {"BackupDescription":…}, that of DescribeBackup and DeleteBackup.
void EncodeBackup(const operations::BackupDescription& backup, std::string* out);
void EncodeListBackups(const operations::ListBackupsResponse& response, std::string* out);
void EncodeContinuousBackups(const operations::ContinuousBackupsDescription& description,
                             std::string* out);

void EncodeDescribeLimits(const operations::DescribeLimitsResponse& response, std::string* out);
void EncodeDescribeEndpoints(std::string_view address, std::string* out);

void EncodeListStreams(const operations::ListStreamsResponse& response, std::string* out);
void EncodeDescribeStream(const operations::StreamDescription& stream, std::string* out);
void EncodeGetShardIterator(const operations::ShardIterator& iterator, std::string* out);
void EncodeGetRecords(const operations::GetRecordsResponse& response, std::string* out);

// {"ExportDescription":…} and {"ImportTableDescription":…}.
void EncodeExport(const operations::ExportDescription& transfer, std::string* out);
void EncodeListExports(const operations::ListExportsResponse& response, std::string* out);
void EncodeImport(const operations::ImportDescription& transfer, std::string* out);
void EncodeListImports(const operations::ListImportsResponse& response, std::string* out);

}  // namespace monotable::api::dynamodb
