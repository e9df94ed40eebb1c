#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "load/data_set.h"
#include "load/options.h"
#include "load/request_head.h"

namespace monotable::load {

// What one operation sends and what it expects back.
//
// It is one of DynamoDB's, with a target, or of a REST API, with a method and the pattern of a
// path. A body is `opening`, the text of `count` items with commas between, and `closing`. The
// texts take turns, so that a transaction can put one item and update the next.
struct Operation {
  std::string_view target = {};
  std::string_view method = {};
  std::string path = {};
  std::string opening = {};
  std::vector<ItemText> texts = {};
  size_t count = 1;
  std::string closing = {};
  // A right answer has this text so many times.
  std::string_view expected_text;
  size_t expected_times = 1;
  // The items in order, each once, instead of random ones.
  bool in_order = false;
};

// The requests of a run, and the judgement on their answers. Not thread-safe.
class Workload {
 public:
  static Result<Workload> Make(const Options& options);

  // Appends the next request for a connection; false when every item had its turn.
  bool AppendRequest(std::string& out, size_t connection);

  // Takes note of where a connection's scan has come to; the other operations need nothing.
  void TakeAnswer(std::string_view body, size_t connection);

  // Whether the body of a successful answer is what the operation should get.
  bool IsExpected(std::string_view body) const;

  // A lost write would falsify all that follows, so those of the loader are all looked at.
  bool checks_every_answer() const { return checks_every_answer_; }
  bool is_transaction() const { return is_transaction_; }

 private:
  Workload(Operation operation, const Options& options);

  size_t ChooseNumbers();
  void AppendItems(std::string& out);
  void AppendScan(std::string& out, size_t connection);
  void AppendToken(std::string& out);

  Operation operation_;
  RequestHead head_;
  uint64_t first_;
  uint64_t items_;
  uint64_t random_state_;
  // For what must not repeat in another run: tokens and revisions.
  uint64_t unique_state_;
  uint64_t next_in_order_ = 0;
  std::vector<uint64_t> numbers_;
  bool is_scan_;
  bool is_transaction_;
  bool checks_every_answer_;
  // For each connection the key after which its next page begins, as JSON; empty for the first.
  std::vector<std::string> scan_positions_;
};

}  // namespace monotable::load
