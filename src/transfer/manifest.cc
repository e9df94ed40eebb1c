#include "transfer/manifest.h"

#include <string_view>

#include <fmt/format.h>

#include "json/base64.h"
#include "json/json_writer.h"
#include "time/calendar.h"
#include "transfer/error_report.h"
#include "transfer/md5.h"

namespace monotable::transfer {
namespace {

using operations::ExportDescription;
using operations::ExportType;

constexpr std::string_view kSummary = "manifest-summary";
constexpr std::string_view kFiles = "manifest-files";

std::string RootFolder(const ExportDescription& transfer) {
  std::string root = transfer.prefix.value_or("");
  if (!root.empty() && !root.ends_with('/')) root.push_back('/');
  return root + "AWSDynamoDB/";
}

// 2026-11-15T06:47:29.123Z
std::string IsoTime(int64_t milliseconds) {
  return time::Format(milliseconds, time::kIsoMilliseconds);
}

std::string Base64(std::string_view bytes) {
  std::string text;
  json::AppendBase64(bytes, &text);
  return text;
}

// As S3 has it for an object that came in one part: the MD5 of the MD5 of the part.
std::string EntityTag(const std::string& md5) {
  std::string tag;
  for (const char c : Md5Of(md5)) tag += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return tag + "-1";
}

void WriteText(std::string_view name, const std::optional<std::string>& text,
               json::Writer* writer) {
  writer->Key(name);
  if (text) {
    writer->String(*text);
  } else {
    writer->Raw("null");
  }
}

std::string ListOfFiles(const std::vector<DataFile>& files) {
  std::string lines;
  for (const DataFile& file : files) {
    std::string line;
    json::Writer writer(&line);
    writer.BeginObject().Key("itemCount").Integer(file.item_count);
    writer.Key("md5Checksum").String(Base64(file.md5));
    writer.Key("etag").String(EntityTag(file.md5));
    writer.Key("dataFileS3Key").String(file.key).EndObject();
    lines += line + "\n";
  }
  return lines;
}

std::string Summary(const ExportDescription& transfer) {
  const bool incremental = transfer.type == ExportType::kIncremental;
  std::string text;
  json::Writer writer(&text);
  writer.BeginObject();
  writer.Key("version").String(incremental ? "2023-08-01" : "2020-06-30");
  writer.Key("exportArn").String(transfer.arn);
  writer.Key("startTime").String(IsoTime(transfer.started_at_ms));
  writer.Key("endTime").String(IsoTime(transfer.ended_at_ms));
  writer.Key("tableArn").String(transfer.table_arn);
  writer.Key("tableId").String(transfer.table_uuid);
  if (incremental) {
    writer.Key("exportFromTime").String(IsoTime(transfer.from_ms));
    writer.Key("exportToTime").String(IsoTime(transfer.to_ms));
  } else {
    writer.Key("exportTime").String(IsoTime(transfer.time_ms));
  }
  writer.Key("s3Bucket").String(transfer.bucket);
  WriteText("s3Prefix", transfer.prefix, &writer);
  writer.Key("s3SseAlgorithm").String(transfer.sse_algorithm.value_or("AES256"));
  WriteText("s3SseKmsKeyId", transfer.sse_kms_key_id, &writer);
  writer.Key("manifestFilesS3Key").String(fmt::format("{}{}.json", ExportFolder(transfer), kFiles));
  writer.Key("billedSizeBytes").Integer(transfer.billed_bytes);
  writer.Key("itemCount").Integer(transfer.item_count);
  writer.Key("outputFormat").String("DYNAMODB_JSON");
  if (incremental) {
    const bool both = transfer.view == operations::ExportView::kNewAndOldImages;
    writer.Key("outputView").String(both ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE");
  }
  writer.Key("exportType").String(incremental ? "INCREMENTAL_EXPORT" : "FULL_EXPORT");
  writer.EndObject();
  return text;
}

Status PutWithChecksum(const Bucket& bucket, const std::string& path, std::string_view contents) {
  TRY(bucket.Put(path + ".checksum", Base64(Md5Of(contents))));
  return bucket.Put(path + ".json", contents);
}

}  // namespace

std::string ExportFolder(const ExportDescription& transfer) {
  return RootFolder(transfer) + transfer.id + "/";
}

std::string DataPath(const ExportDescription& transfer) {
  const bool incremental = transfer.type == ExportType::kIncremental;
  return (incremental ? RootFolder(transfer) : ExportFolder(transfer)) + "data/" + transfer.id;
}

std::string SummaryKey(const ExportDescription& transfer) {
  return fmt::format("{}{}.json", ExportFolder(transfer), kSummary);
}

bool IsCompanion(const std::string& key) {
  const std::string_view name = std::string_view(key).substr(key.rfind('/') + 1);
  if (name == "_started" || IsErrorReport(name)) return true;
  for (const std::string_view manifest : {kSummary, kFiles}) {
    if (!name.starts_with(manifest)) continue;
    const std::string_view ending = name.substr(manifest.size());
    if (ending == ".json" || ending == ".checksum" || ending == ".md5") return true;
  }
  return false;
}

Status WriteManifests(const Bucket& bucket, const ExportDescription& transfer,
                      const std::vector<DataFile>& files) {
  const std::string folder = ExportFolder(transfer);
  TRY(PutWithChecksum(bucket, folder + std::string(kFiles), ListOfFiles(files)));
  return PutWithChecksum(bucket, folder + std::string(kSummary), Summary(transfer));
}

}  // namespace monotable::transfer
