#pragma once

#include <string>
#include <string_view>

#include "error/error.h"
#include "http/message.h"

// What went wrong, as RFC 9457 has it: application/problem+json.
namespace monotable::api::rest {

inline constexpr std::string_view kProblemJson = "application/problem+json";

// A kind of problem: what all its occurrences share.
struct ProblemKind {
  std::string_view code;  // illegal_transition
  int status = 400;
  std::string_view title;
  std::string_view text;  // for people who follow its type, /problems/{code}
};

// The kind with this code; null if there is no such kind.
const ProblemKind* FindProblemKind(std::string_view code);
// What an error is to a client, whether a model or the engine refused.
const ProblemKind& KindOf(const Error& error);

// Appends the problem as an object. More is JSON of further members (`"patterns":[…]`), or empty.
void AppendProblem(const Error& error, std::string_view request_id, std::string_view more,
                   std::string* out);

// The answer, with the headers that go with its status. Internal errors go to the log and say
// nothing to the client.
http::Response MakeProblem(const Error& error, std::string_view request_id,
                           std::string_view more = {});
// The answer to a request that fails before a model or the engine sees it: the code of a kind and a
// sentence.
http::Response MakeProblem(std::string_view code, std::string_view detail,
                           std::string_view request_id);

}  // namespace monotable::api::rest
