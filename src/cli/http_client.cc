#include "cli/http_client.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "text/words.h"

// This is the only file that includes libcurl.
#include <curl/curl.h>
#include <fmt/format.h>

namespace monotable::cli {
namespace {

constexpr size_t kMaxAnswerBytes = 64 << 20;
constexpr std::chrono::seconds kMaxConnectTime{60};

Error BadUrl(std::string_view url, std::string_view why) {
  return Error::Validation(
      fmt::format("'{}' is no endpoint: {} Give one such as http://127.0.0.1:8000.", url, why));
}

bool IsPort(std::string_view text) {
  const auto port = text::ParseNumber<unsigned>(text);
  return port && *port > 0 && *port <= 65535;
}

std::string CaFileOf(const HttpOptions& options) {
  if (!options.ca_file.empty()) return options.ca_file;
  for (const char* variable : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* found = std::getenv(variable);
    if (found != nullptr && *found != '\0') return found;
  }
  return "";
}

// libcurl passes the body in pieces. If the function takes less than a piece, the transfer fails.
size_t TakePiece(char* bytes, size_t size, size_t count, void* body) {
  auto* const text = static_cast<std::string*>(body);
  if (text->size() + size * count > kMaxAnswerBytes) return 0;
  text->append(bytes, size * count);
  return size * count;
}

// libcurl passes each line of the head. It accepts a head that breaks off, so this function looks
// for the empty line at the end.
size_t TakeHeadLine(char* bytes, size_t size, size_t count, void* is_whole) {
  const std::string_view line(bytes, size * count);
  if (line == "\r\n" || line == "\n") *static_cast<bool*>(is_whole) = true;
  return line.size();
}

void* NewCurl() {
  static std::once_flag initialized;
  std::call_once(initialized, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return curl_easy_init();
}

// The headers of one request, as libcurl wants them.
class HeaderList {
 public:
  explicit HeaderList(const std::vector<HttpHeader>& headers) {
    for (const HttpHeader& header : headers) Add(fmt::format("{}: {}", header.name, header.value));
    // Without this, libcurl waits for the server's consent before it sends a large body.
    Add("Expect:");
  }
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  curl_slist* get() const { return list_; }

 private:
  void Add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }

  curl_slist* list_ = nullptr;
};

}  // namespace

std::string Endpoint::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string name = is_ipv6 ? fmt::format("[{}]", host) : host;
  return port == (is_https ? "443" : "80") ? name : fmt::format("{}:{}", name, port);
}

std::string Endpoint::url() const {
  return fmt::format("{}://{}/", is_https ? "https" : "http", authority());
}

Result<Endpoint> ParseEndpoint(std::string_view url) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  Endpoint endpoint;
  endpoint.is_https = url.starts_with(kHttps);
  if (endpoint.is_https) endpoint.port = "443";
  if (!endpoint.is_https && !url.starts_with(kHttp)) {
    return BadUrl(url, "it does not begin with http:// or https://.");
  }
  std::string_view rest = url.substr(endpoint.is_https ? kHttps.size() : kHttp.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != std::string_view::npos) {
    return BadUrl(url, "it is more than a host and a port.");
  }
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return BadUrl(url, "a bracket is not closed.");
    endpoint.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  } else {
    const size_t colon = rest.find(':');
    endpoint.host = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon);
  }
  if (endpoint.host.empty()) return BadUrl(url, "it names no host.");
  if (rest.empty()) return endpoint;
  if (!rest.starts_with(':') || !IsPort(rest.substr(1))) {
    return BadUrl(url, "its port is not a number from 1 to 65535.");
  }
  endpoint.port = rest.substr(1);
  return endpoint;
}

HttpClient::HttpClient(Endpoint endpoint, HttpOptions options)
    : endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      curl_(NewCurl(), curl_easy_cleanup) {
  CURL* const curl = curl_.get();
  if (curl == nullptr) return;
  const auto patience = static_cast<long>(options_.patience.count());
  curl_easy_setopt(curl, CURLOPT_URL, endpoint_.url().c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
                   std::min(patience, static_cast<long>(kMaxConnectTime.count())));
  // Less than one byte a second counts as no progress.
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, patience);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, TakePiece);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, TakeHeadLine);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  const std::string ca_file = CaFileOf(options_);
  if (!ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file.c_str());
}

Error HttpClient::FailureOf(int code, const char* details) const {
  const auto no_answer = [&](std::string_view why, std::string_view advice = "") {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("No answer from {}: {}.{}", endpoint_.authority(), why, advice));
  };
  long system_error = 0;
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      curl_easy_getinfo(curl_.get(), CURLINFO_OS_ERRNO, &system_error);
      return no_answer(system_error == 0 ? details : std::strerror(static_cast<int>(system_error)),
                       " Is the server running? Start one with monotable serve, or name another "
                       "with --endpoint URL.");
    case CURLE_COULDNT_RESOLVE_HOST:
      return no_answer("no host of this name is known");
    case CURLE_OPERATION_TIMEDOUT:
      return no_answer("it took too long");
    case CURLE_GOT_NOTHING:
      return no_answer("it closed the connection");
    case CURLE_PEER_FAILED_VERIFICATION:
      return no_answer(fmt::format("its certificate is not trusted ({})", details),
                       " If you trust it, name its certificate with --ca-file FILE.");
    case CURLE_SSL_CACERT_BADFILE:
      return Error(ErrorCode::kUnavailable,
                   fmt::format("The certificates in {} cannot be read. Name a file in PEM format "
                               "with --ca-file FILE.",
                               CaFileOf(options_)));
    case CURLE_SSL_CONNECT_ERROR:
      return no_answer(fmt::format("no TLS connection can be made ({})", details),
                       " Does the server speak https? If not, give an endpoint with http://.");
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return Error(ErrorCode::kUnavailable, "The server does not answer in HTTP.");
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
      return Error(ErrorCode::kUnavailable, "The answer of the server broke off.");
    case CURLE_WRITE_ERROR:
      return Error(ErrorCode::kUnavailable,
                   fmt::format("The answer of the server is larger than {} "
                               "MB.",
                               kMaxAnswerBytes >> 20));
    default:
      return no_answer(details);
  }
}

Result<HttpAnswer> HttpClient::Post(const std::vector<HttpHeader>& headers, std::string_view body) {
  CURL* const curl = curl_.get();
  if (curl == nullptr) return Error::Internal("libcurl cannot be initialized.");
  HttpAnswer answer;
  bool head_is_whole = false;
  const HeaderList list(headers);
  std::array<char, CURL_ERROR_SIZE> details{};
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list.get());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head_is_whole);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details.data());
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    return FailureOf(code, details[0] == '\0' ? curl_easy_strerror(code) : details.data());
  }
  if (!head_is_whole) return FailureOf(CURLE_PARTIAL_FILE, "");
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  return answer;
}

}  // namespace monotable::cli
