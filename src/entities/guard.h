#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "engine/worker_pool.h"
#include "engine/write.h"
#include "entities/application.h"
#include "entities/write/entity_writer.h"

namespace monotable::entities {

// Applies the rules of models to raw DynamoDB writes: `enforce` refuses what breaks them and keeps
// keys, copies and sums right; `warn` lets it pass, marks its unique values and says in the log
// what is wrong with it; `off` does not look. Thread-safe. Everything that it was given must
// outlive it.
class Guard final : public engine::WriteGuard {
 public:
  explicit Guard(engine::Engine& engine);
  // Before anything is served.
  void Add(const Application& application, Writer& writer);

  bool Covers(const table::TableDefinition& table) const override;
  // A transaction may reach tables of several models; the rules of the first that enforces hold.
  void Submit(engine::WriteRequest request, engine::WriteCallback callback) override;

  // Writes that broke a rule of a model that only warns. When more are written than one thread can
  // look at, some are passed over.
  int64_t breaches() const { return breaches_; }

 private:
  struct Watched {
    const Application* application = nullptr;
    const model::TableModel* table = nullptr;
    Writer* writer = nullptr;
  };

  const Watched* Find(const std::string& table_name) const;
  void Warn(engine::WriteRequest request, engine::WriteCallback callback);
  // What was written; it may live longer than the answer.
  struct Image {
    const Watched* watched = nullptr;
    std::optional<encoding::EncodedItem> old_item;
    std::optional<encoding::EncodedItem> new_item;
  };
  void Report(const Image& image);

  engine::Engine& engine_;
  std::map<std::string, Watched> tables_;
  std::atomic<int64_t> breaches_ = 0;
  std::atomic<int64_t> last_line_ms_ = 0;
  engine::WorkerPool pool_;
};

}  // namespace monotable::entities
