#include "engine/item_walk.h"

#include <utility>
#include <vector>

#include "encoding/keyspace.h"

namespace monotable::engine {
namespace {

// A step must be short, because the store decides it on the thread that decides all writes.
constexpr size_t kMaxStretchItems = 256;
constexpr size_t kMaxStretchBytes = 1024 * 1024;

Result<std::vector<std::string>> NextStretch(Engine& engine, const storage::Range& rest) {
  std::vector<std::string> keys;
  size_t bytes = 0;
  const auto cursor = engine.store().Latest().Scan(rest, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    if (keys.size() == kMaxStretchItems || bytes >= kMaxStretchBytes) break;
    keys.emplace_back(cursor->key());
    bytes += cursor->value().size();
  }
  TRY(cursor->status());
  return keys;
}

}  // namespace

Status WalkItems(Engine& engine, uint32_t table_id, const std::string& progress_key,
                 const std::function<bool()>& goes_on, const StretchVisitor& visit) {
  storage::Range rest = encoding::ItemsRange(table_id, encoding::kTableItems);
  std::string last_done;
  TRY_ASSIGN(const bool resumes, engine.store().Latest().Get(progress_key, &last_done));
  if (resumes) rest.begin = last_done + '\0';
  while (goes_on()) {
    TRY_ASSIGN(const std::vector<std::string> keys, NextStretch(engine, rest));
    if (keys.empty()) return {};
    rest.begin = keys.back() + '\0';
    TRY(storage::UpdateAndWait(engine.store(), keys,
                               [&](auto items_of_step, const auto&, storage::Batch* batch) {
                                 if (visit(keys, items_of_step, batch)) {
                                   batch->Put(progress_key, keys.back());
                                 }
                               }));
  }
  return {};
}

}  // namespace monotable::engine
