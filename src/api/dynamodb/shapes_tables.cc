#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb::shapes {
namespace {

constexpr Shape kLong = Scalar(Kind::kLong);

constexpr Shape kNewTableName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kName));
constexpr Shape kIndexName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kName));
constexpr Shape kKeyName = Bounded(Kind::kString, 1, 255);

// Enumerations and the members of structures in the order in which the service reports them, which
// is not that of its model.
constexpr std::string_view kAttributeTypeNames[] = {"B", "N", "S"};
constexpr std::string_view kKeyTypeNames[] = {"HASH", "RANGE"};
constexpr std::string_view kProjectionTypeNames[] = {"ALL", "INCLUDE", "KEYS_ONLY"};
constexpr std::string_view kBillingModeNames[] = {"PROVISIONED", "PAY_PER_REQUEST"};
constexpr std::string_view kStreamViewNames[] = {"OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES",
                                                 "NEW_IMAGE"};
constexpr std::string_view kSseTypeNames[] = {"AES256", "KMS"};
constexpr Shape kAttributeType = Enumeration(kAttributeTypeNames);
constexpr Shape kKeyType = Enumeration(kKeyTypeNames);
constexpr Shape kProjectionType = Enumeration(kProjectionTypeNames);
constexpr Shape kBillingMode = Enumeration(kBillingModeNames);
constexpr Shape kStreamView = Enumeration(kStreamViewNames);
constexpr Shape kSseType = Enumeration(kSseTypeNames);

constexpr Member kAttributeDefinitionMembers[] = {
    {"AttributeType", &kAttributeType, true},
    {"AttributeName", &kKeyName, true},
};
constexpr Shape kAttributeDefinition =
    Structure("AttributeDefinition", kAttributeDefinitionMembers);
constexpr Shape kAttributeDefinitions = ListOf(&kAttributeDefinition);

constexpr Member kKeySchemaElementMembers[] = {
    {"AttributeName", &kKeyName, true},
    {"KeyType", &kKeyType, true},
};
constexpr Shape kKeySchemaElement = Structure("KeySchemaElement", kKeySchemaElementMembers);
// A global index may have four partition and four sort attributes; how many a key really may have
// is a rule of each kind of key, not of the shape.
constexpr Shape kKeySchema = ListOf(&kKeySchemaElement, 1);

constexpr Shape kNonKeyAttributes = ListOf(&kKeyName, 1, 20);
constexpr Member kProjectionMembers[] = {
    {"ProjectionType", &kProjectionType},
    {"NonKeyAttributes", &kNonKeyAttributes},
};
constexpr Shape kProjection = Structure("Projection", kProjectionMembers);

constexpr Shape kUnits = Bounded(Kind::kLong, 1);
constexpr Member kThroughputMembers[] = {
    {"WriteCapacityUnits", &kUnits, true},
    {"ReadCapacityUnits", &kUnits, true},
};
constexpr Shape kThroughput = Structure("ProvisionedThroughput", kThroughputMembers);

constexpr Member kOnDemandMembers[] = {
    {"MaxReadRequestUnits", &kLong},
    {"MaxWriteRequestUnits", &kLong},
};
constexpr Shape kOnDemand = Structure("OnDemandThroughput", kOnDemandMembers);

constexpr Member kWarmMembers[] = {
    {"ReadUnitsPerSecond", &kLong},
    {"WriteUnitsPerSecond", &kLong},
};
constexpr Shape kWarm = Structure("WarmThroughput", kWarmMembers);

constexpr Member kLocalIndexMembers[] = {
    {"IndexName", &kIndexName, true},
    {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true},
};
constexpr Shape kLocalIndex = Structure("LocalSecondaryIndex", kLocalIndexMembers);
constexpr Shape kLocalIndexes = ListOf(&kLocalIndex);

constexpr Member kGlobalIndexMembers[] = {
    {"IndexName", &kIndexName, true},   {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true}, {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand}, {"WarmThroughput", &kWarm},
};
constexpr Shape kGlobalIndex = Structure("GlobalSecondaryIndex", kGlobalIndexMembers);
constexpr Shape kGlobalIndexes = ListOf(&kGlobalIndex);

constexpr Member kStreamMembers[] = {
    {"StreamEnabled", &kFlag, true},
    {"StreamViewType", &kStreamView},
};
constexpr Shape kStream = Structure("StreamSpecification", kStreamMembers);

constexpr Shape kKeyId = Bounded(Kind::kString, 1);
constexpr Member kSseMembers[] = {
    {"Enabled", &kFlag},
    {"SSEType", &kSseType},
    {"KMSMasterKeyId", &kKeyId},
};
constexpr Shape kSse = Structure("SSESpecification", kSseMembers);

// What tags may be is a rule of the operations, which word it in their own way.
constexpr Member kTagMembers[] = {
    {"Key", &kText},
    {"Value", &kText},
};
constexpr Shape kTag = Structure("Tag", kTagMembers);
constexpr Shape kTags = ListOf(&kTag);
constexpr Shape kTagKeys = ListOf(&kText);

constexpr Member kCreateTableMembers[] = {
    {"AttributeDefinitions", &kAttributeDefinitions},
    {"TableName", &kNewTableName, true, Report::kClassic,
     "The parameter 'TableName' is required but was not present in the request"},
    {"KeySchema", &kKeySchema},
    {"LocalSecondaryIndexes", &kLocalIndexes},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kSse},
    {"Tags", &kTags},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"WarmThroughput", &kWarm},
    {"OnDemandThroughput", &kOnDemand},
};

// CreateTable as a part of ImportTable.
constexpr Member kTableCreationMembers[] = {
    {"TableName", &kNewTableName, true},
    {"AttributeDefinitions", &kAttributeDefinitions, true},
    {"KeySchema", &kKeySchema, true},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
    {"SSESpecification", &kSse},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
};

