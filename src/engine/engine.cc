#include "engine/engine.h"

#include <utility>

#include <fmt/core.h>

#include "encoding/keyspace.h"
#include "encoding/varint.h"
#include "engine/expiry.h"
#include "engine/housekeeping.h"
#include "engine/jobs.h"
#include "engine/preparations.h"
#include "engine/recovery/restore.h"
#include "storage/store.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

// The version of the layout of everything in the store (docs/storage-format.md). It increases when
// an older version could not read what this version writes.
constexpr uint64_t kFormat = 2;

// Marks a store with the format. Format 1 had a change log in another order, which nothing could
// read yet. Everything else is the same.
Status PutFormat(storage::Store& store) {
  return storage::UpdateAndWait(store, {encoding::FormatKey()},
                                [](auto, const auto&, storage::Batch* batch) {
                                  std::string format;
                                  encoding::AppendVarint(kFormat, &format);
                                  batch->Put(encoding::FormatKey(), format);
                                  batch->DeleteRange(encoding::ChangesRange());
                                });
}

// Marks a new store with the format, or checks that this version can read an existing store.
Status CheckFormat(storage::Store& store) {
  std::string record;
  TRY_ASSIGN(const bool found, store.Latest().Get(encoding::FormatKey(), &record));
  if (!found) return PutFormat(store);
  std::string_view rest = record;
  uint64_t format = 0;
  if (!encoding::ReadVarint(&rest, &format)) {
    return Error::Internal("The format record of the data folder is damaged.");
  }
  if (format > kFormat) {
    return Error::Internal(fmt::format(
        "The data folder was written by a newer version (format {}); this one reads up to {}. "
        "Start the newer version, or use another data folder.",
        format, kFormat));
  }
  return format < kFormat ? PutFormat(store) : Status();
}

bool Expire(Engine& engine, const std::stop_token& stop) {
  const Status done = DeleteExpired(engine, stop);
  if (done) return true;
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "Deleting expired items failed and is tried again: {}", done.error().message());
  return false;
}

}  // namespace

Engine::Engine(storage::Store& store, const Clock& clock, EngineOptions options)
    : store_(store),
      clock_(clock),
      options_(std::move(options)),
      preparations_(std::make_unique<Preparations>()) {}

// Writes that are still in the store's queue use the catalog. Those that may be prepared are done
// when the executor is taken away. The store runs the others in order, so when one more update is
// done, they are done, too. All submitters have stopped by now.
Engine::~Engine() {
  if (jobs_) jobs_->Stop();
  expiry_.reset();
  housekeeping_.reset();
  SetExecutor(nullptr);
  static_cast<void>(storage::UpdateAndWait(store_, {}, [](auto, const auto&, storage::Batch*) {}));
}

Result<std::unique_ptr<Engine>> Engine::Open(storage::Store& store, const Clock& clock,
                                             EngineOptions options) {
  TRY(CheckFormat(store));
  std::unique_ptr<Engine> engine(new Engine(store, clock, std::move(options)));
  TRY_ASSIGN(engine->catalog_, Catalog::Open(store));
  Engine* const self = engine.get();
  engine->jobs_ = std::make_unique<Jobs>(store);
  TRY(StartRecovery(*engine));
  engine->housekeeping_ = std::make_unique<Repeater>(
      kHousekeepingInterval, [self](const auto& stop) { return KeepHouse(*self, stop); });
  engine->expiry_ = std::make_unique<Repeater>(
      kExpiryInterval, [self](const auto& stop) { return Expire(*self, stop); });
  engine->housekeeping_->Start();
  engine->expiry_->Start();
  return engine;
}

void Engine::SetWriteGuard(WriteGuard* guard) {
  const std::lock_guard lock(guarded_expiry_);
  write_guard_ = guard;
}

void Engine::SetExecutor(work::Executor* executor) {
  preparations_->SetExecutor(executor);
}

work::Executor* Engine::executor() const {
  return preparations_->executor();
}

Result<TablePtr> Engine::FindTable(std::string_view name_or_arn) const {
  TablePtr table = catalog_->Find(TableNameOf(name_or_arn));
  if (table == nullptr || table->status == table::TableStatus::kCreating) {
    return Error(ErrorCode::kResourceNotFound, "Requested resource not found");
  }
  return table;
}

// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME, possibly followed by /index/… or /stream/…. A table
// name has no colon, so the text must be an ARN.
std::string_view Engine::TableNameOf(std::string_view name_or_arn) {
  constexpr std::string_view kTable = ":table/";
  if (!name_or_arn.starts_with("arn:")) return name_or_arn;
  const size_t table = name_or_arn.find(kTable);
  if (table == std::string_view::npos) return name_or_arn;
  const std::string_view name = name_or_arn.substr(table + kTable.size());
  return name.substr(0, name.find('/'));
}

std::string Engine::TableArn(std::string_view table_name) const {
  return fmt::format("arn:aws:dynamodb:{}:{}:table/{}", options_.region, options_.account_id,
                     table_name);
}

int64_t Engine::Counter(const std::string& key) const {
  const Result<int64_t> value = storage::ReadCounter(store_.Latest(), key);
  if (value) return *value;
  telemetry::Log(telemetry::LogLevel::kWarning, "A counter could not be read: {}",
                 value.error().message());
  return 0;
}

}  // namespace monotable::engine
