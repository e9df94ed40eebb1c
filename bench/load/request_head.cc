#include "load/request_head.h"

#include <array>
#include <ctime>

namespace monotable::load {

namespace {

std::string Now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text = {};
  return std::string(text.data(), std::strftime(text.data(), text.size(), format, &parts));
}

std::string FirstLines(const Options& options, std::string_view method, std::string_view path) {
  std::string text(method);
  text.append(" ").append(path).append(" HTTP/1.1\r\nHost: ").append(options.host).append(":");
  return text.append(std::to_string(options.port)).append("\r\n");
}

// Blanks in front of a value are allowed, so there is room for the longest one.
constexpr std::string_view kLength = "Content-Length:         ";
constexpr std::string_view kEnd = "\r\n\r\n";

}  // namespace

RequestHead RequestHead::OfDynamoDb(const Options& options, std::string_view target) {
  std::string text = FirstLines(options, "POST", "/");
  text.append("X-Amz-Target: DynamoDB_20120810.").append(target).append("\r\n");
  text += "Content-Type: application/x-amz-json-1.0\r\n";
  text += "User-Agent: aws-sdk-js/3.750.0 ua/2.1 os/linux lang/js md/nodejs#20.0.0\r\n";
  text += "amz-sdk-invocation-id: 6f1c2f8e-55b2-4c2e-9a34-8d3f0a1b2c4d\r\n";
  text += "amz-sdk-request: attempt=1; max=3\r\n";
  text += "X-Amz-Date: " + Now("%Y%m%dT%H%M%SZ") + "\r\n";
  // Well formed, and made up: servers without access keys accept it.
  text += "Authorization: AWS4-HMAC-SHA256 Credential=benchmark/" + Now("%Y%m%d") +
          "/us-east-1/dynamodb/aws4_request, "
          "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" +
          std::string(64, '0') + "\r\n";
  return RequestHead(text, true);
}

RequestHead RequestHead::OfRest(const Options& options, std::string_view method,
                                std::string_view path) {
  const bool has_body = method != "GET";
  std::string text = FirstLines(options, method, path);
  text += "Connection: keep-alive\r\n";
  if (has_body) text += "Content-Type: application/json\r\n";
  text += "Accept: application/json\r\n";
  text += "Accept-Language: *\r\n";
  text += "Sec-Fetch-Mode: cors\r\n";
  text += "User-Agent: node\r\n";
  text += "Accept-Encoding: gzip, deflate\r\n";
  return RequestHead(text, has_body);
}

RequestHead::RequestHead(const std::string& pattern, bool has_body)
    : text_(has_body ? pattern + std::string(kLength) + std::string(kEnd) : pattern + "\r\n") {
  if (has_body) length_end_ = text_.size() - kEnd.size();
}

void RequestHead::FillLength(std::string& request) const {
  if (length_end_ == 0) return;
  size_t length = request.size() - text_.size();
  char* digit = request.data() + length_end_;
  do {
    *--digit = static_cast<char>('0' + length % 10);
    length /= 10;
  } while (length > 0);
}

}  // namespace monotable::load
