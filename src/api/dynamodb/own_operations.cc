#include "api/dynamodb/own_operations.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/dynamodb/administration.h"
#include "api/dynamodb/fields.h"
#include "engine/expiry.h"
#include "json/json_writer.h"

namespace monotable::api::dynamodb {
namespace {

constexpr int64_t kMaxAdvanceSeconds = int64_t{100} * 365 * 24 * 3600;

constexpr Shape kFlag = Scalar(Kind::kBoolean);
constexpr Shape kTableName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kNameOrArn));
constexpr Shape kSeconds = Bounded(Kind::kLong, 0, kMaxAdvanceSeconds);

constexpr Member kAdvanceClockMembers[] = {{"Seconds", &kSeconds, true}};
constexpr Shape kAdvanceClock = Structure("AdvanceClockInput", kAdvanceClockMembers);
constexpr Member kCreateServerBackupMembers[] = {{"Digest", &kFlag}};
constexpr Shape kCreateServerBackup =
    Structure("CreateServerBackupInput", kCreateServerBackupMembers);
constexpr Shape kListServerBackups = Structure("ListServerBackupsInput", {});
constexpr Member kDescribeExpiryMembers[] = {{"TableName", &kTableName}};
constexpr Shape kDescribeExpiry = Structure("DescribeExpiryInput", kDescribeExpiryMembers);

Error UnknownOperation() {
  return Error(ErrorCode::kUnknownOperation, "");
}

// Seconds since the epoch, to the millisecond, as the service writes times.
void EncodeTime(std::string_view name, int64_t milliseconds, json::Writer* writer) {
  writer->Key(name).Raw(fmt::format("{}.{:03}", milliseconds / 1000, milliseconds % 1000));
}

void EncodeBackup(const ServerBackup& backup, json::Writer* writer) {
  writer->BeginObject().Key("Id").Integer(backup.id);
  if (backup.damaged) {
    writer->Key("Damaged").Bool(true);
    writer->Key("Folder").String(backup.folder).EndObject();
    return;
  }
  EncodeTime("Time", backup.time_ms, writer);
  writer->Key("Bytes").Integer(static_cast<int64_t>(backup.bytes));
  writer->Key("Files").Integer(backup.files);
  writer->Key("Folder").String(backup.folder);
  writer->Key("Tables").BeginArray();
  for (const BackedUpTable& table : backup.tables) {
    writer->BeginObject().Key("TableName").String(table.name);
    writer->Key("ItemCount").Integer(table.items);
    if (!table.digest.empty()) writer->Key("Digest").String(table.digest);
    writer->EndObject();
  }
  writer->EndArray().EndObject();
}

Result<std::string> AdvanceClock(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  // Fractions count, which a long would cut off.
  double seconds = 0;
  const auto given = json::Find(call.body, "Seconds");
  if (!given || !given->Get(&seconds) || !(seconds >= 0)) {
    return Error::Validation("Seconds is a number from 0: time does not go back.");
  }
  TRY_ASSIGN(const int64_t now_ms, call.administration->AdvanceClock(std::llround(seconds * 1000)));
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject();
  EncodeTime("Now", now_ms, &writer);
  writer.EndObject();
  return body;
}

Result<std::string> CreateServerBackup(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  TRY_ASSIGN(const ServerBackup backup,
             call.administration->CreateBackup(Fields(call.body).Flag("Digest")));
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Backup");
  EncodeBackup(backup, &writer);
  writer.EndObject();
  return body;
}

Result<std::string> ListServerBackups(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  TRY_ASSIGN(const std::vector<ServerBackup> backups, call.administration->ListBackups());
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Backups").BeginArray();
  for (const ServerBackup& backup : backups) EncodeBackup(backup, &writer);
  writer.EndArray().EndObject();
  return body;
}

// One table if it is named, else all of those whose items can expire.
Result<std::string> DescribeExpiry(const Call& call) {
  std::vector<engine::TablePtr> tables;
  if (const auto name = Fields(call.body).OptionalText("TableName")) {
    TRY_ASSIGN(engine::TablePtr table, call.engine.FindTable(*name));
    tables.push_back(std::move(table));
  } else {
    tables = call.engine.catalog().All();
  }
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Tables").BeginArray();
  for (const engine::TablePtr& table : tables) {
    if (!table->time_to_live.enabled) continue;
    TRY_ASSIGN(const engine::ExpiryReport report, engine::ReportExpiry(call.engine, *table));
    writer.BeginObject().Key("TableName").String(table->name);
    writer.Key("AttributeName").String(table->time_to_live.attribute);
    writer.Key("PendingCount").Integer(report.pending);
    writer.Key("ExpiredCount").Integer(report.expired);
    writer.Key("IgnoredCount").Integer(report.ignored);
    writer.Key("DeletedCount").Integer(report.deleted);
    if (report.oldest_expired_second) {
      writer.Key("OldestExpired").Integer(*report.oldest_expired_second);
    }
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return body;
}

template <Result<std::string> (*kRun)(const Call&)>
void Answering(const Call& call) {
  auto body = kRun(call);
  if (!body) return call.reply.Fail(body.error());
  call.reply.Send(*std::move(body));
}

constexpr Operation kOperations[] = {
    {"AdvanceClock", kAdvanceClock, Place::kWorker, Answering<AdvanceClock>},
    {"CreateServerBackup", kCreateServerBackup, Place::kWorker, Answering<CreateServerBackup>},
    {"ListServerBackups", kListServerBackups, Place::kWorker, Answering<ListServerBackups>},
    {"DescribeExpiry", kDescribeExpiry, Place::kWorker, Answering<DescribeExpiry>},
};

}  // namespace

std::span<const Operation> OwnOperations() {
  return kOperations;
}

}  // namespace monotable::api::dynamodb
