#include "api/rest/cursor.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <openssl/crypto.h>

#include "auth/crypto.h"
#include "encoding/item.h"
#include "encoding/varint.h"
#include "entities/problem.h"
#include "json/base64.h"

namespace monotable::api::rest {
namespace {

constexpr char kVersion = 1;
// Half of a SHA-256 each: 128 bits are enough that a signature cannot be guessed and that no two
// questions share one.
constexpr size_t kDigestBytes = 16;

// Parameters with which the next page may differ from the last.
constexpr std::array<std::string_view, 6> kOfThePage = {"after",      "limit", "fields",
                                                        "consistent", "count", "expand"};

std::string Digest(const auth::Sha256Digest& digest) {
  return std::string(reinterpret_cast<const char*>(digest.data()), kDigestBytes);
}

std::string DigestOf(const Question& question) {
  std::string text;
  for (const std::string_view part : {question.model, question.pattern, question.tenant}) {
    encoding::AppendBytes(part, &text);
  }
  encoding::AppendBytes(encoding::EncodeItem(question.parameters).bytes, &text);
  std::vector<const QueryParameter*> sorted;
  for (const QueryParameter& parameter : question.query) {
    const bool of_the_page =
        std::find(kOfThePage.begin(), kOfThePage.end(), parameter.name) != kOfThePage.end();
    if (!of_the_page) sorted.push_back(&parameter);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::tie(a->name, a->value) < std::tie(b->name, b->value);
  });
  for (const QueryParameter* parameter : sorted) {
    encoding::AppendBytes(parameter->name, &text);
    encoding::AppendBytes(parameter->value, &text);
  }
  return Digest(auth::Sha256(text));
}

Error BadCursor(std::string sentence) {
  return entities::Problem(entities::ProblemCode::kBadCursor, std::move(sentence));
}

bool Equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string CursorSeal::Signature(std::string_view payload) const {
  return Digest(auth::HmacSha256(key_, payload));
}

std::string CursorSeal::Seal(const entities::Position& position, const Question& question) const {
  std::string bytes(1, kVersion);
  bytes.append(DigestOf(question)).append(position.after);
  bytes.append(Signature(bytes));
  std::string cursor;
  json::AppendBase64Url(bytes, &cursor);
  return cursor;
}

Result<entities::Position> CursorSeal::Open(std::string_view cursor,
                                            const Question& question) const {
  const auto decoded = json::DecodeBase64Url(cursor);
  const std::string_view bytes = decoded ? std::string_view(*decoded) : std::string_view();
  if (bytes.size() < 1 + 2 * kDigestBytes || bytes[0] != kVersion) {
    return BadCursor(
        "This server did not make the cursor in `after`. Send `next` of the last page.");
  }
  const std::string_view payload = bytes.substr(0, bytes.size() - kDigestBytes);
  if (!Equal(bytes.substr(payload.size()), Signature(payload))) {
    return BadCursor(
        "This server did not make the cursor in `after`. Send `next` of the last page.");
  }
  if (!Equal(payload.substr(1, kDigestBytes), DigestOf(question))) {
    return BadCursor(
        "The cursor in `after` belongs to another list. Send it with the parameters of the page "
        "that it came with.");
  }
  entities::Position position;
  position.after = payload.substr(1 + kDigestBytes);
  return position;
}

}  // namespace monotable::api::rest
