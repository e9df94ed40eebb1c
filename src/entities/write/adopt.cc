#include "entities/write/adopt.h"

#include <set>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/record.h"
#include "entities/write/internal_item.h"
#include "entities/write/unique.h"
#include "telemetry/log.h"

namespace monotable::entities {
namespace {

constexpr std::string_view kRules = "unique";
constexpr size_t kBatch = 500;

Status WriteAll(engine::Engine& engine, engine::WriteRequest request) {
  if (request.items.empty()) return {};
  TRY_ASSIGN(const engine::WriteOutcome outcome, engine::WriteAndWait(engine, std::move(request)));
  for (const engine::ItemOutcome& item : outcome.items) {
    if (item.error) return *item.error;
  }
  return {};
}

// The markers that a stored item needs, with their names.
Result<std::vector<std::pair<std::string, item::Item>>> MarkersOf(
    const Entity& entity, const table::TableDefinition& table, std::string_view stored) {
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(stored));
  TRY_ASSIGN(const Record record, RecordOf(entity, item));
  TRY_ASSIGN(const auto names, UniqueNames(entity, &record.attributes));
  std::vector<std::pair<std::string, item::Item>> markers;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    markers.emplace_back(name, MarkerItem(entity, name, engine::KeyOf(table, item)));
  }
  return markers;
}

engine::ItemWrite PutOf(const engine::TablePtr& table, const item::Item& item) {
  engine::ItemWrite write;
  write.table = table;
  write.table_name = table->name;
  write.action = engine::WriteAction::kPut;
  write.key = engine::KeyOf(*table, item);
  write.put = encoding::EncodeItem(item);
  return write;
}

// The markers of one table, in batches.
class Adoption {
 public:
  Adoption(engine::Engine& engine, const Application& application, engine::TablePtr table,
           const model::TableModel& design)
      : engine_(engine), application_(application), table_(std::move(table)), design_(design) {}

  Status Run() {
    const auto all = encoding::ItemsRange(table_->id, encoding::kTableItems);
    const auto snapshot = engine_.store().Snapshot();
    const auto cursor = snapshot->Scan(all, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) TRY(Add(cursor->value()));
    TRY(cursor->status());
    return WriteAll(engine_, std::exchange(pending_, {}));
  }

 private:
  Status Add(std::string_view record) {
    const Entity* entity = application_.Recognise(design_, encoding::ItemView(record));
    if (entity == nullptr || entity->model->unique.empty()) return {};
    const auto markers = MarkersOf(*entity, *table_, record);
    if (!markers) {
      if (markers.error().code() == ErrorCode::kInternal) return markers.error();  // damage
      // A value that no rule could have let in.
      telemetry::Log(telemetry::LogLevel::kWarning, "An item of {} gets no marker: {}",
                     entity->name(), markers.error().message());
      return {};
    }
    for (const auto& [name, marker] : *markers) {
      TRY_ASSIGN(const auto present,
                 engine::ReadItem(engine_.store().Latest(), encoding::ItemKey(*table_, marker)));
      if (present) {
        if (present->bytes != encoding::EncodeItem(marker).bytes) WarnOfTwo(*entity, name);
        continue;
      }
      if (!made_.insert(name).second) {
        WarnOfTwo(*entity, name);
        continue;
      }
      pending_.items.push_back(PutOf(table_, marker));
    }
    if (pending_.items.size() < kBatch) return {};
    return WriteAll(engine_, std::exchange(pending_, {}));
  }

  static void WarnOfTwo(const Entity& entity, const std::string& name) {
    telemetry::Log(telemetry::LogLevel::kWarning, "Two items of {} have one unique value: {}",
                   entity.name(), name);
  }

  engine::Engine& engine_;
  const Application& application_;
  const engine::TablePtr table_;
  const model::TableModel& design_;
  engine::WriteRequest pending_;
  std::set<std::string> made_;
};

Status AdoptTable(engine::Engine& engine, const Application& application,
                  const std::vector<const Entity*>& entities) {
  std::vector<std::string> rules;
  for (const Entity* entity : entities) {
    for (const model::UniqueModel& unique : entity->model->unique) rules.push_back(unique.name);
  }
  TRY_ASSIGN(const engine::TablePtr table, engine.FindTable(entities.front()->table_name));
  item::Item state = InternalKey(*entities.front(), "STATE");
  state.Set(kRules, item::Value(item::MakeStringSet(std::move(rules))));
  TRY_ASSIGN(const auto known,
             engine::ReadItem(engine.store().Latest(), encoding::ItemKey(*table, state)));
  if (known && known->bytes == encoding::EncodeItem(state).bytes) return {};
  TRY(Adoption(engine, application, table, *entities.front()->table).Run());
  engine::WriteRequest done;
  done.items.push_back(PutOf(table, state));
  return WriteAll(engine, std::move(done));
}

}  // namespace

Result<bool> AdoptItem(engine::Engine& engine, const Entity& entity,
                       const encoding::EncodedItem& written) {
  if (entity.model->unique.empty()) return false;
  TRY_ASSIGN(const engine::TablePtr table, engine.FindTable(entity.table_name));
  TRY_ASSIGN(const auto markers, MarkersOf(entity, *table, written.bytes));
  bool taken = false;
  for (const auto& [name, marker] : markers) {
    TRY_ASSIGN(const auto present,
               engine::ReadItem(engine.store().Latest(), encoding::ItemKey(*table, marker)));
    if (present) {
      taken = taken || present->bytes != encoding::EncodeItem(marker).bytes;
      continue;
    }
    engine::WriteRequest request;
    request.items.push_back(PutOf(table, marker));
    request.items.back().seen.emplace();  // still absent; who came first has the value
    engine::SubmitUnguarded(engine, std::move(request),
                            [](engine::WriteRequest&, const Result<engine::WriteOutcome>&) {});
  }
  return taken;
}

Status AdoptUniqueValues(engine::Engine& engine, const Application& application) {
  for (const model::TableModel& table : application.model().tables) {
    std::vector<const Entity*> entities;
    for (const auto& entity : application.entities()) {
      if (entity->table == &table && !entity->model->unique.empty()) {
        entities.push_back(entity.get());
      }
    }
    if (!entities.empty()) TRY(AdoptTable(engine, application, entities));
  }
  return {};
}

}  // namespace monotable::entities
