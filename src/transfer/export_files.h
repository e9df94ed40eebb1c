#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/evp.h>

#include "error/result.h"
#include "operations/transfers.h"
#include "transfer/bucket.h"

// The files of an export: the data, and beside it two manifests, each with its MD5 in a file of its
// own.
namespace monotable::transfer {

// The MD5 of bytes that come in pieces. S3 and the manifests of exports use it to detect damage.
// Not thread-safe.
class Md5 {
 public:
  Md5();
  void Add(std::string_view bytes);
  // The 16 bytes of the sum; nothing can be added afterwards.
  std::string Finish();

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

std::string Md5Of(std::string_view bytes);

// A file of an export's data, as its manifest lists it.
struct DataFile {
  std::string key;
  int64_t item_count = 0;
  std::string md5;  // 16 bytes
};

// Writes lines to files of bounded size, compressed with gzip: PATH-000000.json.gz and so on. The
// names and contents of the files depend on the lines alone, so that an export that starts again
// replaces each file with an equal one. Not thread-safe.
class DataFiles {
 public:
  // The bytes of the lines in one file, before compression.
  static constexpr size_t kFileBytes = 64 * 1024 * 1024;

  DataFiles(const Bucket& bucket, std::string path, size_t file_bytes = kFileBytes);
  ~DataFiles();

  // Adds one item, without a line feed.
  Status Add(std::string_view line);
  // Afterwards everything is on disk. An export without lines has one empty file.
  Status Finish();

  const std::vector<DataFile>& files() const { return files_; }

 private:
  class GzipFile;

  Status Begin();
  Status End();

  const Bucket& bucket_;
  const std::string path_;
  const size_t file_bytes_;
  std::unique_ptr<GzipFile> current_;
  size_t current_bytes_ = 0;
  std::vector<DataFile> files_;
};

// The folder of an export within its bucket, with a slash at the end.
std::string ExportFolder(const operations::ExportDescription& transfer);
// The key of an export's data up to the number of the file. Incremental exports share one folder.
std::string DataPath(const operations::ExportDescription& transfer);
// The key of the summary. It is written last, so an export that has a summary is complete.
std::string SummaryKey(const operations::ExportDescription& transfer);

// Whether a file of this name, without folders, belongs to an export but holds no items.
bool IsExportNote(std::string_view name);

// Leaves a file that says that the export has begun.
Status BeginExport(const Bucket& bucket, const operations::ExportDescription& transfer);
// Writes both manifests after the data is complete.
Status WriteManifests(const Bucket& bucket, const operations::ExportDescription& transfer,
                      const std::vector<DataFile>& files);

}  // namespace monotable::transfer
