#include "encoding/stored_definition.h"

#include <optional>
#include <utility>

#include "encoding/item.h"
#include "encoding/record_reader.h"
#include "item/value.h"

namespace monotable::encoding {
namespace {

using item::Item;
using item::List;
using item::Number;
using item::Type;
using item::Value;

// The words of the wire protocol. They are on disk, so they must never change.
constexpr Words<Type, 3> kKeyTypes = {
    {{Type::kString, "S"}, {Type::kNumber, "N"}, {Type::kBinary, "B"}}};
constexpr Words<table::ProjectionType, 3> kProjectionTypes = {
    {{table::ProjectionType::kAll, "ALL"},
     {table::ProjectionType::kKeysOnly, "KEYS_ONLY"},
     {table::ProjectionType::kInclude, "INCLUDE"}}};
constexpr Words<table::IndexKind, 2> kIndexKinds = {
    {{table::IndexKind::kLocal, "LOCAL"}, {table::IndexKind::kGlobal, "GLOBAL"}}};
constexpr Words<table::IndexStatus, 4> kIndexStatuses = {
    {{table::IndexStatus::kCreating, "CREATING"},
     {table::IndexStatus::kActive, "ACTIVE"},
     {table::IndexStatus::kUpdating, "UPDATING"},
     {table::IndexStatus::kDeleting, "DELETING"}}};
constexpr Words<table::TableStatus, 4> kTableStatuses = {
    {{table::TableStatus::kActive, "ACTIVE"},
     {table::TableStatus::kCreating, "CREATING"},
     {table::TableStatus::kUpdating, "UPDATING"},
     {table::TableStatus::kDeleting, "DELETING"}}};
constexpr Words<table::BillingMode, 2> kBillingModes = {
    {{table::BillingMode::kProvisioned, "PROVISIONED"},
     {table::BillingMode::kPayPerRequest, "PAY_PER_REQUEST"}}};
constexpr Words<table::StreamViewType, 4> kStreamViewTypes = {
    {{table::StreamViewType::kKeysOnly, "KEYS_ONLY"},
     {table::StreamViewType::kNewImage, "NEW_IMAGE"},
     {table::StreamViewType::kOldImage, "OLD_IMAGE"},
     {table::StreamViewType::kNewAndOldImages, "NEW_AND_OLD_IMAGES"}}};
constexpr Words<table::TableClass, 2> kTableClasses = {
    {{table::TableClass::kStandard, "STANDARD"},
     {table::TableClass::kStandardInfrequentAccess, "STANDARD_INFREQUENT_ACCESS"}}};

template <typename Enum, size_t N>
Value Word(Enum value, const Words<Enum, N>& words) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return Value(word);
  }
  return Value();
}

Value Int(int64_t value) {
  return Value(Number::FromInt(value));
}

void SetOptional(Item* record, std::string_view name, const std::optional<int64_t>& value) {
  if (value) record->Set(name, Int(*value));
}

// Turns every member of a vector into a value, with the given function.
template <typename T, typename Function>
Value ListOf(const std::vector<T>& members, Function encode) {
  List list;
  list.reserve(members.size());
  for (const T& member : members) list.push_back(encode(member));
  return Value(std::move(list));
}

Value EncodeText(const std::string& text) {
  return Value(text);
}

Value EncodeAttribute(const table::KeyAttribute& attribute) {
  Item record;
  record.Set("name", Value(attribute.name));
  record.Set("type", Word(attribute.type, kKeyTypes));
  return Value(std::move(record));
}

Value EncodeKey(const table::KeySchema& key) {
  Item record;
  record.Set("hash", ListOf(key.hash, EncodeAttribute));
  record.Set("range", ListOf(key.range, EncodeAttribute));
  return Value(std::move(record));
}

Value EncodeProjection(const table::Projection& projection) {
  Item record;
  record.Set("type", Word(projection.type, kProjectionTypes));
  record.Set("non_key_attributes", ListOf(projection.non_key_attributes, EncodeText));
  return Value(std::move(record));
}

Value EncodeThroughput(const table::Throughput& throughput) {
  Item record;
  record.Set("read_units", Int(throughput.read_units));
  record.Set("write_units", Int(throughput.write_units));
  return Value(std::move(record));
}

