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

}  // namespace

RequestHead::RequestHead(const Options& options, std::string_view target) {
  text_ = "POST / HTTP/1.1\r\nHost: " + options.host + ':' + std::to_string(options.port) + "\r\n";
  text_.append("X-Amz-Target: DynamoDB_20120810.").append(target).append("\r\n");
  text_ += "Content-Type: application/x-amz-json-1.0\r\n";
  text_ += "User-Agent: aws-sdk-js/3.750.0 ua/2.1 os/linux lang/js md/nodejs#20.0.0\r\n";
  text_ += "amz-sdk-invocation-id: 6f1c2f8e-55b2-4c2e-9a34-8d3f0a1b2c4d\r\n";
  text_ += "amz-sdk-request: attempt=1; max=3\r\n";
  text_ += "X-Amz-Date: " + Now("%Y%m%dT%H%M%SZ") + "\r\n";
  // Well formed, and made up: servers without access keys accept it.
  text_ += "Authorization: AWS4-HMAC-SHA256 Credential=benchmark/" + Now("%Y%m%d") +
           "/us-east-1/dynamodb/aws4_request, "
           "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" +
           std::string(64, '0') + "\r\n";
  // Blanks in front of a value are allowed, so there is room for the longest one.
  text_ += "Content-Length:         ";
  length_end_ = text_.size();
  text_ += "\r\n\r\n";
}

void RequestHead::FillLength(std::string& request) const {
  size_t length = request.size() - text_.size();
  char* digit = request.data() + length_end_;
  do {
    *--digit = static_cast<char>('0' + length % 10);
    length /= 10;
  } while (length > 0);
}

}  // namespace monotable::load
