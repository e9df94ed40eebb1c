#include "hostile/mutation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace monotable::hostile {
namespace {

constexpr std::string_view kTexts[] = {
    "",
    "S",
    "N",
    "M",
    "L",
    "NULL",
    "BOOL",
    "SS",
    "NS",
    "BS",
    "tbl",
    "idx",
    "p",
    "s",
    "g",
    "#p",
    ":g",
    "-0",
    "1e126",
    "1e-131",
    "99999999999999999999999999999999999999999",
    "NaN",
    "\\u0000",
    "\\ud800",
    "\\udc00\\ud800",
    "\xff\xfe",
    "\xe2\x82",
    "😀",
    "AAAA",
    "A===",
    "ALL_NEW",
    "KEYS_ONLY",
    "arn:aws:dynamodb:us-east-1:000000000000:table/tbl",
    "__type",
    "true",
    "null",
};

constexpr std::string_view kValues[] = {"null",
                                        "true",
                                        "0",
                                        "-1",
                                        "1e400",
                                        "[]",
                                        "{}",
                                        "\"\"",
                                        "[[]]",
                                        "[{}]",
                                        "{\"\":{}}",
                                        "{\"S\":\"\"}",
                                        "18446744073709551616",
                                        "0.1",
                                        "01",
                                        "nul",
                                        "{\"N\":1}",
                                        "{\"L\":[null]}"};

constexpr std::string_view kTokens[] = {"a",
                                        "b[0]",
                                        "#p",
                                        ":g",
                                        "(",
                                        ")",
                                        ",",
                                        "=",
                                        "<>",
                                        "<",
                                        ">=",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "BETWEEN",
                                        "IN",
                                        "SET",
                                        "REMOVE",
                                        "ADD",
                                        "DELETE",
                                        "+",
                                        "-",
                                        "size",
                                        "attribute_exists(p)",
                                        "begins_with(g, :g)",
                                        "contains(a, :g)",
                                        "attribute_type(a, :g)",
                                        "list_append(a, :g)",
                                        "if_not_exists(a, :g)",
                                        "a.b.c[1].d",
                                        "[",
                                        "]",
                                        ".",
                                        "p",
                                        "s",
                                        "\\u0000",
                                        "'",
                                        "--"};

constexpr std::string_view kHeaderLines[] = {
    "X-Amz-Target: DynamoDB_20120810.Scan\r\n",
    "X-Amz-Target: \r\n",
    "Content-Type: text/plain\r\n",
    "Content-Type: application/json; charset=utf-8\r\n",
    "Authorization: Bearer x.y.z\r\n",
    "Authorization: AWS4-HMAC-SHA256 \r\n",
    "Host: example.com\r\n",
    "Origin: http://evil.example\r\n",
    "If-Match: \"v1\"\r\n",
    "If-None-Match: *\r\n",
    "Idempotency-Key: k\r\n",
    "Prefer: return=minimal\r\n",
    "Tenant: t\r\n",
    "Accept: */*\r\n",
    "Content-Encoding: gzip\r\n",
    "X-Amz-Date: yesterday\r\n",
    "Cookie: \x80\xff\r\n",
    "Expect: 100-continue\r\n",
    "Connection: keep-alive\r\n",
};

constexpr std::string_view kBreaks[] = {
    "Content-Length: 5\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: 99999999999999999999999\r\n",
    "Content-Length: 16000000\r\n",
    "Content-Length: 0x10\r\n",
    "Content-Length: 1, 2\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: identity\r\n",
    "Host : a\r\n",
    " folded: line\r\n",
    "no colon\r\n",
    "Nul: \0\r\n",
    "Expect: something\r\n",
    "Upgrade: h2c\r\nConnection: Upgrade\r\n",
    "\r\n",
    "\n\n",
    "Connection: close\r\n",
};

constexpr std::string_view kStarts[] = {"GET / HTTP/1.0\r\n\r\n",
                                        "GET /\r\n",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                        "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                        "CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                        "POST / HTTP/1.1\r\n\r\n",
                                        "POST / HTTP/9.9\r\nHost: localhost\r\n\r\n",
                                        "\r\n\r\n\r\n",
                                        "POST  /  HTTP/1.1\r\nHost: localhost\r\n\r\n"};

// The strings of a JSON text, without their quotes.
std::vector<std::pair<size_t, size_t>> StringsOf(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    const size_t begin = ++at;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    if (at < text.size()) found.emplace_back(begin, at - begin);
  }
  return found;
}

// The end of the value that begins with a bracket, or npos.
size_t EndOf(std::string_view text, size_t begin) {
  int depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == '}' || text[at] == ']') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

