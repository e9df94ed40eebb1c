#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "load/data_set.h"
#include "load/options.h"

namespace monotable::load {

// The head of every request of a run. Only the item in its path differs, and the length of the
// body, which is filled in after the body was appended.
class RequestHead {
 public:
  // Calls an operation of DynamoDB's API, with the headers that an AWS SDK sends.
  static RequestHead OfDynamoDb(const Options& options, std::string_view target);
  // With those of the fetch function of Node.js. The path is a pattern of ItemText.
  static RequestHead OfRest(const Options& options, std::string_view method, std::string_view path);

  void AppendTo(std::string& request, uint64_t number) const { text_.AppendTo(request, number, 0); }
  // Writes the length of the body that was appended since.
  void FillLength(std::string& request) const;

 private:
  RequestHead(const std::string& pattern, bool has_body);

  ItemText text_;
  // Just after the last digit of the length; 0 when there is no body.
  size_t length_end_ = 0;
};

}  // namespace monotable::load
