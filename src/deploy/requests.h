#pragma once

#include <string>
#include <string_view>

#include "deploy/table_shape.h"

// The requests that create and change a table. Each is the JSON body of its operation.
namespace monotable::deploy {

std::string CreateTableRequest(const TableShape& table);

// Bodies of UpdateTable, which accepts one change at a time.
std::string CreateIndexRequest(const TableShape& table, const IndexShape& index);
std::string DeleteIndexRequest(std::string_view table_name, std::string_view index_name);
std::string StreamRequest(std::string_view table_name, std::optional<table::StreamViewType> view);
std::string BillingRequest(const TableShape& table);
std::string EncryptionRequest(const TableShape& table);
std::string DeletionProtectionRequest(std::string_view table_name, bool on);

// The body of UpdateTimeToLive.
std::string TimeToLiveRequest(std::string_view table_name, std::string_view attribute, bool on);
// The body of UpdateContinuousBackups.
std::string RecoveryRequest(const TableShape& table);

// The body of DescribeTable and other operations that need only the name of a table.
std::string TableNameRequest(std::string_view table_name);

}  // namespace monotable::deploy
