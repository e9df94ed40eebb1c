#include "server/private_files.h"

#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/log.h"

namespace monotable::server {
namespace {

constexpr mode_t kOthers = 077;  // every permission of the group and of all others
constexpr mode_t kOwner = 0700;
constexpr mode_t kModes = 07777;

bool IsOurs(const std::string& folder, const struct stat& status, std::string_view mark) {
  // A folder with the sticky bit, such as /tmp, is there for many users.
  if (status.st_uid != geteuid() || (status.st_mode & S_ISVTX) != 0) return false;
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(folder) / mark, error) ||
         std::filesystem::is_empty(folder, error);
}

}  // namespace

void MakeFilesPrivate() {
  umask(kOthers);
}

void CloseToOthers(const std::string& folder, std::string_view mark) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
  const mode_t mode = status.st_mode & kModes;
  if ((mode & kOthers) == 0) return;
  if (IsOurs(folder, status, mark) && chmod(folder.c_str(), mode & kOwner) == 0) {
    telemetry::Log(telemetry::LogLevel::kInfo,
                   "other users could look into {} (mode {:04o}); it is closed to them now", folder,
                   mode);
    return;
  }
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "other users can look into {} (mode {:04o}); give the server a folder of its own",
                 folder, mode);
}

}  // namespace monotable::server