void SetOnDemand(Item* record, const std::optional<table::OnDemandThroughput>& throughput) {
  if (!throughput) return;
  Item limits;
  SetOptional(&limits, "max_read_units", throughput->max_read_units);
  SetOptional(&limits, "max_write_units", throughput->max_write_units);
  record->Set("on_demand_throughput", Value(std::move(limits)));
}

void SetWarm(Item* record, const std::optional<table::WarmThroughput>& throughput) {
  if (!throughput) return;
  Item warm;
  SetOptional(&warm, "read_units_per_second", throughput->read_units_per_second);
  SetOptional(&warm, "write_units_per_second", throughput->write_units_per_second);
  record->Set("warm_throughput", Value(std::move(warm)));
}

Value EncodeIndex(const table::IndexDefinition& index) {
  Item record;
  record.Set("id", Int(index.id));
  record.Set("name", Value(index.name));
  record.Set("kind", Word(index.kind, kIndexKinds));
  record.Set("key", EncodeKey(index.key));
  record.Set("projection", EncodeProjection(index.projection));
  record.Set("status", Word(index.status, kIndexStatuses));
  record.Set("throughput", EncodeThroughput(index.throughput));
  SetOnDemand(&record, index.on_demand_throughput);
  SetWarm(&record, index.warm_throughput);
  return Value(std::move(record));
}

Value EncodeStream(const table::StreamSettings& stream) {
  Item record;
  record.Set("enabled", Value(stream.enabled));
  record.Set("view_type", Word(stream.view_type, kStreamViewTypes));
  record.Set("enabled_at_ms", Int(stream.enabled_at_ms));
  return Value(std::move(record));
}

Value EncodeMoment(const table::LogMoment& moment) {
  Item record;
  record.Set("time_ms", Int(moment.time_ms));
  record.Set("sequence", Int(static_cast<int64_t>(moment.sequence)));
  return Value(std::move(record));
}

Value EncodeStreamDefinition(const table::StreamDefinition& stream) {
  Item record;
  record.Set("label", Value(stream.label));
  record.Set("view_type", Word(stream.view_type, kStreamViewTypes));
  record.Set("created_at_ms", Int(stream.created_at_ms));
  record.Set("generations", ListOf(stream.generations, EncodeMoment));
  if (stream.end) record.Set("end", EncodeMoment(*stream.end));
  return Value(std::move(record));
}

Value EncodePointInTimeRecovery(const table::PointInTimeRecovery& recovery) {
  Item record;
  record.Set("enabled", Value(recovery.enabled));
  record.Set("days", Int(recovery.days));
  record.Set("enabled_at_ms", Int(recovery.enabled_at_ms));
  return Value(std::move(record));
}

Value EncodeOrigin(const table::RestoreOrigin& origin) {
  Item record;
  record.Set("source_backup_arn", Value(origin.source_backup_arn));
  record.Set("source_table_arn", Value(origin.source_table_arn));
  record.Set("moment_ms", Int(origin.moment_ms));
  return Value(std::move(record));
}

Value EncodeSse(const table::SseSettings& sse) {
  Item record;
  record.Set("enabled", Value(sse.enabled));
  record.Set("kms_key_arn", Value(sse.kms_key_arn));
  return Value(std::move(record));
}

Value EncodeTimeToLive(const table::TimeToLive& time_to_live) {
  Item record;
  record.Set("enabled", Value(time_to_live.enabled));
  record.Set("attribute", Value(time_to_live.attribute));
  record.Set("changed_at_ms", Int(time_to_live.changed_at_ms));
  record.Set("filled", Value(time_to_live.filled));
  return Value(std::move(record));
}

Value EncodeTag(const table::Tag& tag) {
  Item record;
  record.Set("key", Value(tag.key));
  record.Set("value", Value(tag.value));
  return Value(std::move(record));
}

void ReadAttribute(const RecordReader& reader, table::KeyAttribute* attribute) {
  reader.Read("name", &attribute->name);
  reader.Read("type", kKeyTypes, &attribute->type);
}

void ReadKey(const RecordReader& reader, table::KeySchema* key) {
  reader.ReadMap("key", [key](const RecordReader& schema) {
    schema.ReadMaps("hash", &key->hash, ReadAttribute);
    schema.ReadMaps("range", &key->range, ReadAttribute);
  });
}

void ReadThroughput(const RecordReader& reader, table::Throughput* throughput) {
  reader.ReadMap("throughput", [throughput](const RecordReader& units) {
    units.Read("read_units", &throughput->read_units);
    units.Read("write_units", &throughput->write_units);
  });
}