constexpr Member kCreateIndexMembers[] = {
    {"IndexName", &kIndexName, true},   {"KeySchema", &kKeySchema, true},
    {"Projection", &kProjection, true}, {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand}, {"WarmThroughput", &kWarm},
};
constexpr Shape kCreateIndex = Structure("CreateGlobalSecondaryIndexAction", kCreateIndexMembers);
constexpr Member kUpdateIndexMembers[] = {
    {"IndexName", &kIndexName, true},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};
constexpr Shape kUpdateIndex = Structure("UpdateGlobalSecondaryIndexAction", kUpdateIndexMembers);
constexpr Member kDeleteIndexMembers[] = {{"IndexName", &kIndexName, true}};
constexpr Shape kDeleteIndex = Structure("DeleteGlobalSecondaryIndexAction", kDeleteIndexMembers);
constexpr Member kIndexUpdateMembers[] = {
    {"Update", &kUpdateIndex},
    {"Create", &kCreateIndex},
    {"Delete", &kDeleteIndex},
};
constexpr Shape kIndexUpdate = Structure("GlobalSecondaryIndexUpdate", kIndexUpdateMembers);
constexpr Shape kIndexUpdates = ListOf(&kIndexUpdate);

constexpr Shape kReplicaUpdate = Structure("ReplicationGroupUpdate", {});
constexpr Shape kReplicaUpdates = ListOf(&kReplicaUpdate, 1);

constexpr Member kUpdateTableMembers[] = {
    {"AttributeDefinitions", &kAttributeDefinitions},
    {"TableName", &kTableName, true},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"GlobalSecondaryIndexUpdates", &kIndexUpdates},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kSse},
    {"ReplicaUpdates", &kReplicaUpdates},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};

constexpr Shape kStartTableName = Bounded(Kind::kString, 3, 255, Pattern::kName);
constexpr Member kListTablesMembers[] = {
    {"ExclusiveStartTableName", &kStartTableName},
    {"Limit", &kListLimit},
};

constexpr Shape kResourceArn = Bounded(Kind::kString, 1, 1283);
constexpr Member kTagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"Tags", &kTags, true},
};
constexpr Member kUntagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"TagKeys", &kTagKeys, true},
};
constexpr Member kListTagsMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"NextToken", &kText},
};

constexpr Member kTimeToLiveMembers[] = {
    {"AttributeName", &kKeyName, true},
    {"Enabled", &kFlag, true},
};
constexpr Shape kTimeToLive = Structure("TimeToLiveSpecification", kTimeToLiveMembers);
constexpr Member kUpdateTimeToLiveMembers[] = {
    {"TableName", &kTableName, true},
    {"TimeToLiveSpecification", &kTimeToLive, true},
};

constexpr Member kRestoreFromBackupMembers[] = {
    {"TargetTableName", &kNewTableName, true},
    {"BackupArn", &kBackupArn, true},
    {"BillingModeOverride", &kBillingMode},
    {"GlobalSecondaryIndexOverride", &kGlobalIndexes},
    {"LocalSecondaryIndexOverride", &kLocalIndexes},
    {"ProvisionedThroughputOverride", &kThroughput},
    {"OnDemandThroughputOverride", &kOnDemand},
    {"SSESpecificationOverride", &kSse},
};

constexpr Member kRestoreToPointInTimeMembers[] = {
    {"SourceTableArn", &kTableArn},
    {"SourceTableName", &kTableName},
    {"TargetTableName", &kNewTableName, true},
    {"UseLatestRestorableTime", &kFlag},
    {"RestoreDateTime", &kTime},
    {"BillingModeOverride", &kBillingMode},
    {"GlobalSecondaryIndexOverride", &kGlobalIndexes},
    {"LocalSecondaryIndexOverride", &kLocalIndexes},
    {"ProvisionedThroughputOverride", &kThroughput},
    {"OnDemandThroughputOverride", &kOnDemand},
    {"SSESpecificationOverride", &kSse},
};

}  // namespace

constexpr Shape kCreateTable = Structure("CreateTableInput", kCreateTableMembers);
constexpr Shape kTableCreationParameters =
    Structure("TableCreationParameters", kTableCreationMembers);
constexpr Shape kUpdateTable = Structure("UpdateTableInput", kUpdateTableMembers);
constexpr Shape kDeleteTable = Structure("DeleteTableInput", kTableNameMembers);
constexpr Shape kDescribeTable = Structure("DescribeTableInput", kTableNameMembers);
constexpr Shape kRestoreTableFromBackup =
    Structure("RestoreTableFromBackupInput", kRestoreFromBackupMembers);
constexpr Shape kRestoreTableToPointInTime =
    Structure("RestoreTableToPointInTimeInput", kRestoreToPointInTimeMembers);
constexpr Shape kListTables = Structure("ListTablesInput", kListTablesMembers);
constexpr Shape kTagResource = Structure("TagResourceInput", kTagResourceMembers);
constexpr Shape kUntagResource = Structure("UntagResourceInput", kUntagResourceMembers);
constexpr Shape kListTagsOfResource = Structure("ListTagsOfResourceInput", kListTagsMembers);
constexpr Shape kUpdateTimeToLive = Structure("UpdateTimeToLiveInput", kUpdateTimeToLiveMembers);
constexpr Shape kDescribeTimeToLive = Structure("DescribeTimeToLiveInput", kTableNameMembers);
constexpr Shape kDescribeLimits = Structure("DescribeLimitsInput", {});
constexpr Shape kDescribeEndpoints = Structure("DescribeEndpointsRequest", {});

}  // namespace monotable::api::dynamodb::shapes