uint64_t Random::Next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

std::vector<Seed> LoadSeeds(const std::string& folder) {
  std::vector<Seed> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    Seed seed;
    std::getline(file, seed.operation);
    seed.body.assign(std::istreambuf_iterator<char>(file), {});
    // What deletes or rebuilds the table is not worth its time.
    if (seed.operation != "DeleteTable" && seed.operation != "UpdateTable") {
      seeds.push_back(std::move(seed));
    }
  }
  // The order of a folder is not the same everywhere, and a seed must repeat a run.
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
    return std::tie(a.operation, a.body) < std::tie(b.operation, b.body);
  });
  for (const auto& [method, target, body] :
       {std::tuple{"GET", "/api/v1/sales/sales/SALE001", ""},
        std::tuple{"GET", "/api/v1/sales/buyers/BUYER001?fields=Name", ""},
        std::tuple{"GET", "/api/v1/sales/openapi.json", ""},
        std::tuple{"GET", "/api/v1/sales/sales?limit=2&after=x", ""},
        std::tuple{"POST", "/api/v1/sales/buyers", R"({"Name":"Ana","Document":"11144477735"})"},
        std::tuple{"PATCH", "/api/v1/sales/buyers/BUYER001", R"({"Name":"Bea"})"},
        std::tuple{"POST", "/api/v1/sales/sales/SALE001:revise", R"({"Notes":"a"})"},
        std::tuple{
            "POST", "/api/v1/sales/transact",
            R"({"writes":[{"patch":"Sale","key":{"SaleId":"SALE001"},"body":{"Notes":"b"}}]})"},
        std::tuple{"DELETE", "/api/v1/sales/buyers/BUYER002", ""}}) {
    seeds.push_back({method, target, "", body});
  }
  return seeds;
}

Seed CreateTableSeed() {
  return {"POST", "/", "CreateTable",
          R"({"TableName":"tbl","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)"
          R"({"AttributeName":"p","AttributeType":"S"},{"AttributeName":"s","AttributeType":"N"},)"
          R"({"AttributeName":"g","AttributeType":"S"}],"KeySchema":[)"
          R"({"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],)"
          R"("GlobalSecondaryIndexes":[{"IndexName":"idx","KeySchema":[)"
          R"({"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],)"
          R"("Projection":{"ProjectionType":"ALL"}}]})"};
}

struct Mutator::Head {
  std::string line;
  std::string headers;
};

const Seed& Mutator::Choose() {
  const Seed& seed = random_.Of(seeds_);
  // Tables and tags are slow, and items are what there is most to be wrong about.
  const bool is_slow = seed.operation.find("Table") != std::string::npos;
  return is_slow && !random_.OneIn(20) ? Choose() : seed;
}

Mutator::Head Mutator::HeadOf(const Seed& seed) const {
  Head head;
  head.line = fmt::format("{} {} HTTP/1.1\r\n", seed.method, seed.target);
  head.headers = "Host: localhost\r\n";
  if (seed.operation.empty()) {
    if (!seed.body.empty()) head.headers += "Content-Type: application/json\r\n";
    return head;
  }
  head.headers += fmt::format(
      "Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{}\r\n"
      "X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
      "Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, "
      "SignedHeaders=host;x-amz-date;x-amz-target, Signature={:a<64}\r\n",
      seed.operation, "");
  return head;
}

std::string Mutator::Write(const Head& head, const std::string& body) {
  if (!body.empty() && random_.OneIn(8)) {
    return head.line + head.headers + "Transfer-Encoding: chunked\r\n\r\n" + Chunked(body);
  }
  return fmt::format("{}{}Content-Length: {}\r\n\r\n{}", head.line, head.headers, body.size(),
                     body);
}

std::string Mutator::Chunked(std::string_view body) {
  std::string chunked;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, 1 + random_.Below(200));
    chunked += fmt::format("{:x}{}\r\n{}\r\n", piece.size(), random_.OneIn(9) ? ";x=y" : "", piece);
    body.remove_prefix(piece.size());
  }
  return chunked + (random_.OneIn(9) ? "0\r\nTrailer: t\r\n\r\n" : "0\r\n\r\n");
}

std::string Mutator::Valid(const Seed& seed) {
  const Head head = HeadOf(seed);
  return fmt::format("{}{}Content-Length: {}\r\n\r\n{}", head.line, head.headers, seed.body.size(),
                     seed.body);
}

std::string Mutator::Framed() {
  const Seed& seed = Choose();
  std::string body = seed.body;
  Head head = HeadOf(seed);
  for (size_t i = random_.Below(4); i > 0 && !body.empty(); --i) MutateBody(&body);
  if (random_.OneIn(6)) MutateHeaders(&head);
  return Write(head, body);
}