void ReadOnDemand(const RecordReader& reader, std::optional<table::OnDemandThroughput>* out) {
  reader.ReadMap("on_demand_throughput", [out](const RecordReader& limits) {
    table::OnDemandThroughput& throughput = out->emplace();
    limits.Read("max_read_units", &throughput.max_read_units);
    limits.Read("max_write_units", &throughput.max_write_units);
  });
}

void ReadWarm(const RecordReader& reader, std::optional<table::WarmThroughput>* out) {
  reader.ReadMap("warm_throughput", [out](const RecordReader& warm) {
    table::WarmThroughput& throughput = out->emplace();
    warm.Read("read_units_per_second", &throughput.read_units_per_second);
    warm.Read("write_units_per_second", &throughput.write_units_per_second);
  });
}

void ReadIndex(const RecordReader& reader, table::IndexDefinition* index) {
  reader.Read("id", &index->id);
  reader.Read("name", &index->name);
  reader.Read("kind", kIndexKinds, &index->kind);
  ReadKey(reader, &index->key);
  reader.ReadMap("projection", [index](const RecordReader& projection) {
    projection.Read("type", kProjectionTypes, &index->projection.type);
    projection.ReadTexts("non_key_attributes", &index->projection.non_key_attributes);
  });
  reader.Read("status", kIndexStatuses, &index->status);
  ReadThroughput(reader, &index->throughput);
  ReadOnDemand(reader, &index->on_demand_throughput);
  ReadWarm(reader, &index->warm_throughput);
}

void ReadTag(const RecordReader& reader, table::Tag* tag) {
  reader.Read("key", &tag->key);
  reader.Read("value", &tag->value);
}

void ReadMoment(const RecordReader& reader, table::LogMoment* moment) {
  reader.Read("time_ms", &moment->time_ms);
  reader.Read("sequence", &moment->sequence);
}

void ReadStream(const RecordReader& reader, table::StreamDefinition* stream) {
  reader.Read("label", &stream->label);
  reader.Read("view_type", kStreamViewTypes, &stream->view_type);
  reader.Read("created_at_ms", &stream->created_at_ms);
  reader.ReadMaps("generations", &stream->generations, ReadMoment);
  reader.ReadMap("end",
                 [stream](const RecordReader& end) { ReadMoment(end, &stream->end.emplace()); });
}

// How much of its past the table keeps.
void ReadHistory(const RecordReader& reader, table::TableDefinition* definition) {
  reader.ReadMaps("streams", &definition->streams, ReadStream);
  reader.ReadMap("point_in_time_recovery", [definition](const RecordReader& recovery) {
    recovery.Read("enabled", &definition->point_in_time_recovery.enabled);
    recovery.Read("days", &definition->point_in_time_recovery.days);
    recovery.Read("enabled_at_ms", &definition->point_in_time_recovery.enabled_at_ms);
  });
  reader.ReadMap("restored_from", [definition](const RecordReader& reader_of_origin) {
    table::RestoreOrigin& origin = definition->restored_from.emplace();
    reader_of_origin.Read("source_backup_arn", &origin.source_backup_arn);
    reader_of_origin.Read("source_table_arn", &origin.source_table_arn);
    reader_of_origin.Read("moment_ms", &origin.moment_ms);
  });
}

void ReadBilling(const RecordReader& reader, table::TableDefinition* definition) {
  reader.Read("billing_mode", kBillingModes, &definition->billing_mode);
  reader.Read("pay_per_request_since_ms", &definition->pay_per_request_since_ms);
  ReadThroughput(reader, &definition->throughput);
  reader.Read("throughput_increased_at_ms", &definition->throughput_increased_at_ms);
  reader.Read("throughput_decreased_at_ms", &definition->throughput_decreased_at_ms);
  reader.Read("decreases_today", &definition->decreases_today);
  ReadOnDemand(reader, &definition->on_demand_throughput);
  ReadWarm(reader, &definition->warm_throughput);
}

