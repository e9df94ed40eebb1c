#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "error/result.h"

namespace monotable::api::dynamodb {

// What an operation answers: the bytes of the body, or the error that is answered in their place.
// How either becomes an HTTP response is known to service.cc alone.
using Answer = Result<std::string>;

// Makes the answer of an operation, on the thread that needs the answer.
struct MakeAnswer {
  std::function<Answer()> make;
  // Of the items that the answer may show, which tells how much work it is.
  size_t image_bytes = 0;

  Answer operator()() const { return make(); }
};

// How an operation answers that waits for the disk: called exactly once, on any thread. That thread
// is the one all writes wait for, so the answer is made elsewhere.
using AnswerDone = std::function<void(MakeAnswer make)>;

// An error as the service's JSON, appended to out: its name, its message, and what it carries
// beside the message: the item that failed a condition, the reasons of a cancelled transaction.
void EncodeError(const Error& error, std::string* out);

}  // namespace monotable::api::dynamodb
