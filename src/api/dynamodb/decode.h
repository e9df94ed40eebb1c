#pragma once

#include <string>

#include "error/result.h"
#include "json/parse.h"
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

// From a request body, checked against its shape, to the request of an operation.
namespace monotable::api::dynamodb {

Result<operations::PutItemRequest> DecodePutItem(const json::Object& body);
Result<operations::UpdateItemRequest> DecodeUpdateItem(const json::Object& body);
Result<operations::DeleteItemRequest> DecodeDeleteItem(const json::Object& body);

Result<operations::GetItemRequest> DecodeGetItem(const json::Object& body);
Result<operations::QueryRequest> DecodeQuery(const json::Object& body);
Result<operations::ScanRequest> DecodeScan(const json::Object& body);

Result<operations::BatchGetItemRequest> DecodeBatchGetItem(const json::Object& body);
Result<operations::BatchWriteItemRequest> DecodeBatchWriteItem(const json::Object& body);

Result<operations::TransactGetItemsRequest> DecodeTransactGetItems(const json::Object& body);
Result<operations::TransactWriteItemsRequest> DecodeTransactWriteItems(const json::Object& body);

Result<operations::CreateTableRequest> DecodeCreateTable(const json::Object& body);
Result<operations::UpdateTableRequest> DecodeUpdateTable(const json::Object& body);
// The requests that hold nothing but a TableName.
Result<std::string> DecodeTableName(const json::Object& body);
Result<operations::ListTablesRequest> DecodeListTables(const json::Object& body);
Result<operations::TagResourceRequest> DecodeTagResource(const json::Object& body);
Result<operations::UntagResourceRequest> DecodeUntagResource(const json::Object& body);
Result<operations::ListTagsOfResourceRequest> DecodeListTagsOfResource(const json::Object& body);
Result<operations::UpdateTimeToLiveRequest> DecodeUpdateTimeToLive(const json::Object& body);

Result<operations::ListStreamsRequest> DecodeListStreams(const json::Object& body);
Result<operations::DescribeStreamRequest> DecodeDescribeStream(const json::Object& body);
Result<operations::GetShardIteratorRequest> DecodeGetShardIterator(const json::Object& body);
Result<operations::GetRecordsRequest> DecodeGetRecords(const json::Object& body);

Result<operations::CreateBackupRequest> DecodeCreateBackup(const json::Object& body);
// The requests that hold nothing but a BackupArn.
Result<std::string> DecodeBackupArn(const json::Object& body);
Result<operations::ListBackupsRequest> DecodeListBackups(const json::Object& body);
Result<operations::RestoreTableFromBackupRequest> DecodeRestoreTableFromBackup(
    const json::Object& body);
Result<operations::RestoreTableToPointInTimeRequest> DecodeRestoreTableToPointInTime(
    const json::Object& body);
Result<operations::UpdateContinuousBackupsRequest> DecodeUpdateContinuousBackups(
    const json::Object& body);

Result<operations::ExportTableRequest> DecodeExportTable(const json::Object& body);
Result<std::string> DecodeExportArn(const json::Object& body);
Result<operations::ListTransfersRequest> DecodeListExports(const json::Object& body);
Result<operations::ImportTableRequest> DecodeImportTable(const json::Object& body);
Result<std::string> DecodeImportArn(const json::Object& body);
Result<operations::ListTransfersRequest> DecodeListImports(const json::Object& body);

}  // namespace monotable::api::dynamodb
