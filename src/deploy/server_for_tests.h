#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deploy/dynamodb_call.h"

namespace monotable::deploy {

// A server that gives prepared answers and remembers its requests. The last answer to an operation
// is repeated; an operation without answers is unknown.
class FakeServer {
 public:
  struct Asked {
    std::string operation;
    std::string body;
  };

  void Answer(const std::string& operation, std::string_view json) {
    answers_[operation].push_back(std::string(json));
  }
  void Answer(const std::string& operation, Error error) {
    answers_[operation].push_back(std::move(error));
  }
  template <typename Given>
  void Replace(const std::string& operation, Given given) {
    answers_[operation].clear();
    Answer(operation, std::move(given));
  }

  Call call() {
    return [this](std::string_view operation, std::string_view body) -> Result<std::string> {
      asked.push_back({std::string(operation), std::string(body)});
      const auto found = answers_.find(std::string(operation));
      if (found == answers_.end()) return Error(ErrorCode::kUnknownOperation, "");
      auto& left = found->second;
      Result<std::string> answer = left.front();
      if (left.size() > 1) left.pop_front();
      return answer;
    };
  }

  std::vector<Asked> asked;

 private:
  std::map<std::string, std::deque<Result<std::string>>> answers_;
};

inline Error NoTable() {
  return Error(ErrorCode::kResourceNotFound, "Requested resource not found");
}

}  // namespace monotable::deploy
