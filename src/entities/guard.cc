#include "entities/guard.h"

#include <utility>
#include <vector>

#include "entities/write/raw_plan.h"
#include "entities/write/unique_values.h"
#include "telemetry/log.h"

namespace monotable::entities {
namespace {

// A client that breaks a rule does so with every write; the log says it once in this time.
constexpr int64_t kQuietMs = 1000;
constexpr size_t kMaxWaiting = 10000;
// A task looks at this many images, then lets other tasks go first.
constexpr size_t kImagesAtOnce = 100;

}  // namespace

Guard::Guard(engine::Engine& engine, work::Executor& executor)
    : engine_(engine), executor_(executor) {}

void Guard::Stop() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return warned_ == 0 && !is_looking_; });
}

void Guard::Add(const Application& application, Writer& writer) {
  for (const model::TableModel& table : application.model().tables) {
    tables_[application.TableName(table.id)] = {&application, &table, &writer};
  }
}

const Guard::Watched* Guard::Find(const std::string& table_name) const {
  const auto found = tables_.find(table_name);
  return found == tables_.end() ? nullptr : &found->second;
}

bool Guard::Covers(const table::TableDefinition& table) const {
  const Watched* watched = Find(table.name);
  return watched != nullptr && watched->table->enforcement != model::Enforcement::kOff;
}

bool Guard::CoversExpiry(const table::TableDefinition& table) const {
  return Find(table.name) != nullptr;
}

void Guard::Submit(engine::WriteRequest request, engine::WriteCallback callback) {
  const bool expires = request.origin == engine::ChangeOrigin::kTimeToLive;
  for (const engine::ItemWrite& write : request.items) {
    const Watched* watched = Find(write.table->name);
    if (watched == nullptr) continue;
    if (expires || watched->table->enforcement == model::Enforcement::kEnforce) {
      return watched->writer->Guard(std::move(request), std::move(callback));
    }
  }
  Warn(std::move(request), std::move(callback));
}

// The images that the client did not ask for are taken out of the answer again.
void Guard::Warn(engine::WriteRequest request, engine::WriteCallback callback) {
  std::vector<std::pair<bool, bool>> wanted;
  for (engine::ItemWrite& write : request.items) {
    wanted.emplace_back(write.keep_old, write.keep_new);
    if (!Covers(*write.table)) continue;
    write.keep_old = true;
    write.keep_new = true;
  }
  {
    const std::lock_guard lock(mutex_);
    ++warned_;
  }
  engine::SubmitUnguarded(
      engine_, std::move(request),
      [this, wanted = std::move(wanted), callback = std::move(callback)](
          engine::WriteRequest& submitted, Result<engine::WriteOutcome> outcome) {
        if (outcome && !outcome->replayed && !outcome->refused()) {
          for (size_t i = 0; i < submitted.items.size(); ++i) {
            engine::ItemOutcome& item = outcome->items[i];
            if (!Covers(*submitted.items[i].table)) continue;
            const auto [wants_old, wants_new] = wanted[i];
            Image image;
            image.watched = Find(submitted.items[i].table->name);
            image.old_item = wants_old ? item.old_item : std::exchange(item.old_item, {});
            image.new_item = wants_new ? item.new_item : std::exchange(item.new_item, {});
            LookAt(std::move(image));
          }
        }
        callback(submitted, std::move(outcome));
        const std::lock_guard lock(mutex_);
        if (--warned_ == 0) idle_.notify_all();
      });
}

void Guard::LookAt(Image image) {
  {
    const std::lock_guard lock(mutex_);
    if (images_.size() >= kMaxWaiting) return;
    images_.push_back(std::move(image));
    if (std::exchange(is_looking_, true)) return;
  }
  PostLook();
}

void Guard::PostLook() {
  if (executor_.Post([this] { Look(); })) return;
  const std::lock_guard lock(mutex_);
  images_.clear();
  is_looking_ = false;
  idle_.notify_all();
}

void Guard::Look() {
  for (size_t i = 0; i < kImagesAtOnce; ++i) {
    Image image;
    {
      const std::lock_guard lock(mutex_);
      if (images_.empty()) {
        is_looking_ = false;
        idle_.notify_all();
        return;
      }
      image = std::move(images_.front());
      images_.pop_front();
    }
    Report(image);
  }
  PostLook();
}

void Guard::Report(const Image& image) {
  const Watched& watched = *image.watched;
  auto found =
      CheckWritten(engine_, *watched.application, *watched.table, image.old_item, image.new_item);
  const Entity* entity = image.new_item ? watched.application->Recognise(
                                              *watched.table, encoding::ItemView(*image.new_item))
                                        : nullptr;
  if (entity != nullptr) static_cast<void>(AdoptItem(engine_, *entity, *image.new_item));
  if (found.empty()) return;
  breaches_ += 1;
  const int64_t now = engine_.clock().NowMs();
  int64_t last = last_line_ms_;
  if (now - last < kQuietMs || !last_line_ms_.compare_exchange_strong(last, now)) return;
  telemetry::Log(telemetry::LogLevel::kWarning, "A raw write broke the model {} ({} so far): {}",
                 watched.application->model().name, breaches_.load(), found.front());
}

}  // namespace monotable::entities
