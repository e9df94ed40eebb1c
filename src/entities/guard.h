#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "engine/write.h"
#include "entities/application.h"
#include "entities/write/entity_writer.h"
#include "work/executor.h"

namespace monotable::entities {

// Applies the rules of models to raw DynamoDB writes: `enforce` refuses what breaks them and keeps
// keys, copies and sums right; `warn` lets it pass, marks its unique values and says in the log
// what is wrong with it; `off` does not look.
//
// Writes that are only warned about are looked at on the executor after they are answered, one
// after the other and at most one task at a time, so that they never push requests aside.
//
// Thread-safe. mutex_ guards what waits to be looked at. Everything that the guard was given must
// outlive it.
class Guard final : public engine::WriteGuard {
 public:
  Guard(engine::Engine& engine, work::Executor& executor);
  ~Guard() override { Stop(); }

  // Before anything is served.
  void Add(const Application& application, Writer& writer);
  // Waits for the writes that are only warned about, and for the look at them. Nobody may submit
  // another.
  void Stop();

  bool Covers(const table::TableDefinition& table) const override;
  // Items expire by the rules of their model, whether or not raw writes are bound by them.
  bool CoversExpiry(const table::TableDefinition& table) const override;
  // A transaction may reach tables of several models; the rules of the first that enforces hold.
  void Submit(engine::WriteRequest request, engine::WriteCallback callback) override;

  // Writes that broke a rule of a model that only warns. When more is written than one task can
  // look at, some writes are passed over.
  int64_t breaches() const { return breaches_; }

 private:
  struct Watched {
    const Application* application = nullptr;
    const model::TableModel* table = nullptr;
    Writer* writer = nullptr;
  };

  // What was written; it may live longer than the answer.
  struct Image {
    const Watched* watched = nullptr;
    std::optional<encoding::EncodedItem> old_item;
    std::optional<encoding::EncodedItem> new_item;
  };

  const Watched* Find(const std::string& table_name) const;
  void Warn(engine::WriteRequest request, engine::WriteCallback callback);
  // Has an image looked at soon, unless too many wait already.
  void LookAt(Image image);
  // Looks at some of the images that wait, as a task of the executor.
  void Look();
  // Has a task look at the images that wait; passes them over if the executor takes none.
  void PostLook();
  void Report(const Image& image);

  engine::Engine& engine_;
  work::Executor& executor_;
  std::map<std::string, Watched> tables_;
  std::atomic<int64_t> breaches_ = 0;
  std::atomic<int64_t> last_line_ms_ = 0;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<Image> images_;  // guarded by mutex_
  bool is_looking_ = false;   // a task is posted or runs; guarded by mutex_
  size_t warned_ = 0;         // writes on their way through Warn; guarded by mutex_
};

}  // namespace monotable::entities
