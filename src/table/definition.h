#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "item/value.h"

// What a table is: names, keys, indexes and settings, as CreateTable gives them and DescribeTable
// answers them. Plain data; a definition that the catalog hands out never changes.
namespace monotable::table {

// A key attribute is always a string, a number or a binary.
struct KeyAttribute {
  std::string name;
  item::Type type = item::Type::kString;
  friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// The key of a table or an index. Tables and local indexes have one hash and at most one range
// attribute; a global index has up to four of each.
struct KeySchema {
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;

  bool Has(std::string_view name) const;
  const KeyAttribute* Find(std::string_view name) const;
  friend bool operator==(const KeySchema&, const KeySchema&) = default;
};

enum class ProjectionType { kAll, kKeysOnly, kInclude };

struct Projection {
  ProjectionType type = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes;  // only with kInclude
  friend bool operator==(const Projection&, const Projection&) = default;
};

struct Throughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  friend bool operator==(const Throughput&, const Throughput&) = default;
};

// Limits for on-demand tables; -1 means no limit.
struct OnDemandThroughput {
  std::optional<int64_t> max_read_units;
  std::optional<int64_t> max_write_units;
  friend bool operator==(const OnDemandThroughput&, const OnDemandThroughput&) = default;
};

struct WarmThroughput {
  std::optional<int64_t> read_units_per_second;
  std::optional<int64_t> write_units_per_second;
  friend bool operator==(const WarmThroughput&, const WarmThroughput&) = default;
};

enum class IndexKind { kLocal, kGlobal };
enum class IndexStatus { kCreating, kActive, kUpdating, kDeleting };

struct IndexDefinition {
  // Identifies the index in stored keys. An id is never 0 and never used twice within a table.
  uint16_t id = 0;
  std::string name;
  IndexKind kind = IndexKind::kGlobal;
  KeySchema key;
  Projection projection;
  IndexStatus status = IndexStatus::kActive;
  Throughput throughput;  // global indexes only, zero with on-demand billing
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<WarmThroughput> warm_throughput;
  friend bool operator==(const IndexDefinition&, const IndexDefinition&) = default;
};

enum class BillingMode { kProvisioned, kPayPerRequest };
// A table that is being created from a backup, from the past or from files can be described, but
// not read or written.
enum class TableStatus { kActive, kUpdating, kDeleting, kCreating };
enum class StreamViewType { kKeysOnly, kNewImage, kOldImage, kNewAndOldImages };
enum class TableClass { kStandard, kStandardInfrequentAccess };

struct StreamSettings {
  bool enabled = false;
  StreamViewType view_type = StreamViewType::kNewAndOldImages;
  int64_t enabled_at_ms = 0;  // the stream's label
  friend bool operator==(const StreamSettings&, const StreamSettings&) = default;
};

// A place in the change log: encoding::ChangePosition, without the position within a commit.
struct LogMoment {
  int64_t time_ms = 0;
  uint64_t sequence = 0;
  friend bool operator==(const LogMoment&, const LogMoment&) = default;
};

// A stream that can be read: the one that is enabled, or one that ended within the last day.
struct StreamDefinition {
  std::string label;
  StreamViewType view_type = StreamViewType::kNewAndOldImages;
  int64_t created_at_ms = 0;
  // Where each generation of shards begins; the first generation begins with the stream itself.
  // Shards are closed and continued by others every few hours, as in the service.
  std::vector<LogMoment> generations;
  std::optional<LogMoment> end;
  friend bool operator==(const StreamDefinition&, const StreamDefinition&) = default;
};

struct PointInTimeRecovery {
  bool enabled = false;
  int64_t days = 35;
  int64_t enabled_at_ms = 0;  // the earliest moment that was ever kept
  friend bool operator==(const PointInTimeRecovery&, const PointInTimeRecovery&) = default;
};

// Where a restored table came from.
struct RestoreOrigin {
  std::string source_backup_arn;  // empty: from the past of the table itself
  std::string source_table_arn;
  int64_t moment_ms = 0;
  friend bool operator==(const RestoreOrigin&, const RestoreOrigin&) = default;
};

struct SseSettings {
  bool enabled = false;
  std::string kms_key_arn;
  friend bool operator==(const SseSettings&, const SseSettings&) = default;
};

struct TimeToLive {
  bool enabled = false;
  std::string attribute;
  int64_t changed_at_ms = 0;
  // Whether all items that expire are in the list of expiries, including those written before time
  // to live was enabled.
  bool filled = false;
  friend bool operator==(const TimeToLive&, const TimeToLive&) = default;
};

struct Tag {
  std::string key;
  std::string value;
  friend bool operator==(const Tag&, const Tag&) = default;
};

struct TableDefinition {
  // Identifies the table in stored keys. An id is never used twice, so that a table name can be
  // used again at once.
  uint32_t id = 0;
  std::string name;
  std::string uuid;  // TableId on the wire
  int64_t created_at_ms = 0;
  TableStatus status = TableStatus::kActive;

  // In the order of the request that defined them. Keys refer to attributes by name.
  std::vector<KeyAttribute> attributes;
  KeySchema key;
  std::vector<IndexDefinition> indexes;  // local ones first
  uint16_t next_index_id = 1;

  BillingMode billing_mode = BillingMode::kProvisioned;
  std::optional<int64_t> pay_per_request_since_ms;
  Throughput throughput;
  int64_t throughput_increased_at_ms = 0;  // 0: never
  int64_t throughput_decreased_at_ms = 0;
  int64_t decreases_today = 0;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<WarmThroughput> warm_throughput;

  StreamSettings stream;
  std::string latest_stream_label;        // kept after the stream is switched off
  std::vector<StreamDefinition> streams;  // oldest first; kept by the catalog
  PointInTimeRecovery point_in_time_recovery;
  std::optional<RestoreOrigin> restored_from;
  SseSettings sse;
  std::optional<TableClass> table_class;
  int64_t table_class_changed_at_ms = 0;
  bool deletion_protection = false;
  TimeToLive time_to_live;
  std::vector<Tag> tags;

  const IndexDefinition* FindIndex(std::string_view index_name) const;
  bool HasLocalIndex() const;
  const KeyAttribute* FindAttribute(std::string_view attribute_name) const;
  friend bool operator==(const TableDefinition&, const TableDefinition&) = default;
};

// Whether an index keeps this attribute of an item.
bool Projects(const TableDefinition& table, const IndexDefinition& index, std::string_view name);

// What DynamoDB calls the settings of a table.
std::string_view ProjectionName(ProjectionType type);  // ALL, KEYS_ONLY, INCLUDE
std::string_view StreamViewName(StreamViewType type);  // NEW_IMAGE, …
std::string_view BillingModeName(BillingMode mode);    // PROVISIONED, PAY_PER_REQUEST

// The longest values of key attributes.
inline constexpr size_t kMaxHashKeyBytes = 2048;
inline constexpr size_t kMaxRangeKeyBytes = 1024;

}  // namespace monotable::table