void ReadSettings(const RecordReader& reader, table::TableDefinition* definition) {
  reader.ReadMap("stream", [definition](const RecordReader& stream) {
    stream.Read("enabled", &definition->stream.enabled);
    stream.Read("view_type", kStreamViewTypes, &definition->stream.view_type);
    stream.Read("enabled_at_ms", &definition->stream.enabled_at_ms);
  });
  reader.Read("latest_stream_label", &definition->latest_stream_label);
  reader.ReadMap("sse", [definition](const RecordReader& sse) {
    sse.Read("enabled", &definition->sse.enabled);
    sse.Read("kms_key_arn", &definition->sse.kms_key_arn);
  });
  reader.Read("table_class", kTableClasses, &definition->table_class);
  reader.Read("table_class_changed_at_ms", &definition->table_class_changed_at_ms);
  reader.Read("deletion_protection", &definition->deletion_protection);
  reader.ReadMap("time_to_live", [definition](const RecordReader& time_to_live) {
    time_to_live.Read("enabled", &definition->time_to_live.enabled);
    time_to_live.Read("attribute", &definition->time_to_live.attribute);
    time_to_live.Read("changed_at_ms", &definition->time_to_live.changed_at_ms);
    time_to_live.Read("filled", &definition->time_to_live.filled);
  });
  reader.ReadMaps("tags", &definition->tags, ReadTag);
}

}  // namespace

std::string EncodeDefinition(const table::TableDefinition& definition) {
  Item record;
  record.Set("id", Int(definition.id));
  record.Set("name", Value(definition.name));
  record.Set("uuid", Value(definition.uuid));
  record.Set("created_at_ms", Int(definition.created_at_ms));
  record.Set("status", Word(definition.status, kTableStatuses));
  record.Set("attributes", ListOf(definition.attributes, EncodeAttribute));
  record.Set("key", EncodeKey(definition.key));
  record.Set("indexes", ListOf(definition.indexes, EncodeIndex));
  record.Set("next_index_id", Int(definition.next_index_id));
  record.Set("billing_mode", Word(definition.billing_mode, kBillingModes));
  SetOptional(&record, "pay_per_request_since_ms", definition.pay_per_request_since_ms);
  record.Set("throughput", EncodeThroughput(definition.throughput));
  record.Set("throughput_increased_at_ms", Int(definition.throughput_increased_at_ms));
  record.Set("throughput_decreased_at_ms", Int(definition.throughput_decreased_at_ms));
  record.Set("decreases_today", Int(definition.decreases_today));
  SetOnDemand(&record, definition.on_demand_throughput);
  SetWarm(&record, definition.warm_throughput);
  record.Set("stream", EncodeStream(definition.stream));
  record.Set("latest_stream_label", Value(definition.latest_stream_label));
  record.Set("streams", ListOf(definition.streams, EncodeStreamDefinition));
  record.Set("point_in_time_recovery",
             EncodePointInTimeRecovery(definition.point_in_time_recovery));
  if (definition.restored_from) {
    record.Set("restored_from", EncodeOrigin(*definition.restored_from));
  }
  record.Set("sse", EncodeSse(definition.sse));
  if (definition.table_class) {
    record.Set("table_class", Word(*definition.table_class, kTableClasses));
  }
  record.Set("table_class_changed_at_ms", Int(definition.table_class_changed_at_ms));
  record.Set("deletion_protection", Value(definition.deletion_protection));
  record.Set("time_to_live", EncodeTimeToLive(definition.time_to_live));
  record.Set("tags", ListOf(definition.tags, EncodeTag));
  return EncodeItem(record).bytes;
}

Result<table::TableDefinition> DecodeDefinition(std::string_view record) {
  TRY_ASSIGN(const Item item, DecodeItem(record));
  bool damaged = false;
  const RecordReader reader(item, &damaged);
  table::TableDefinition definition;
  reader.Read("id", &definition.id);
  reader.Read("name", &definition.name);
  reader.Read("uuid", &definition.uuid);
  reader.Read("created_at_ms", &definition.created_at_ms);
  reader.Read("status", kTableStatuses, &definition.status);
  reader.ReadMaps("attributes", &definition.attributes, ReadAttribute);
  ReadKey(reader, &definition.key);
  reader.ReadMaps("indexes", &definition.indexes, ReadIndex);
  reader.Read("next_index_id", &definition.next_index_id);
  ReadBilling(reader, &definition);
  ReadSettings(reader, &definition);
  ReadHistory(reader, &definition);
  for (const table::StreamDefinition& stream : definition.streams) {
    damaged = damaged || stream.generations.empty();
  }
  if (damaged || definition.id == 0 || definition.name.empty() || definition.key.hash.empty()) {
    return Error::Internal("A table definition in the catalog is damaged.");
  }
  return definition;
}

}  // namespace monotable::encoding
