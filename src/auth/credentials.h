#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "error/result.h"

namespace monotable::auth {

// The access keys that a server knows, by key id. The destructor wipes the secrets from memory, and
// no message contains them. Immutable once it is handed to an Authenticator, hence thread-safe.
class Credentials {
 public:
  Credentials() = default;
  Credentials(Credentials&&) noexcept = default;
  Credentials& operator=(Credentials&&) noexcept = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  ~Credentials();

  // Reads a file as the AWS clients write it: sections in brackets, each with aws_access_key_id and
  // aws_secret_access_key. Every section adds a key. Errors name the file and the line.
  static Result<Credentials> FromFile(const std::string& path);
  // The same from text; the name stands for the file in errors.
  static Result<Credentials> Parse(std::string_view text, std::string_view name);

  // Refuses an empty id or secret, an id with blanks or slashes (it could not be sent in a
  // credential scope), and a second secret for the same id.
  Status Add(std::string access_key_id, std::string secret_access_key);
  // The secret of a key, or null.
  const std::string* FindSecret(std::string_view access_key_id) const;

  bool empty() const { return secrets_.empty(); }
  size_t size() const { return secrets_.size(); }

 private:
  std::map<std::string, std::string, std::less<>> secrets_;
};

}  // namespace monotable::auth
