#include "controls/snapshot.h"

#include <memory>

namespace monotable::controls {

Result<Snapshot> TakeSnapshot(storage::Store& store) {
  Snapshot snapshot;
  const std::unique_ptr<storage::Reader> reader = store.Snapshot();
  // Asked after the reader was made, so it is not behind any update that the reader sees.
  TRY(storage::UpdateAndWait(store, {}, [&](auto, const storage::Commit& commit, storage::Batch*) {
    snapshot.last_sequence = commit.sequence - 1;
  }));
  const auto cursor = reader->Scan({}, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    snapshot.entries.emplace_back(cursor->key(), cursor->value());
  }
  TRY(cursor->status());
  return snapshot;
}

Status FillStore(const Snapshot& snapshot, storage::Store& store) {
  return storage::UpdateAndWait(store, {},
                                [&](auto, const storage::Commit&, storage::Batch* batch) {
                                  for (const auto& [key, value] : snapshot.entries) {
                                    batch->Put(key, value);
                                  }
                                });
}

}  // namespace monotable::controls
