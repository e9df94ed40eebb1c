#pragma once

#include "api/dynamodb/shape.h"

// The shape of every request, from the service's model. Members that are of no consequence to any
// operation are left out: unknown members are ignored.
namespace monotable::api::dynamodb::shapes {

// Parts of many requests.
inline constexpr Shape kText = Scalar(Kind::kString);
inline constexpr Shape kFlag = Scalar(Kind::kBoolean);
inline constexpr Shape kTime = Scalar(Kind::kTimestamp);
inline constexpr Shape kTableName =
    LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kNameOrArn));
inline constexpr Shape kTableArn = Bounded(Kind::kString, 1, 1024);
inline constexpr Shape kBackupArn = Bounded(Kind::kString, 37, 1024);
inline constexpr Shape kListLimit = Bounded(Kind::kInteger, 1, 100);
inline constexpr Member kTableNameMembers[] = {{"TableName", &kTableName, true}};

// Items (shapes_items.cc).
extern const Shape kAttributeValue;
extern const Shape kPutItem;
extern const Shape kUpdateItem;
extern const Shape kDeleteItem;
extern const Shape kGetItem;
extern const Shape kQuery;
extern const Shape kScan;
extern const Shape kBatchGetItem;
extern const Shape kBatchWriteItem;
extern const Shape kTransactGetItems;
extern const Shape kTransactWriteItems;

// Tables (shapes_tables.cc).
extern const Shape kCreateTable;
extern const Shape kUpdateTable;
extern const Shape kDeleteTable;
extern const Shape kDescribeTable;
extern const Shape kListTables;
extern const Shape kTagResource;
extern const Shape kUntagResource;
extern const Shape kListTagsOfResource;
extern const Shape kUpdateTimeToLive;
extern const Shape kDescribeTimeToLive;
extern const Shape kDescribeLimits;
extern const Shape kDescribeEndpoints;

// Streams (shapes_streams.cc).
extern const Shape kListStreams;
extern const Shape kDescribeStream;
extern const Shape kGetShardIterator;
extern const Shape kGetRecords;

// Backups and point-in-time recovery (shapes_recovery.cc).
extern const Shape kRestoreTableFromBackup;     // shapes_tables.cc
extern const Shape kRestoreTableToPointInTime;  // shapes_tables.cc
extern const Shape kCreateBackup;
extern const Shape kDescribeBackup;
extern const Shape kDeleteBackup;
extern const Shape kListBackups;
extern const Shape kUpdateContinuousBackups;
extern const Shape kDescribeContinuousBackups;

// Exports and imports (shapes_transfer.cc).
extern const Shape kTableCreationParameters;  // shapes_tables.cc
extern const Shape kExportTable;
extern const Shape kDescribeExport;
extern const Shape kListExports;
extern const Shape kImportTable;
extern const Shape kDescribeImport;
extern const Shape kListImports;

}  // namespace monotable::api::dynamodb::shapes
