#include "http/request_parser.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace monotable::http {
namespace {

using State = RequestParser::State;

constexpr RequestParser::Limits kLimits{4096, 10000};

// Feeds pieces until a request is complete or refused, as a connection does.
State FeedAll(RequestParser& parser, const std::vector<std::string_view>& pieces,
              std::string* rest = nullptr) {
  for (std::string_view piece : pieces) {
    while ((!piece.empty() || parser.state() == State::kHeadDone) &&
           parser.state() != State::kDone && parser.state() != State::kFailed) {
      piece.remove_prefix(parser.Feed(piece));
    }
    if (rest != nullptr) rest->append(piece);
  }
  return parser.state();
}

int StatusOf(std::string_view text) {
  RequestParser parser(kLimits);
  return FeedAll(parser, {text}) == State::kFailed ? parser.error().status : 0;
}

Request MustParse(std::string_view text) {
  RequestParser parser(kLimits);
  EXPECT_EQ(FeedAll(parser, {text}), State::kDone) << text;
  return Request(parser.Take());
}

constexpr std::string_view kPost =
    "POST /path?a=b HTTP/1.1\r\nHost: localhost:8000\r\nX-Amz-Target:  DynamoDB_20120810.Query \r\n"
    "content-length: 11\r\nempty:\r\n\r\nhello world";

constexpr std::string_view kChunked =
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
    "5\r\nhello\r\n00006;name=\"value\"\r\n world\r\n0\r\nTrailer: x\r\n\r\n";

void ExpectPost(const Request& request) {
  EXPECT_EQ(request.method(), "POST");
  EXPECT_EQ(request.target(), "/path?a=b");
  EXPECT_EQ(request.headers().size(), 4u);
  EXPECT_EQ(request.headers()[1].name, "X-Amz-Target");
  EXPECT_EQ(request.header("x-amz-TARGET"), "DynamoDB_20120810.Query");
  EXPECT_EQ(request.header("empty"), "");
  EXPECT_NE(request.header("empty").data(), nullptr);
  EXPECT_EQ(request.header("absent").data(), nullptr);
  EXPECT_EQ(request.body(), "hello world");
}

TEST(RequestParserTest, ParsesARequest) {
  ExpectPost(MustParse(kPost));
}

TEST(RequestParserTest, ViewsHoldAfterTheRequestMoved) {
  Request first = MustParse(kPost);
  const std::string_view target = first.target();
  const Request second = std::move(first);
  EXPECT_EQ(second.target().data(), target.data());
  ExpectPost(second);
}

TEST(RequestParserTest, ParsesWhereverTheBytesAreSplitInTwo) {
  for (size_t at = 0; at <= kPost.size(); ++at) {
    RequestParser parser(kLimits);
    ASSERT_EQ(FeedAll(parser, {kPost.substr(0, at), kPost.substr(at)}), State::kDone) << at;
    ExpectPost(Request(parser.Take()));
  }
}

TEST(RequestParserTest, ParsesByteByByte) {
  for (const std::string_view text : {kPost, kChunked}) {
    RequestParser parser(kLimits);
    for (size_t i = 0; i < text.size(); ++i) {
      ASSERT_NE(parser.state(), State::kDone) << i;
      while (parser.Feed(text.substr(i, 1)) == 0) ASSERT_NE(parser.state(), State::kFailed);
    }
    ASSERT_EQ(parser.state(), State::kDone);
    EXPECT_EQ(Request(parser.Take()).body(), "hello world");
  }
}

TEST(RequestParserTest, ParsesChunkedBodiesWhereverTheyAreSplitInThree) {
  for (size_t i = 0; i <= kChunked.size(); ++i) {
    for (size_t j = i; j <= kChunked.size(); ++j) {
      RequestParser parser(kLimits);
      ASSERT_EQ(
          FeedAll(parser, {kChunked.substr(0, i), kChunked.substr(i, j - i), kChunked.substr(j)}),
          State::kDone);
      ASSERT_EQ(Request(parser.Take()).body(), "hello world");
    }
  }
}

TEST(RequestParserTest, LeavesWhatFollowsTheRequest) {
  for (const std::string_view text : {kPost, kChunked}) {
    RequestParser parser(kLimits);
    std::string rest;
    ASSERT_EQ(FeedAll(parser, {std::string(text) + "GET /next"}, &rest), State::kDone);
    EXPECT_EQ(rest, "GET /next");
  }
}

TEST(RequestParserTest, ParsesOneRequestAfterTheOther) {
  RequestParser parser(kLimits);
  for (const std::string_view text : {kPost, kChunked, kPost}) {
    ASSERT_EQ(FeedAll(parser, {text}), State::kDone);
    EXPECT_EQ(Request(parser.Take()).body(), "hello world");
    EXPECT_EQ(parser.state(), State::kIdle);
  }
}

// "target, host" of a request, or its status if it is refused.
std::string TargetAndHost(std::string_view request_line, std::string_view headers = "Host: h\r\n") {
  RequestParser parser(kLimits);
  const std::string text = std::string(request_line) + "\r\n" + std::string(headers) + "\r\n";
  if (FeedAll(parser, {text}) != State::kDone) return std::to_string(parser.error().status);
  const Request request(parser.Take());
  return std::string(request.target()) + ", " + std::string(request.header("host"));
}

// Clients that use a proxy send the whole URI, and its authority is what counts.
TEST(RequestParserTest, ReadsTargetsInAbsoluteForm) {
  EXPECT_EQ(TargetAndHost("POST http://127.0.0.1:8000/ HTTP/1.1"), "/, 127.0.0.1:8000");
  EXPECT_EQ(TargetAndHost("GET http://example.com/a/b?c=d/e HTTP/1.1"), "/a/b?c=d/e, example.com");
  EXPECT_EQ(TargetAndHost("GET HTTPS://[::1]:1//x HTTP/1.1"), "//x, [::1]:1");
  EXPECT_EQ(TargetAndHost("GET http://a HTTP/1.1"), "/, a");
  EXPECT_EQ(TargetAndHost("GET http://a:1?b=http://c HTTP/1.1"), "/?b=http://c, a:1");
  EXPECT_EQ(TargetAndHost("GET http://a/ HTTP/1.0", ""), "/, a");
  EXPECT_EQ(TargetAndHost("GET http://a/ HTTP/1.1", ""), "400");
  EXPECT_EQ(TargetAndHost("GET http://a/ HTTP/1.1", "Host: b\r\nHost: a\r\n"), "400");
  for (const std::string_view target :
       {"http://", "http:///", "http://?a", "http://:80/", "http://a@b/", "http://a:b@c/",
        "http://a#b", "http:/a", "http:a", "ftp://a/", "a", "a:80", "?a", "*", "#", "httpx://a/"}) {
    EXPECT_EQ(TargetAndHost("GET " + std::string(target) + " HTTP/1.1"), "400") << target;
  }
  EXPECT_EQ(TargetAndHost("CONNECT a:80 HTTP/1.1"), "400");
}

TEST(RequestParserTest, OptionsMayAskAboutTheServer) {
  EXPECT_EQ(TargetAndHost("OPTIONS * HTTP/1.1"), "*, h");
  EXPECT_EQ(TargetAndHost("OPTIONS http://a:1 HTTP/1.1"), "*, a:1");
  EXPECT_EQ(TargetAndHost("OPTIONS http://a:1/ HTTP/1.1"), "/, a:1");
  EXPECT_EQ(TargetAndHost("OPTIONS ** HTTP/1.1"), "400");
}

TEST(RequestParserTest, StopsAtTheHeadBeforeTheBody) {
  RequestParser parser(kLimits);
  const std::string_view head = kPost.substr(0, kPost.size() - 11);
  EXPECT_EQ(parser.Feed(kPost), head.size());
  EXPECT_EQ(parser.state(), State::kHeadDone);
  EXPECT_EQ(parser.framing().content_length, 11u);
  EXPECT_LT(parser.bytes_taken(), 200u);
}

TEST(RequestParserTest, PadsBodies) {
  for (const std::string_view text :
       {kPost, kChunked, std::string_view("GET / HTTP/1.0\r\n\r\n")}) {
    RequestParser parser(kLimits);
    ASSERT_EQ(FeedAll(parser, {text}), State::kDone);
    const auto storage = parser.Take();
    EXPECT_GE(storage->body.capacity(), storage->body.size() + Request::kPadding);
  }
}

TEST(RequestParserTest, SkipsEmptyLinesBeforeARequest) {
  RequestParser parser(kLimits);
  EXPECT_EQ(FeedAll(parser, {"\r\n"}), State::kIdle);
  EXPECT_EQ(FeedAll(parser, {"\r\n\r\nGET / HTTP/1.0\r\n\r\n"}), State::kDone);
}

TEST(RequestParserTest, KnowsWhenTheConnectionStaysOpen) {
  const auto keep_alive = [](std::string_view text) {
    RequestParser parser(kLimits);
    EXPECT_EQ(FeedAll(parser, {text}), State::kDone) << text;
    return parser.framing().keep_alive;
  };
  EXPECT_TRUE(keep_alive("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(keep_alive("GET / HTTP/1.1\r\nHost: h\r\nConnection: Keep-Alive, TE\r\n\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.1\r\nHost: h\r\nConnection: te ,\tclose\r\n\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.1\r\nHost: h\r\nConnection: close, keep-alive\r\n\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keep_alive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParserTest, RefusesMalformedRequestLines) {
  for (const std::string_view line :
       {"GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET / http/1.1",
        "G(T / HTTP/1.1", "GET /\tx HTTP/1.1", "GET /\x7f HTTP/1.1", "GET /a b HTTP/1.1",
        "GET / HTTP/1", "GET / HTTP/1.1x", "GET / HTTP/11", "\x16\x03\x01"}) {
    EXPECT_EQ(StatusOf(std::string(line) + "\r\nHost: h\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(StatusOf("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(StatusOf("GET / HTTP/1.2\r\nHost: h\r\n\r\n"), 505);
}

TEST(RequestParserTest, RefusesATlsGreetingAtItsFirstByte) {
  EXPECT_EQ(StatusOf("\x16"), 400);
}

TEST(RequestParserTest, RefusesMalformedHeaders) {
  for (const std::string_view header :
       {"Name", "Name : value", " Name: value", "\tfolded", ": value", "Na me: value",
        "Na\x01me: v", "Name: va\x01lue", "Name: va\rlue", "Name: 12345678\x7f", "N\xc3\xa4me: v",
        "Name: value\nOther: value", "(: v"}) {
    EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: h\r\n" + std::string(header) + "\r\n\r\n"), 400)
        << header;
  }
  const std::string nul(1, '\0');
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: h\r\nName: a" + nul + "b\r\n\r\n"), 400);
}

TEST(RequestParserTest, RefusesFoldedHeaders) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: h\r\nName: a\r\n b\r\n\r\n"), 400);
}

TEST(RequestParserTest, AcceptsTabsAndBytesAboveAsciiInValues) {
  const Request request =
      MustParse("GET / HTTP/1.1\r\nHost: h\r\nName: \t123\t5678 \xc3\xa4\xff \t\r\n\r\n");
  EXPECT_EQ(request.header("name"), "123\t5678 \xc3\xa4\xff");
}

TEST(RequestParserTest, RefusesBareLineFeeds) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\nHost: h\n\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: h\n\r\n"), 400);
}

TEST(RequestParserTest, WantsExactlyOneHost) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\n\r\n"), 0);
}

// What one parser takes for a body another could take for the next request.
TEST(RequestParserTest, RefusesAmbiguousFraming) {
  const auto status = [](std::string_view headers) {
    return StatusOf("POST / HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n\r\n");
  };
  EXPECT_EQ(status("Content-Length: 5\r\nTransfer-Encoding: chunked"), 400);
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\nContent-Length: 5"), 400);
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\nContent-Length: 0"), 400);
  EXPECT_EQ(status("Content-Length: 5\r\nContent-Length: 6"), 400);
  EXPECT_EQ(status("Content-Length: 5\r\nContent-Length: 5"), 0);
  EXPECT_EQ(status("Content-Length: 5, 5"), 400);
  EXPECT_EQ(status("Content-Length: +5"), 400);
  EXPECT_EQ(status("Content-Length: -1"), 400);
  EXPECT_EQ(status("Content-Length: 0x5"), 400);
  EXPECT_EQ(status("Content-Length:"), 400);
  EXPECT_EQ(status("Content-Length: 5 5"), 400);
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400);
  EXPECT_EQ(status("Transfer-Encoding: gzip, chunked"), 501);
  EXPECT_EQ(status("Transfer-Encoding: identity"), 501);
  EXPECT_EQ(status("Transfer-Encoding: chunked, chunked"), 501);
  EXPECT_EQ(status("Transfer-Encoding: \"chunked\""), 501);
  EXPECT_EQ(StatusOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status("Expect: 200-ok"), 417);
}

TEST(RequestParserTest, LimitsTheHead) {
  const std::string_view begin = "GET / HTTP/1.1\r\nHost: h\r\nA: ";
  const auto head = [&](size_t size) {
    return std::string(begin) + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(StatusOf(head(4096)), 0);
  EXPECT_EQ(StatusOf(head(4097)), 431);
  EXPECT_EQ(StatusOf(std::string(4096, 'G')), 431);
  // Also when it comes in pieces.
  for (const size_t size : {4096u, 4097u}) {
    RequestParser parser(kLimits);
    const std::string text = head(size);
    for (size_t i = 0; i < text.size(); i += 100) FeedAll(parser, {text.substr(i, 100)});
    EXPECT_EQ(parser.state() == State::kFailed, size > 4096) << size;
  }
}

TEST(RequestParserTest, LimitsTheNumberOfHeaders) {
  std::string headers;
  for (int i = 0; i < 300; ++i) headers += "a:b\r\n";
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n"), 431);
}

TEST(RequestParserTest, LimitsTheBodyBeforeItComes) {
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10001\r\n\r\n"), 413);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 99999999999999999999999999\r\n\r\n"),
            413);
}

TEST(RequestParserTest, LimitsChunkedBodies) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "1388\r\n" + std::string(5000, 'x') + "\r\n";
  EXPECT_EQ(StatusOf(head + chunk + chunk + "0\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf(head + chunk + chunk + "1\r\nx\r\n0\r\n\r\n"), 413);
}

TEST(RequestParserTest, RefusesMalformedChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string_view body :
       {"\r\n", "x\r\n", "-1\r\n", "5\nhello\r\n", "5\r\nhello0\r\n", "5\r\nhello\n", "5 x\n",
        "5;a\x01\r\n", "0\r\nA: \x01\r\n\r\n", "0\r\n\r\r", "1000000000000000\r\n", "0\r\n\n",
        "0x5\r\nhello\r\n"}) {
    EXPECT_EQ(StatusOf(head + std::string(body)), 400) << body;
  }
  EXPECT_EQ(StatusOf(head + "5;" + std::string(10000, 'x') + "\r\n"), 400);
  EXPECT_EQ(StatusOf(head + "0\r\nA: " + std::string(10000, 'x') + "\r\n\r\n"), 400);
}

TEST(RequestParserTest, TakesMemoryOnlyForBytesThatCame) {
  RequestParser parser({4096, 100 * 1024 * 1024});
  FeedAll(parser, {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n"});
  EXPECT_EQ(parser.state(), State::kBody);
  EXPECT_LT(parser.bytes_taken(), 200u);
  FeedAll(parser, {std::string(1000, 'x')});
  EXPECT_LT(parser.bytes_taken(), 100'000u);
  FeedAll(parser, {std::string(1'000'000, 'x')});
  EXPECT_LT(parser.bytes_taken(), 3'000'000u);
}

// However bytes are damaged and split, the parser consumes them, ends in a proper state, and the
// split makes no difference.
TEST(RequestParserTest, SplitsNeverChangeTheOutcome) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 2 == 0 ? kPost : kChunked);
    for (size_t i = random() % 4; i > 0; --i) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    RequestParser whole(kLimits);
    std::string whole_rest;
    const State expected = FeedAll(whole, {text}, &whole_rest);
    RequestParser split(kLimits);
    std::string split_rest;
    std::vector<std::string_view> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + random() % 40;
      pieces.push_back(std::string_view(text).substr(at, size));
      at += size;
    }
    ASSERT_EQ(FeedAll(split, pieces, &split_rest), expected) << text;
    if (expected == State::kFailed) {
      ASSERT_EQ(split.error().status, whole.error().status) << text;
    } else if (expected == State::kDone) {
      ASSERT_EQ(split_rest, whole_rest) << text;
      ASSERT_EQ(split.Take()->body, whole.Take()->body) << text;
    }
  }
}

}  // namespace
}  // namespace monotable::http
