#include "auth/credentials.h"

#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "auth/crypto.h"
#include "text/words.h"

namespace monotable::auth {
namespace {

// The keys of one section of a file.
struct Section {
  std::string id;
  std::string secret;
  int line = 0;

  ~Section() { Wipe(&secret); }
};

Status AddSection(Section& section, std::string_view name, Credentials& credentials) {
  if (section.id.empty() && section.secret.empty()) return {};
  if (section.id.empty() || section.secret.empty()) {
    return Error::Validation(fmt::format(
        "{}, line {}: a section needs both aws_access_key_id and aws_secret_access_key.", name,
        section.line));
  }
  if (const Status added = credentials.Add(section.id, section.secret); !added) {
    return Error::Validation(
        fmt::format("{}, line {}: {}", name, section.line, added.error().message()));
  }
  return {};
}

}  // namespace

Credentials::~Credentials() {
  for (auto& [id, secret] : secrets_) Wipe(&secret);
}

Result<Credentials> Credentials::FromFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error::Validation(fmt::format("Cannot read the credentials file '{}'.", path));
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<Credentials> credentials = Parse(text, path);
  Wipe(&text);
  return credentials;
}

Result<Credentials> Credentials::Parse(std::string_view text, std::string_view name) {
  Credentials credentials;
  Section section;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    const std::string_view line = text::Trim(text.substr(0, end), text::kLineBlanks);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      TRY(AddSection(section, name, credentials));
      Wipe(&section.secret);
      section.id.clear();
      section.secret.clear();
      section.line = number;
      continue;
    }
    const size_t equals = line.find('=');
    // The message does not repeat the line, because it may contain a secret.
    if (equals == std::string_view::npos) {
      return Error::Validation(
          fmt::format("{}, line {}: expected [section] or key = value.", name, number));
    }
    const std::string_view key = text::Trim(line.substr(0, equals), text::kLineBlanks);
    const std::string_view value = text::Trim(line.substr(equals + 1), text::kLineBlanks);
    // The same file may contain other settings of the AWS clients.
    if (key == "aws_access_key_id") section.id = value;
    if (key == "aws_secret_access_key") section.secret = value;
    if (section.line == 0) section.line = number;
  }
  TRY(AddSection(section, name, credentials));
  if (credentials.empty()) {
    return Error::Validation(fmt::format(
        "{} holds no access keys. Give aws_access_key_id and aws_secret_access_key.", name));
  }
  return credentials;
}

Status Credentials::Add(std::string access_key_id, std::string secret_access_key) {
  if (access_key_id.empty() || secret_access_key.empty()) {
    return Error::Validation("An access key needs both an id and a secret.");
  }
  if (access_key_id.find_first_of(" \t\r\n/,=") != std::string::npos) {
    return Error::Validation("An access key id has no blanks, slashes, commas or equal signs.");
  }
  const auto [place, is_new] = secrets_.try_emplace(std::move(access_key_id));
  if (is_new) {
    place->second = std::move(secret_access_key);
  } else if (place->second != secret_access_key) {
    return Error::Validation(
        fmt::format("Access key id '{}' is given twice with different secrets.", place->first));
  }
  return {};
}

const std::string* Credentials::FindSecret(std::string_view access_key_id) const {
  const auto found = secrets_.find(access_key_id);
  return found == secrets_.end() ? nullptr : &found->second;
}

}  // namespace monotable::auth
