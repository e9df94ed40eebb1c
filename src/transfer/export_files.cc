#include "transfer/export_files.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "json/base64.h"
#include "json/json_writer.h"
#include "time/calendar.h"

namespace monotable::transfer {
namespace {

constexpr size_t kOutputBytes = 128 * 1024;
constexpr int kLevel = 3;  // speed matters more than size

using operations::ExportDescription;
using operations::ExportType;

constexpr std::string_view kSummary = "manifest-summary";
constexpr std::string_view kFiles = "manifest-files";
constexpr std::string_view kStarted = "_started";

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

// The tag that S3 gives an object that was uploaded in one part: the MD5 of the MD5 of the part.
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

Md5::Md5() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr);
}

void Md5::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Md5::Finish() {
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context_.get(), sum, &length);
  return std::string(reinterpret_cast<const char*>(sum), length);
}

std::string Md5Of(std::string_view bytes) {
  Md5 md5;
  md5.Add(bytes);
  return md5.Finish();
}

class DataFiles::GzipFile {
 public:
  explicit GzipFile(NewObject object) : object_(std::move(object)), output_(kOutputBytes, '\0') {}
  ~GzipFile() { deflateEnd(&stream_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  Status Start() {
    constexpr int kGzip = 16;
    constexpr int kMemory = 8;
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) == Z_OK) {
      return {};
    }
    return Error::Internal("There is no memory to compress with gzip.");
  }

  Status Append(std::string_view bytes) { return Deflate(bytes, Z_NO_FLUSH); }

  // Returns the MD5 of the file.
  Result<std::string> Finish() {
    TRY(Deflate("", Z_FINISH));
    TRY(object_.Finish());
    return md5_.Finish();
  }

 private:
  Status Deflate(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      deflate(&stream_, flush);
      const std::string_view made(output_.data(), output_.size() - stream_.avail_out);
      md5_.Add(made);
      TRY(object_.Append(made));
    } while (stream_.avail_out == 0);
    return {};
  }

  NewObject object_;
  std::string output_;
  z_stream stream_ = {};
  Md5 md5_;
};

DataFiles::DataFiles(const Bucket& bucket, std::string path, size_t file_bytes)
    : bucket_(bucket), path_(std::move(path)), file_bytes_(file_bytes) {}

DataFiles::~DataFiles() = default;

Status DataFiles::Begin() {
  DataFile file;
  file.key = fmt::format("{}-{:06}.json.gz", path_, files_.size());
  TRY_ASSIGN(NewObject object, bucket_.Create(file.key));
  current_ = std::make_unique<GzipFile>(std::move(object));
  current_bytes_ = 0;
  files_.push_back(std::move(file));
  return current_->Start();
}

Status DataFiles::End() {
  TRY_ASSIGN(files_.back().md5, current_->Finish());
  current_.reset();
  return {};
}

Status DataFiles::Add(std::string_view line) {
  if (current_ && current_bytes_ + line.size() > file_bytes_) TRY(End());
  if (!current_) TRY(Begin());
  TRY(current_->Append(line));
  TRY(current_->Append("\n"));
  current_bytes_ += line.size() + 1;
  ++files_.back().item_count;
  return {};
}

Status DataFiles::Finish() {
  if (!current_ && files_.empty()) TRY(Begin());
  return current_ ? End() : Status();
}

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

bool IsExportNote(std::string_view name) {
  if (name == kStarted) return true;
  for (const std::string_view manifest : {kSummary, kFiles}) {
    if (!name.starts_with(manifest)) continue;
    const std::string_view ending = name.substr(manifest.size());
    if (ending == ".json" || ending == ".checksum" || ending == ".md5") return true;
  }
  return false;
}

Status BeginExport(const Bucket& bucket, const ExportDescription& transfer) {
  return bucket.Put(ExportFolder(transfer) + std::string(kStarted), "");
}

Status WriteManifests(const Bucket& bucket, const ExportDescription& transfer,
                      const std::vector<DataFile>& files) {
  const std::string folder = ExportFolder(transfer);
  TRY(PutWithChecksum(bucket, folder + std::string(kFiles), ListOfFiles(files)));
  return PutWithChecksum(bucket, folder + std::string(kSummary), Summary(transfer));
}

}  // namespace monotable::transfer
