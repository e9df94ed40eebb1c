#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/decide_item.h"
#include "engine/engine.h"
#include "engine/write.h"
#include "error/result.h"
#include "storage/store.h"

namespace monotable::engine {

// The keys that a request names: those of its items, then those of its token, where the bucket to
// which the token goes is the first, then its locks. What is only read is shared.
std::vector<storage::NamedKey> KeysOf(const WriteRequest& request, const Clock& clock);

// About how many bytes a request copies, as far as the request alone can tell.
size_t LeastUnits(const WriteRequest& request);

// Something is not as the caller of a request saw it.
Error NotAsSeen();

// What becomes of a request with certain values of its keys: what it writes and what it answers.
// Not thread-safe. The request and the keys must outlive the decision.
class WriteDecision {
 public:
  WriteDecision(Engine& engine, const WriteRequest& request,
                std::span<const storage::NamedKey> keys)
      : engine_(engine), request_(request), keys_(keys) {}
  WriteDecision(const WriteDecision&) = delete;
  WriteDecision& operator=(const WriteDecision&) = delete;

  // Decides, once. The values must hold until Apply has returned. If the work is stopped meanwhile
  // (work::Stopped), the decision is worth nothing.
  void Decide(const storage::Current& current);

  // Whether nothing speaks against writing.
  bool accepted() const { return !failure_ && !outcome_.replayed && !outcome_.refused(); }
  // About how many bytes Apply looks at and copies.
  size_t ApplyUnits() const;
  const std::vector<ItemChange>& changes() const { return changes_; }

  // Writes everything except for the change log, whose keys depend on the commit.
  void Apply(storage::Batch* batch);
  // Writes the change log, after Apply.
  void Log(const storage::Commit& commit, storage::Batch* batch) const;
  size_t log_bytes() const;

  // Whether the tables still have the definitions under which this was decided.
  bool DefinitionsHold() const;

  Result<WriteOutcome> TakeOutcome();

 private:
  struct LogRecord {
    size_t position;  // of the item in the request
    std::string record;
  };

  // Finds the record of a known token, which ends the decision.
  Status CheckToken(std::span<const StoredValue> values);
  bool IsAsSeen(const storage::Current& current) const;
  void DecideOne(const ItemWrite& write, ItemChange* change, ItemOutcome* outcome) const;
  void ApplyOne(size_t position, storage::Batch* batch);
  void EncodeLog(size_t position);
  void WriteToken(storage::Batch* batch) const;

  Engine& engine_;
  const WriteRequest& request_;
  const std::span<const storage::NamedKey> keys_;
  std::vector<ItemChange> changes_;  // one per item
  std::vector<LogRecord> log_;
  WriteOutcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace monotable::engine
