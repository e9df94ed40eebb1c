#include "server/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace monotable::server {

Result<std::string> ReadTextFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error::Validation(fmt::format("{} is a folder, not a file.", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  // Copying an empty file sets the failure flag of the destination, so only the source is checked.
  if (!file.is_open() || file.bad()) {
    return Error::Validation(fmt::format("{} cannot be read: {}.", path, std::strerror(errno)));
  }
  return std::move(text).str();
}

Status WriteTextFile(const std::string& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    return Error::Validation(fmt::format("{} cannot be written: {}.", path, std::strerror(errno)));
  }
  return {};
}

}  // namespace monotable::server
