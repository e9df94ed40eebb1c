// Requests on a connection, in one piece and in small ones: the same requests, whatever the split.
// The first four bytes choose the splits.

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "http/request_parser.h"

using monotable::fuzz::Check;
using monotable::fuzz::TakeByte;
using monotable::http::RequestParser;

namespace {

constexpr RequestParser::Limits kLimits{512, 4096};

// Everything that can be seen of the requests, as one text.
std::string Parse(std::string_view bytes, const std::vector<size_t>& sizes) {
  RequestParser parser(kLimits);
  std::string seen;
  size_t turn = 0;
  while (parser.state() != RequestParser::State::kFailed) {
    std::string_view piece = bytes.substr(0, sizes[turn++ % sizes.size()]);
    const bool last = piece.size() == bytes.size();
    bytes.remove_prefix(piece.size());
    // A copy of its own size, so that a sanitizer sees a read past its end.
    const std::vector<char> copy(piece.begin(), piece.end());
    piece = std::string_view(copy.data(), copy.size());
    while (true) {
      const size_t taken = parser.Feed(piece);
      Check(taken <= piece.size(), "the parser takes no more than there is");
      piece.remove_prefix(taken);
      if (parser.state() == RequestParser::State::kDone) {
        const auto request = parser.Take();
        seen += std::string(request->method) + " " + std::string(request->target) + "\n";
        for (const auto& header : request->headers) {
          seen += std::string(header.name) + ":" + std::string(header.value) + "\n";
        }
        seen += request->body + "\n--\n";
        Check(request->body.capacity() >= request->body.size() + monotable::http::Request::kPadding,
              "a body has its padding");
        if (piece.empty()) break;
        continue;
      }
      if (parser.state() == RequestParser::State::kHeadDone) continue;
      if (parser.state() == RequestParser::State::kFailed) break;
      Check(piece.empty(), "the parser stops only where its state changes");
      break;
    }
    if (last) break;
  }
  if (parser.state() == RequestParser::State::kFailed) {
    seen += std::to_string(parser.error().status) + std::string(parser.error().reason);
  }
  return seen;
}

}  // namespace

FUZZ_TARGET(http) {
  std::vector<size_t> sizes;
  for (int i = 0; i < 4; ++i) sizes.push_back(1 + TakeByte(&input) % 64);
  const std::string whole = Parse(input, {std::max<size_t>(1, input.size())});
  Check(Parse(input, sizes) == whole, "pieces of any size make the same requests");
  Check(Parse(input, {1}) == whole, "single bytes make the same requests");
}
