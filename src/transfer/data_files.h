#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "transfer/bucket.h"

namespace monotable::transfer {

// A file of an export's data, as its manifest lists it.
struct DataFile {
  std::string key;
  int64_t item_count = 0;
  std::string md5;  // 16 bytes
};

// Lines in files of bounded size, compressed with gzip: PATH-000000.json.gz and so on. Names and
// borders follow from the lines alone, so that writing the same again replaces every file by its
// like. Not thread-safe.
class DataFiles {
 public:
  // Bytes of lines before they are compressed.
  static constexpr size_t kFileBytes = 64 * 1024 * 1024;

  DataFiles(const Bucket& bucket, std::string path, size_t file_bytes = kFileBytes);
  ~DataFiles();

  // One item, without a line feed.
  Status Add(std::string_view line);
  // Everything is on disk afterwards. Without any lines there is one empty file.
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

}  // namespace monotable::transfer
