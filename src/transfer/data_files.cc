#include "transfer/data_files.h"

#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "transfer/md5.h"

namespace monotable::transfer {
namespace {

constexpr size_t kOutputBytes = 128 * 1024;
constexpr int kLevel = 3;  // rather fast than small

}  // namespace

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

}  // namespace monotable::transfer
