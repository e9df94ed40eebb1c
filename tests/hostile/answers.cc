#include "hostile/answers.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "error/error.h"
#include "wire/error_json.h"

namespace monotable::hostile {
namespace {

constexpr int kStatuses[] = {200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409,
                             412, 413, 415, 417, 422, 429, 431, 501, 503, 505};

const std::set<std::string_view>& ErrorNames() {
  static const auto* const names = [] {
    auto* all = new std::set<std::string_view>;
    for (int i = 0; i <= static_cast<int>(ErrorCode::kValidation); ++i) {
      const auto code = static_cast<ErrorCode>(i);
      if (code != ErrorCode::kInternal) all->insert(wire::ErrorName(code));
    }
    return all;
  }();
  return *names;
}

std::string_view HeaderOf(std::string_view head, std::string_view name) {
  const size_t at = head.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = head.substr(at + name.size());
  return rest.substr(0, rest.find("\r\n"));
}

}  // namespace

std::optional<std::string> AnswerCheck::Feed(std::string_view bytes) {
  buffer_.append(bytes);
  size_t used = 0;
  while (true) {
    const std::string_view rest = std::string_view(buffer_).substr(used);
    const size_t end = rest.find("\r\n\r\n");
    if (end == std::string_view::npos) break;
    const std::string_view head = rest.substr(0, end + 4);
    if (!head.starts_with("HTTP/1.1 ") || head.size() < 13) return "no status line";
    const int status = std::atoi(head.data() + 9);
    size_t length = 0;
    if (status >= 200 && status != 204 && status != 304) {
      const std::string_view text = HeaderOf(head, "\r\nContent-Length: ");
      if (text.empty()) return fmt::format("no length: {}", head);
      length = std::strtoul(text.data(), nullptr, 10);
    }
    if (rest.size() < head.size() + length) break;
    if (auto wrong = Check(status, head, rest.substr(head.size(), length))) return wrong;
    used += head.size() + length;
  }
  buffer_.erase(0, used);
  return std::nullopt;
}

std::optional<std::string> AnswerCheck::Check(int status, std::string_view head,
                                              std::string_view body) {
  if (status == 100) return std::nullopt;
  const auto wrong = [&](std::string_view what) {
    return fmt::format("{}: {}{}", what, head, body.substr(0, 500));
  };
  if (said_close_) return wrong("an answer after the last one");
  if (std::find(std::begin(kStatuses), std::end(kStatuses), status) == std::end(kStatuses)) {
    return wrong("unexpected status");
  }
  ++answers_;
  ++counts_.all;
  ++counts_.by_class[static_cast<size_t>(status / 100)];
  said_close_ = head.find("\r\nConnection: close\r\n") != std::string_view::npos;
  if (status == 503) {
    ++counts_.unavailable;
    if (HeaderOf(head, "\r\nRetry-After: ").empty()) return wrong("no Retry-After");
  }
  const std::string_view type = HeaderOf(head, "\r\nContent-Type: ");
  if (type.find("json") == std::string_view::npos) return std::nullopt;
  // Some operations answer nothing, and large documents are always the same.
  if (!body.empty() && body.size() < 20'000) {
    padded_.assign(body);
    padded_.reserve(body.size() + json::kPadding);
    if (!parser_.Parse(padded_).has_value()) return wrong("the body is not JSON");
  }
  if (status < 400 || type.find("amz-json") == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kBegin = "{\"__type\":\"";
  const size_t sign = body.find('#');
  if (!body.starts_with(kBegin) || sign == std::string_view::npos) return wrong("no type");
  const std::string_view name = body.substr(sign + 1, body.find('"', sign) - sign - 1);
  if (!ErrorNames().contains(name)) return wrong("unknown type");
  return std::nullopt;
}

void AnswerCheck::Reset() {
  buffer_.clear();
  answers_ = 0;
  said_close_ = false;
}

}  // namespace monotable::hostile
