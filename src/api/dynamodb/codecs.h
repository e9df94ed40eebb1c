#pragma once

#include <string>
#include <string_view>

#include "error/result.h"
#include "json/parse.h"
#include "operations/batches.h"
#include "operations/items.h"
#include "operations/query_scan.h"
#include "operations/streams.h"
#include "operations/tables.h"
#include "operations/tags.h"
#include "operations/transactions.h"
#include "operations/transfers.h"

// Decoders and encoders of operations that tests, fuzz targets, benchmarks or other topics call.
// Each is defined in the file of its topic.
namespace monotable::api::dynamodb {

// From a request body, checked against its shape, to the request of an operation.
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

Result<operations::ExportTableRequest> DecodeExportTable(const json::Object& body);
Result<std::string> DecodeExportArn(const json::Object& body);
Result<operations::ListTransfersRequest> DecodeListExports(const json::Object& body);
Result<operations::ImportTableRequest> DecodeImportTable(const json::Object& body);
Result<std::string> DecodeImportArn(const json::Object& body);
Result<operations::ListTransfersRequest> DecodeListImports(const json::Object& body);

// From the answer of an operation to the body of a response, appended to out.
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
// {"TableDescription":…}, the answer of CreateTable, UpdateTable, DeleteTable and restores.
void EncodeChangedTable(const operations::TableDescription& table, std::string* out);
void EncodeListTables(const operations::ListTablesResponse& response, std::string* out);
void EncodeListTags(const operations::ListTagsOfResourceResponse& response, std::string* out);
void EncodeUpdateTimeToLive(const operations::UpdateTimeToLiveResponse& response, std::string* out);
void EncodeDescribeTimeToLive(const operations::DescribeTimeToLiveResponse& response,
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

// Shard iterators on the wire: the ARN of the stream, a version, and a record in Base64, with bars
// between them, like the iterators of the service. A checksum over all parts tells texts that were
// handed out from other texts.
std::string ShardIteratorText(const operations::ShardIterator& iterator);

// A text that was not handed out is a validation error.
Result<operations::ShardIterator> ParseShardIterator(std::string_view text);

}  // namespace monotable::api::dynamodb
