#include "entities/write/unique_values.h"

#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/problem.h"
#include "entities/record.h"
#include "entities/write/draft.h"
#include "model/template/filters.h"
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

bool IsOvertaken(const Status& status) {
  return !status && status.error().code() == ErrorCode::kTransactionConflict;
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

// Puts an internal item that must still be as it was seen: another server may have been quicker.
engine::ItemWrite PutOf(const engine::TablePtr& table, const item::Item& item,
                        const std::optional<encoding::EncodedItem>& seen = std::nullopt) {
  engine::ItemWrite write;
  write.table = table;
  write.table_name = table->name;
  write.action = engine::WriteAction::kPut;
  write.key = engine::KeyOf(*table, item);
  write.put = encoding::EncodeItem(item);
  write.seen.emplace();
  if (seen) write.seen->image = seen->bytes;
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
    return Flush();
  }

 private:
  Status Add(std::string_view record) {
    const Entity* entity = application_.Recognise(design_, encoding::ItemView(record));
    if (entity == nullptr || entity->model->unique.empty()) return {};
    const auto markers = MarkersOf(*entity, *table_, record);
    if (!markers) {
      if (markers.error().code() == ErrorCode::kInternal) return markers.error();  // damage
      // The item was written past the rules, which would have refused the value.
      telemetry::Log(telemetry::LogLevel::kWarning,
                     "An item of {} gets no marker for its unique value: {}", entity->name(),
                     markers.error().message());
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
      pending_.push_back(marker);
    }
    return pending_.size() < kBatch ? Status() : Flush();
  }

  // Where a server that does the same was quicker, its markers stay.
  Status Flush() {
    const std::vector<item::Item> markers = std::exchange(pending_, {});
    Status put = Put(markers);
    if (!IsOvertaken(put)) return put;
    for (const item::Item& marker : markers) {
      put = Put(std::span(&marker, 1));
      if (!put && !IsOvertaken(put)) return put;
    }
    return {};
  }

  Status Put(std::span<const item::Item> markers) {
    engine::WriteRequest request;
    for (const item::Item& marker : markers) request.items.push_back(PutOf(table_, marker));
    return WriteAll(engine_, std::move(request));
  }

  static void WarnOfTwo(const Entity& entity, const std::string& name) {
    telemetry::Log(telemetry::LogLevel::kWarning, "Two items of {} have the same unique value: {}",
                   entity.name(), name);
  }

  engine::Engine& engine_;
  const Application& application_;
  const engine::TablePtr table_;
  const model::TableModel& design_;
  std::vector<item::Item> pending_;
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
  done.items.push_back(PutOf(table, state, known));
  Status put = WriteAll(engine, std::move(done));
  return IsOvertaken(put) ? Status() : put;
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
    request.items.push_back(PutOf(table, marker));  // the first writer has the value
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

namespace {

// The name of the marker. Nothing if a value is missing: a missing value conflicts with none.
Result<std::optional<std::string>> MarkerName(const model::UniqueModel& unique,
                                              const item::Map& attributes) {
  std::string name = "UNIQUE#" + unique.name;
  for (const std::string& scope : unique.scope) {
    const item::Value* value = FindPath(attributes, scope);
    if (value == nullptr) return std::optional<std::string>();
    name += "#" + model::Escape(value->is(item::Type::kString)   ? value->string()
                                : value->is(item::Type::kNumber) ? value->number().ToString()
                                                                 : std::string());
  }
  for (const model::Template& field : unique.fields) {
    const auto text =
        field.Render([&](std::string_view path) { return FindPath(attributes, path); }, {});
    if (!text) return Problem(ProblemCode::kInvalid, text.error().message());
    if (!*text) return std::optional<std::string>();
    name += "#" + model::Escape(**text);
  }
  return std::optional(std::move(name));
}

}  // namespace

Result<std::vector<std::string>> UniqueNames(const Entity& entity, const item::Map* attributes) {
  std::vector<std::string> names;
  for (const model::UniqueModel& unique : entity.model->unique) {
    std::optional<std::string> name;
    if (attributes != nullptr) {
      TRY_ASSIGN(name, MarkerName(unique, *attributes));
    }
    names.push_back(name.value_or(""));
  }
  return names;
}

item::Item MarkerItem(const Entity& entity, const std::string& name, const item::Item& owner) {
  item::Item marker = InternalKey(entity, name);
  marker.Set(kMarkerOwner, item::Value(owner));
  return marker;
}

}  // namespace monotable::entities
