#include "server/backup_note.h"

#include <cmath>

#include <fmt/format.h>

#include "deploy/document.h"
#include "json/json_writer.h"
#include "server/version.h"

namespace monotable::server {
namespace {

int64_t IntegerIn(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member ? json::IntegerOf(*member) : 0;
}

// Seconds with a fraction.
int64_t TimeMsIn(const json::Object& object, std::string_view name) {
  double seconds = 0;
  const auto member = json::Find(object, name);
  if (!member || !member->Get(&seconds)) return 0;
  return std::llround(seconds * 1000);
}

}  // namespace

std::string EncodeNote(int64_t time_ms, const std::vector<BackedUpTable>& tables) {
  std::string note;
  json::Writer writer(&note);
  writer.BeginObject().Key("Version").String(kVersion);
  writer.Key("Time").Raw(fmt::format("{}.{:03}", time_ms / 1000, time_ms % 1000));
  writer.Key("Tables").BeginArray();
  for (const BackedUpTable& table : tables) {
    writer.BeginObject().Key("TableName").String(table.name);
    writer.Key("ItemCount").Integer(table.items);
    if (!table.digest.empty()) writer.Key("Digest").String(table.digest);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return note;
}

ServerBackup ReadBackup(const json::Object& object) {
  ServerBackup backup;
  backup.id = static_cast<uint32_t>(IntegerIn(object, "Id"));
  backup.time_ms = TimeMsIn(object, "Time");
  backup.bytes = static_cast<uint64_t>(IntegerIn(object, "Bytes"));
  backup.files = static_cast<uint32_t>(IntegerIn(object, "Files"));
  backup.folder = deploy::TextOf(object, "Folder");
  backup.damaged = deploy::FlagOf(object, "Damaged");
  if (const auto tables = deploy::ArrayIn(object, "Tables")) {
    for (const json::Element& element : *tables) {
      if (!element.is_object()) continue;
      const json::Object table = json::ObjectOf(element);
      backup.tables.push_back({std::string(deploy::TextOf(table, "TableName")),
                               IntegerIn(table, "ItemCount"),
                               std::string(deploy::TextOf(table, "Digest"))});
    }
  }
  return backup;
}

ServerBackup Describe(const storage::BackupInfo& info, const std::string& backup_folder) {
  ServerBackup backup;
  const auto note = deploy::Document::Parse(info.note);
  if (note && note->root().is_object()) backup = ReadBackup(note->object());
  if (backup.time_ms == 0) backup.time_ms = info.time * 1000;
  backup.id = info.id;
  backup.bytes = info.bytes;
  backup.files = info.files;
  backup.folder = backup_folder;
  backup.damaged = info.damaged;
  return backup;
}

}  // namespace monotable::server
