#include "transfer/bucket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "operations/transfer_checks.h"

namespace monotable::transfer {
namespace {

using http::FileDescriptor;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error FileError(std::string_view what, std::string_view key, int error) {
  return Error::Internal(fmt::format("{} {}: {}", what, key, std::strerror(error)));
}

// The folder part of a key, with its last slash, and the name after it.
std::pair<std::string, std::string> Split(const std::string& key) {
  const size_t slash = key.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  return {key.substr(0, name), key.substr(name)};
}

// Opens a folder within another without following a symbolic link. The descriptor is invalid if the
// folder is absent.
FileDescriptor OpenWithin(const FileDescriptor& folder, const std::string& name) {
  return FileDescriptor(openat(folder.get(), name.c_str(), kFolderFlags));
}

Status CheckRoot(const std::string& root) {
  if (!root.empty()) return {};
  return Error::Internal("The server has no folder for buckets: start it with --s3-folder");
}

bool IsPartial(std::string_view name) {
  return name.starts_with('.') && name.ends_with(".partial");
}

}  // namespace

NewObject::NewObject(FileDescriptor folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)), partial_name_("." + name_ + ".partial") {}

NewObject::~NewObject() {
  if (file_) unlinkat(folder_.get(), partial_name_.c_str(), 0);
}

Error NewObject::Failure() const {
  return FileError("Cannot write", name_, errno);
}

Status NewObject::Open() {
  // An earlier attempt may have left a file or a link there. The new object must not write through
  // it.
  unlinkat(folder_.get(), partial_name_.c_str(), 0);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file_ = FileDescriptor(openat(folder_.get(), partial_name_.c_str(), kFlags, 0644));
  if (!file_) return Failure();
  return {};
}

Status NewObject::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failure();
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status NewObject::Finish() {
  const char* partial = partial_name_.c_str();
  if (fsync(file_.get()) != 0) return Failure();
  if (renameat(folder_.get(), partial, folder_.get(), name_.c_str()) != 0) return Failure();
  file_.Close();
  if (fsync(folder_.get()) != 0) return Failure();
  return {};
}

Result<std::optional<Bucket>> Bucket::Find(const std::string& root, const std::string& name) {
  TRY(CheckRoot(root));
  TRY(operations::CheckBucket(name, "s3Bucket"));
  const FileDescriptor parent(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return std::optional<Bucket>();
  FileDescriptor folder = OpenWithin(parent, name);
  if (folder) return std::optional(Bucket(std::move(folder)));
  if (errno == ENOENT) return std::optional<Bucket>();
  return FileError("Cannot open the folder of the bucket", name, errno);
}

Result<Bucket> Bucket::Make(const std::string& root, const std::string& name) {
  TRY(CheckRoot(root));
  TRY(operations::CheckBucket(name, "s3Bucket"));
  std::error_code failed;
  std::filesystem::create_directories(root, failed);
  if (failed) return FileError("Cannot make the folder for", "buckets", failed.value());
  FileDescriptor parent(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return FileError("Cannot open the folder for", "buckets", errno);
  const Bucket buckets(std::move(parent));
  TRY_ASSIGN(FileDescriptor folder, buckets.OpenFolder(name + "/", Missing::kIsMade));
  return Bucket(std::move(folder));
}

Result<FileDescriptor> Bucket::OpenFolder(std::string_view path, Missing missing) const {
  FileDescriptor folder(openat(folder_.get(), ".", kFolderFlags));
  if (!folder) return FileError("Cannot open", path, errno);
  while (!path.empty()) {
    const std::string step(path.substr(0, path.find('/')));
    path.remove_prefix(step.size() + 1);
    if (missing == Missing::kIsMade && mkdirat(folder.get(), step.c_str(), 0755) == 0 &&
        fsync(folder.get()) != 0) {
      return FileError("Cannot make the folder", step, errno);
    }
    FileDescriptor next = OpenWithin(folder, step);
    if (!next && errno == ENOENT && missing == Missing::kIsAbsent) return FileDescriptor();
    if (!next) return FileError("Cannot open the folder", step, errno);
    folder = std::move(next);
  }
  return folder;
}

Status Bucket::ListFolder(const std::string& path, std::vector<std::string>* folders,
                          std::vector<Object>* objects) const {
  TRY_ASSIGN(FileDescriptor folder, OpenFolder(path, Missing::kIsAbsent));
  if (!folder) return {};
  // closedir closes the descriptor that the stream is made from.
  const int listed = openat(folder.get(), ".", kFolderFlags);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(listed), closedir);
  if (entries == nullptr) {
    const Error failure = FileError("Cannot list the folder", path, errno);
    if (listed >= 0) close(listed);
    return failure;
  }
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || IsPartial(name)) continue;
    struct stat status = {};
    if (fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) folders->push_back(path + name + "/");
    if (S_ISREG(status.st_mode)) objects->push_back({path + name, status.st_size});
  }
  return {};
}

Result<std::vector<Object>> Bucket::List(const std::string& prefix) const {
  TRY(operations::CheckPrefix(prefix, "The prefix"));
  std::vector<std::string> folders = {Split(prefix).first};
  std::vector<Object> objects;
  while (!folders.empty()) {
    const std::string path = std::move(folders.back());
    folders.pop_back();
    TRY(ListFolder(path, &folders, &objects));
  }
  std::erase_if(objects, [&](const Object& object) { return !object.key.starts_with(prefix); });
  std::sort(objects.begin(), objects.end(),
            [](const Object& a, const Object& b) { return a.key < b.key; });
  return objects;
}

Result<FileDescriptor> Bucket::Open(const std::string& key) const {
  TRY(operations::CheckPrefix(key, "The key"));
  const auto [path, name] = Split(key);
  TRY_ASSIGN(const FileDescriptor folder, OpenFolder(path, Missing::kIsAbsent));
  if (!folder) return FileError("Cannot open", key, ENOENT);
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file(openat(folder.get(), name.c_str(), kFlags));
  if (!file) return FileError("Cannot open", key, errno);
  return file;
}

Result<NewObject> Bucket::Create(const std::string& key) const {
  TRY(operations::CheckPrefix(key, "The key"));
  auto [path, name] = Split(key);
  TRY_ASSIGN(FileDescriptor folder, OpenFolder(path, Missing::kIsMade));
  NewObject object(std::move(folder), std::move(name));
  TRY(object.Open());
  return object;
}

Status Bucket::Put(const std::string& key, std::string_view contents) const {
  TRY_ASSIGN(NewObject object, Create(key));
  TRY(object.Append(contents));
  return object.Finish();
}

}  // namespace monotable::transfer
