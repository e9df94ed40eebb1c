#include "transfer/item_sink.h"

#include <utility>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/write.h"

namespace monotable::transfer {
namespace {

// Large enough that the disk is waited for seldom, small enough that other writes wait little.
constexpr size_t kBatchItems = 500;
constexpr size_t kBatchBytes = 1024 * 1024;

}  // namespace

ItemSink::ItemSink(engine::Engine& engine, engine::TablePtr table, ErrorReport* report)
    : engine_(engine), table_(std::move(table)), report_(*report) {}

Status ItemSink::Add(const item::Item& item, SourcePlace place) {
  Waiting next{engine::KeyOf(*table_, item), encoding::EncodeItem(item), std::move(place)};
  std::string key = encoding::ItemKey(*table_, next.key);
  if (waiting_.size() == kBatchItems || bytes_ >= kBatchBytes || keys_.contains(key)) TRY(Flush());
  bytes_ += next.item.bytes.size();
  keys_.insert(std::move(key));
  waiting_.push_back(std::move(next));
  return {};
}

Result<bool> ItemSink::Write() {
  engine::WriteRequest request;
  for (const Waiting& waiting : waiting_) {
    engine::ItemWrite& write = request.items.emplace_back();
    write.table = table_;
    write.table_name = table_->name;
    write.key = waiting.key;
    write.put = waiting.item;
  }
  TRY_ASSIGN(const engine::WriteOutcome outcome, engine::WriteAndWait(engine_, std::move(request)));
  if (!outcome.refused()) return true;
  std::vector<Waiting> accepted;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if (outcome.items[i].error) {
      TRY(report_.Add(waiting_[i].place, outcome.items[i].error->message()));
    } else {
      accepted.push_back(std::move(waiting_[i]));
    }
  }
  waiting_ = std::move(accepted);
  return false;
}

Status ItemSink::Flush() {
  while (!waiting_.empty()) {
    TRY_ASSIGN(const bool written, Write());
    if (written) break;
  }
  imported_ += static_cast<int64_t>(waiting_.size());
  waiting_.clear();
  keys_.clear();
  bytes_ = 0;
  return {};
}

}  // namespace monotable::transfer
