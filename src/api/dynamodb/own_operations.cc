#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamodb/administration.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"
#include "engine/expiry.h"
#include "json/base64.h"
#include "json/json_writer.h"
#include "wire/attribute_value.h"
#include "wire/fields.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr int64_t kMaxAdvanceSeconds = int64_t{100} * 365 * 24 * 3600;

constexpr Shape kSeconds = Bounded(Kind::kLong, 0, kMaxAdvanceSeconds);

constexpr Member kAdvanceClockMembers[] = {{"Seconds", &kSeconds, true}};
constexpr Shape kAdvanceClock = Structure("AdvanceClockInput", kAdvanceClockMembers);
constexpr Member kCreateServerBackupMembers[] = {{"Digest", &kFlag}};
constexpr Shape kCreateServerBackup =
    Structure("CreateServerBackupInput", kCreateServerBackupMembers);
constexpr Shape kListServerBackups = Structure("ListServerBackupsInput", {});
constexpr Shape kScrubServer = Structure("ScrubServerInput", {});
constexpr Shape kModelName = Bounded(Kind::kString, 1, 255);
constexpr Shape kAuditLimit = Bounded(Kind::kInteger, 1, 10'000);
constexpr Member kVerifyModelMembers[] = {{"Model", &kModelName, true},
                                          {"Repair", &kFlag},
                                          {"Position", &kText},
                                          {"Limit", &kAuditLimit}};
constexpr Shape kVerifyModel = Structure("VerifyModelInput", kVerifyModelMembers);
constexpr Member kDescribeExpiryMembers[] = {{"TableName", &kTableName}};
constexpr Shape kDescribeExpiry = Structure("DescribeExpiryInput", kDescribeExpiryMembers);

}  // namespace
}  // namespace shapes

namespace {

Error UnknownOperation() {
  return Error(ErrorCode::kUnknownOperation, "");
}

void EncodeServerBackup(const ServerBackup& backup, json::Writer* writer) {
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

Answer AdvanceClock(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  // Read as a double, because a long would cut fractions off.
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

Answer CreateServerBackup(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  TRY_ASSIGN(const ServerBackup backup,
             call.administration->CreateBackup(Fields(call.body).Flag("Digest")));
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Backup");
  EncodeServerBackup(backup, &writer);
  writer.EndObject();
  return body;
}

Answer ListServerBackups(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  TRY_ASSIGN(const std::vector<ServerBackup> backups, call.administration->ListBackups());
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Backups").BeginArray();
  for (const ServerBackup& backup : backups) EncodeServerBackup(backup, &writer);
  writer.EndArray().EndObject();
  return body;
}

Answer ScrubServer(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  TRY_ASSIGN(const ServerScrub scrub, call.administration->Scrub());
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Files").Integer(static_cast<int64_t>(scrub.files));
  writer.Key("Bytes").Integer(static_cast<int64_t>(scrub.bytes));
  writer.Key("Damage").BeginArray();
  for (const std::string& line : scrub.damage) writer.String(line);
  writer.EndArray().EndObject();
  return body;
}

void EncodeBreach(const ModelBreach& breach, json::Writer* writer) {
  writer->BeginObject().Key("Kind").String(breach.kind);
  writer->Key("State").String(breach.state);
  writer->Key("TableName").String(breach.table_name);
  if (!breach.entity.empty()) writer->Key("Entity").String(breach.entity);
  writer->Key("Key");
  wire::EncodeItem(breach.key, writer);
  if (!breach.attribute.empty()) writer->Key("Attribute").String(breach.attribute);
  writer->Key("Message").String(breach.message);
  writer->Key("Remedy").String(breach.remedy).EndObject();
}

Answer VerifyModel(const Call& call) {
  if (call.administration == nullptr) return UnknownOperation();
  constexpr int64_t kUsualLimit = 1000;
  const Fields fields(call.body);
  ModelAuditRequest request;
  request.model = fields.Text("Model");
  request.repair = fields.Flag("Repair");
  request.limit = static_cast<size_t>(fields.OptionalInteger("Limit").value_or(kUsualLimit));
  if (const auto position = fields.OptionalText("Position")) {
    auto bytes = json::DecodeBase64(*position);
    if (!bytes) {
      return Error::Validation("The Position is not one that an earlier answer has given.");
    }
    request.position = *std::move(bytes);
  }
  TRY_ASSIGN(const ModelAuditPage page, call.administration->AuditModel(request));
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject().Key("Items").Integer(page.items).Key("TotalItems").Integer(page.total);
  writer.Key("Findings").BeginArray();
  for (const ModelBreach& breach : page.breaches) EncodeBreach(breach, &writer);
  writer.EndArray();
  if (!page.next.empty()) {
    std::string position;
    json::AppendBase64(page.next, &position);
    writer.Key("NextPosition").String(position);
  }
  writer.EndObject();
  return body;
}

// Describes one table if the request names it, else all tables whose items can expire.
Answer DescribeExpiry(const Call& call) {
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

}  // namespace

std::span<const Operation> OwnOperations() {
  static constexpr Operation kOperations[] = {
      {"AdvanceClock", shapes::kAdvanceClock, Place::kWorker, AdvanceClock},
      {"CreateServerBackup", shapes::kCreateServerBackup, Place::kWorker, CreateServerBackup},
      {"ListServerBackups", shapes::kListServerBackups, Place::kWorker, ListServerBackups},
      {"ScrubServer", shapes::kScrubServer, Place::kWorker, ScrubServer},
      {"VerifyModel", shapes::kVerifyModel, Place::kWorker, VerifyModel},
      {"DescribeExpiry", shapes::kDescribeExpiry, Place::kWorker, DescribeExpiry},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
