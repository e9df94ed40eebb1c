#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb::shapes {
namespace {

constexpr Shape kStreamArn = Bounded(Kind::kString, 37, 1024);
constexpr Shape kShardId = Bounded(Kind::kString, 28, 65);
constexpr Shape kSequenceNumber = Bounded(Kind::kString, 21, 40);
constexpr Shape kShardIterator = Bounded(Kind::kString, 1, 2048);
constexpr Shape kPageLimit = Bounded(Kind::kInteger, 1, 100);
constexpr Shape kRecordLimit = Bounded(Kind::kInteger, 1, 1000);

constexpr std::string_view kIteratorTypeNames[] = {"AFTER_SEQUENCE_NUMBER", "LATEST",
                                                   "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"};
constexpr std::string_view kShardFilterNames[] = {"CHILD_SHARDS"};
constexpr Shape kIteratorType = Enumeration(kIteratorTypeNames);
constexpr Shape kShardFilterType = Enumeration(kShardFilterNames);

constexpr Member kListStreamsMembers[] = {
    {"TableName", &kTableName},
    {"Limit", &kPageLimit},
    {"ExclusiveStartStreamArn", &kStreamArn},
};

constexpr Member kShardFilterMembers[] = {
    {"Type", &kShardFilterType},
    {"ShardId", &kShardId},
};
constexpr Shape kShardFilter = Structure("ShardFilter", kShardFilterMembers);
constexpr Member kDescribeStreamMembers[] = {
    {"StreamArn", &kStreamArn, true},
    {"Limit", &kPageLimit},
    {"ExclusiveStartShardId", &kShardId},
    {"ShardFilter", &kShardFilter},
};

constexpr Member kGetShardIteratorMembers[] = {
    {"StreamArn", &kStreamArn, true},
    {"ShardId", &kShardId, true},
    {"ShardIteratorType", &kIteratorType, true},
    {"SequenceNumber", &kSequenceNumber},
};

constexpr Member kGetRecordsMembers[] = {
    {"ShardIterator", &kShardIterator, true},
    {"Limit", &kRecordLimit},
};

}  // namespace

constexpr Shape kListStreams = Structure("ListStreamsInput", kListStreamsMembers);
constexpr Shape kDescribeStream = Structure("DescribeStreamInput", kDescribeStreamMembers);
constexpr Shape kGetShardIterator = Structure("GetShardIteratorInput", kGetShardIteratorMembers);
constexpr Shape kGetRecords = Structure("GetRecordsInput", kGetRecordsMembers);

}  // namespace monotable::api::dynamodb::shapes
