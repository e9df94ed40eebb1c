#pragma once

#include <string>
#include <string_view>

#include "operations/batch_get_item.h"
#include "operations/batch_write_item.h"
#include "operations/get_item.h"
#include "operations/put_item.h"
#include "operations/query.h"
#include "operations/tables.h"
#include "operations/transact_get_items.h"
#include "operations/transact_write_items.h"

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
void EncodeDescribeLimits(const operations::DescribeLimitsResponse& response, std::string* out);
void EncodeDescribeEndpoints(std::string_view address, std::string* out);

}  // namespace monotable::api::dynamodb
