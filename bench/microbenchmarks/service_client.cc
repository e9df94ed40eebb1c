#include "service_client.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>

#include "sample.h"
#include "storage/memory/memory_store.h"

namespace monotable::bench {
namespace {

constexpr size_t kNoLimit = size_t{1} << 30;

std::string CreateTableBody(std::string_view table, int indexes) {
  std::string attributes =
      R"({"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"})";
  std::string index_list;
  for (int i = 1; i <= indexes; ++i) {
    attributes += fmt::format(R"(,{{"AttributeName":"GSI{0}PK","AttributeType":"S"}})"
                              R"(,{{"AttributeName":"GSI{0}SK","AttributeType":"S"}})",
                              i);
    index_list += fmt::format(R"({}{{"IndexName":"GSI{}","Projection":{{"ProjectionType":"ALL"}},)"
                              R"("KeySchema":[{{"AttributeName":"GSI{}PK","KeyType":"HASH"}},)"
                              R"({{"AttributeName":"GSI{}SK","KeyType":"RANGE"}}]}})",
                              i == 1 ? "" : ",", i, i, i);
  }
  return fmt::format(
      R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST",)"
      R"("KeySchema":[{{"AttributeName":"PK","KeyType":"HASH"}},)"
      R"({{"AttributeName":"SK","KeyType":"RANGE"}}],)"
      R"("AttributeDefinitions":[{}]{}}})",
      table, attributes,
      indexes == 0 ? std::string() : fmt::format(R"(,"GlobalSecondaryIndexes":[{}])", index_list));
}

}  // namespace

std::string HttpRequest(std::string_view operation, std::string_view body) {
  return fmt::format(
      "POST / HTTP/1.1\r\n"
      "Host: 127.0.0.1:8000\r\n"
      "User-Agent: aws-sdk-cpp/1.11.400 ua/2.1 api/DynamoDB os/Linux#6.1 lang/c++#C++20\r\n"
      "Content-Type: application/x-amz-json-1.0\r\n"
      "X-Amz-Target: DynamoDB_20120810.{}\r\n"
      "X-Amz-Date: 20260115T100000Z\r\n"
      "Authorization: AWS4-HMAC-SHA256 "
      "Credential=AKIDEXAMPLE/20260115/us-east-1/dynamodb/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={:064}\r\n"
      "amz-sdk-invocation-id: 2b36c7e2-57b4-4b3e-8f2f-5a4c4d4e6f70\r\n"
      "amz-sdk-request: attempt=1; max=3\r\n"
      "Content-Length: {}\r\n"
      "\r\n{}",
      operation, 0, body.size(), body);
}

std::string GetItemBody(std::string_view table, uint64_t number) {
  return fmt::format(R"({{"TableName":"{}","Key":{}}})", table, KeyJson(number));
}

std::string PutItemBody(std::string_view table, uint64_t number, uint64_t revision) {
  return fmt::format(R"({{"TableName":"{}","Item":{}}})", table, ItemJson(number, revision));
}

RequestReader::RequestReader()
    : parser_({.max_head_bytes = kNoLimit, .max_body_bytes = kNoLimit}) {}

http::Request RequestReader::Read(std::string_view bytes) {
  while (parser_.state() != http::RequestParser::State::kDone) {
    bytes.remove_prefix(parser_.Feed(bytes));
  }
  return http::Request(parser_.Take());
}

ServiceClient::ServiceClient()
    : store_(storage::NewMemoryStore()),
      engine_(Must(engine::Engine::Open(*store_, clock_, {}))),
      service_(*engine_, executor_, authenticator_),
      inbox_(std::make_shared<http::Inbox>()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, inbox_->event_fd(), &event);
  inbox_->Attach(this);
  Send(HttpRequest("CreateTable", CreateTableBody("plain", 0)));
  Send(HttpRequest("CreateTable", CreateTableBody("sales", 3)));
  Wait();
}

ServiceClient::~ServiceClient() {
  inbox_->Detach();
}

void ServiceClient::Send(std::string_view http_request) {
  ++unanswered_;
  service_.Handle(reader_.Read(http_request),
                  http::Responder(std::make_shared<http::Responder::Target>(inbox_, 1)));
}

void ServiceClient::Wait() {
  while (unanswered_ > 0) {
    epoll_event event{};
    epoll_wait(epoll_.get(), &event, 1, -1);
    for (http::Answer& answer : inbox_->Take().answers) Deliver(std::move(answer));
  }
}

void ServiceClient::Deliver(http::Answer answer) noexcept {
  --unanswered_;
  const std::optional<http::Response> response = answer.Take();
  if (response && response->status == 200) return;
  std::fprintf(stderr, "microbenchmarks: %s\n", response ? response->body.c_str() : "no answer");
  std::abort();
}

}  // namespace monotable::bench
