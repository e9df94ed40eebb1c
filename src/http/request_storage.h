#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/memory_budget.h"
#include "http/server.h"

namespace monotable::http {

// The bytes of a request and the views of them. Never moves: requests hold it by pointer.
struct Request::Storage {
  std::unique_ptr<char[]> head;
  std::string_view method;
  std::string_view target;
  std::vector<Header> headers;
  // Its capacity exceeds its size by Request::kPadding or more.
  std::string body;
  // What a large body holds of the budget of the server, given back with the body.
  MemoryBudget::Reservation reservation;
};

}  // namespace monotable::http
