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

// An object that is being written. It appears under its key when it is complete and on disk; until
// then, and if that never happens, what was under the key stays. Not thread-safe.
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

// A folder that stands for an S3 bucket; keys are paths in it. Nothing outside the folder is
// reached: every step of a key is taken from the folder before it, symbolic links are not followed,
// and steps that lead elsewhere are refused. Thread-safe.
class Bucket {
 public:
  // Nullopt if there is no such folder under the root.
  static Result<std::optional<Bucket>> Find(const std::string& root, const std::string& name);
  // Makes it, and the root, if need be.
  static Result<Bucket> Make(const std::string& root, const std::string& name);

  // All objects whose keys begin so, in the order of their keys.
  Result<std::vector<Object>> List(const std::string& prefix) const;
  Result<http::FileDescriptor> Open(const std::string& key) const;
  // Makes the folders on the way.
  Result<NewObject> Create(const std::string& key) const;
  Status Put(const std::string& key, std::string_view contents) const;

 private:
  explicit Bucket(http::FileDescriptor folder) : folder_(std::move(folder)) {}

  enum class Missing { kIsAbsent, kIsMade };
  // The folder of a path, which is empty or ends with a slash; an invalid descriptor if it is
  // absent.
  Result<http::FileDescriptor> OpenFolder(std::string_view path, Missing missing) const;
  Status ListFolder(const std::string& path, std::vector<std::string>* folders,
                    std::vector<Object>* objects) const;

  http::FileDescriptor folder_;
};

}  // namespace monotable::transfer