std::string Mutator::Expression() {
  std::string text;
  for (size_t i = 1 + random_.Below(12); i > 0; --i) {
    text.append(random_.Of(kTokens)).append(random_.OneIn(5) ? "" : " ");
  }
  if (random_.OneIn(50)) text = std::string(1 + random_.Below(5000), random_.OneIn(2) ? '(' : 'a');
  return text;
}

void Mutator::MutateBody(std::string* body) {
  switch (random_.Below(8)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return MutateText(body);
    case 4:
    case 5:
    case 6:
      return MutateSpan(body);
    default:
      return MutateBytes(body);
  }
}

void Mutator::MutateText(std::string* body) {
  const auto strings = StringsOf(*body);
  if (strings.empty()) return;
  const size_t index = random_.Below(strings.size());
  const auto& [begin, length] = strings[index];
  const bool after_expression =
      index > 0 && std::string_view(*body)
                       .substr(strings[index - 1].first, strings[index - 1].second)
                       .ends_with("Expression");
  if (after_expression || random_.OneIn(8)) {
    body->replace(begin, length, Expression());
  } else if (random_.OneIn(100)) {
    body->replace(begin, length, std::string(1 + random_.Below(20'000), 'k'));
  } else {
    body->replace(begin, length, random_.Of(kTexts));
  }
}

void Mutator::MutateSpan(std::string* body) {
  const size_t from = body->find_first_of("{[", random_.Below(body->size()));
  if (from == std::string::npos) return;
  const size_t end = EndOf(*body, from);
  if (end == std::string::npos) return;
  const std::string span = body->substr(from, end - from);
  switch (random_.Below(4)) {
    case 0:
      body->replace(from, span.size(), random_.Of(kValues));
      break;
    case 1:
      body->insert(end, "," + span);
      break;
    case 2: {
      const size_t depth = random_.OneIn(20) ? random_.Below(400) : random_.Below(10);
      std::string wrapped;
      for (size_t i = 0; i < depth; ++i) wrapped += R"({"M":{"a":)";
      wrapped += span;
      for (size_t i = 0; i < depth; ++i) wrapped += "}}";
      body->replace(from, span.size(), wrapped);
      break;
    }
    default:
      body->erase(from, span.size());
  }
}

void Mutator::MutateBytes(std::string* body) {
  const size_t at = random_.Below(body->size());
  switch (random_.Below(4)) {
    case 0:
      (*body)[at] = static_cast<char>(random_.Below(256));
      break;
    case 1:
      body->insert(at, 1, static_cast<char>(random_.Below(256)));
      break;
    case 2:
      body->erase(at, 1 + random_.Below(8));
      break;
    default:
      body->resize(at);
  }
}

void Mutator::MutateHeaders(Head* head) {
  switch (random_.Below(5)) {
    case 0:
      head->headers.insert(0, random_.Of(kHeaderLines));
      break;
    case 1:
      head->headers += random_.Of(kHeaderLines);
      break;
    case 2:
      head->headers += fmt::format("X-Long: {}\r\n", std::string(random_.Below(6000), 'x'));
      break;
    case 3:
      for (size_t i = random_.Below(60); i > 0; --i) head->headers += fmt::format("X-{}: y\r\n", i);
      break;
    default: {
      // Loses one header line, though never the host.
      const size_t line = head->headers.find("\r\n") + 2;
      const size_t next = head->headers.find("\r\n", line);
      if (next != std::string::npos) head->headers.erase(line, next + 2 - line);
    }
  }
}

std::string Mutator::Broken() {
  std::string bytes = Framed();
  const size_t head = bytes.find("\r\n\r\n") + 2;
  switch (random_.Below(8)) {
    case 0:
    case 1:
      bytes.insert(bytes.find("\r\n") + 2, random_.Of(kBreaks));
      break;
    case 2:
      bytes[random_.Below(head)] = static_cast<char>(random_.Below(256));
      break;
    case 3:
      bytes.resize(random_.Below(bytes.size()));
      break;
    case 4:
      bytes.insert(0, random_.Of(kStarts));
      break;
    case 5:
      bytes.erase(random_.Below(head), 1 + random_.Below(20));
      break;
    case 6:
      bytes.insert(head, std::string(random_.Below(80'000), 'h'));
      break;
    default:
      for (size_t i = random_.Below(300); i > 0; --i) bytes.insert(head, "A: b\r\n");
  }
  return bytes;
}

}  // namespace monotable::hostile
