#include "server/secrets.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/jwt.h"
#include "server/text_file.h"

namespace monotable::server {
namespace {

constexpr size_t kKeyBytes = 32;

Result<std::string> RandomKey() {
  std::string key(kKeyBytes, '\0');
  // Up to 256 bytes, getrandom never returns less than it is asked for.
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error::Internal(
        fmt::format("The system gives no random numbers: {}.", std::strerror(errno)));
  }
  return key;
}

// Writes a file that only its owner can read, whole or not at all.
Status WriteSecret(const std::string& path, const std::string& bytes) {
  const std::string draft = path + ".new";
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool written = file >= 0;
  if (written) {
    written = fchmod(file, 0600) == 0 &&
              write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
              fsync(file) == 0;
    written &= close(file) == 0;
  }
  if (!written || std::rename(draft.c_str(), path.c_str()) != 0) {
    return Error::Validation(fmt::format("{} cannot be written: {}.", path, std::strerror(errno)));
  }
  return {};
}

}  // namespace

Result<std::string> LoadJwtSecret(const Config& config) {
  if (config.jwt_secret_file.empty()) return std::string();
  TRY_ASSIGN(std::string secret, ReadTextFile(config.jwt_secret_file));
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.size() < auth::TokenVerifier::kMinSecretBytes) {
    return Error::Validation(fmt::format(
        "The secret in {} is too short: tokens can be forged if it has less than {} bytes.",
        config.jwt_secret_file, auth::TokenVerifier::kMinSecretBytes));
  }
  return secret;
}

Result<std::string> LoadCursorKey(const Config& config) {
  if (config.in_memory) return RandomKey();
  const std::string path = (std::filesystem::path(config.data_folder) / "cursor.key").string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    TRY_ASSIGN(std::string key, ReadTextFile(path));
    // A file of another size was copied or edited badly. A new key only invalidates cursors in use.
    if (key.size() == kKeyBytes) return key;
  }
  TRY_ASSIGN(std::string key, RandomKey());
  TRY(WriteSecret(path, key));
  return key;
}

}  // namespace monotable::server
