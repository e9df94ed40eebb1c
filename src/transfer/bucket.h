#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"
#include "http/file_descriptor.h"

namespace monotable::transfer {

struct Object {
  std::string key;
  int64_t bytes = 0;
};

// An object that is being written. The object appears under its key when it is complete and on
// disk. Until then the earlier object stays under the key. Not thread-safe.
class NewObject {
 public:
  NewObject(http::FileDescriptor folder, std::string name);
  NewObject(NewObject&&) = default;
  ~NewObject();

  Status Open();
  Status Append(std::string_view bytes);
  Status Finish();

 private:
  Error Failure() const;

  http::FileDescriptor folder_;
  std::string name_;
  std::string partial_name_;
  http::FileDescriptor file_;
};

// A folder that stands for an S3 bucket; keys are paths in it. A key cannot reach anything outside
// the folder: each step of a key is opened relative to the folder before it, symbolic links are not
// followed, and steps that lead elsewhere are refused. Thread-safe.
class Bucket {
 public:
  // Nullopt if there is no such folder under the root.
  static Result<std::optional<Bucket>> Find(const std::string& root, const std::string& name);
  // Makes the folder, and the root, if they do not exist.
  static Result<Bucket> Make(const std::string& root, const std::string& name);

  // All objects whose keys begin with the prefix, in the order of their keys.
  Result<std::vector<Object>> List(const std::string& prefix) const;
  Result<http::FileDescriptor> Open(const std::string& key) const;
  // Makes the folders of the key if they do not exist.
  Result<NewObject> Create(const std::string& key) const;
  Status Put(const std::string& key, std::string_view contents) const;

 private:
  explicit Bucket(http::FileDescriptor folder) : folder_(std::move(folder)) {}

  enum class Missing { kIsAbsent, kIsMade };
  // The folder of a path. The path is empty or ends with a slash. Returns an invalid descriptor if
  // the folder is absent.
  Result<http::FileDescriptor> OpenFolder(std::string_view path, Missing missing) const;
  Status ListFolder(const std::string& path, std::vector<std::string>* folders,
                    std::vector<Object>* objects) const;

  http::FileDescriptor folder_;
};

}  // namespace monotable::transfer
