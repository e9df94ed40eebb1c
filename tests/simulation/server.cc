#include "simulation/server.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "operations/tables.h"
#include "storage/faulty/faulty_store.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::simulation {
namespace {

table::KeyAttribute AttributeOf(const KeyPart& part) {
  item::Type type = item::Type::kString;
  if (part.kind == Value::Kind::kNumber) type = item::Type::kNumber;
  if (part.kind == Value::Kind::kBinary) type = item::Type::kBinary;
  return {part.name, type};
}

void AddAttributes(const KeyPart& hash, const std::optional<KeyPart>& range,
                   std::vector<table::KeyAttribute>* attributes) {
  const auto add = [&](const KeyPart& part) {
    for (const table::KeyAttribute& attribute : *attributes) {
      if (attribute.name == part.name) return;
    }
    attributes->push_back(AttributeOf(part));
  };
  add(hash);
  if (range) add(*range);
}

std::vector<operations::KeySchemaElement> SchemaOf(const KeyPart& hash,
                                                   const std::optional<KeyPart>& range) {
  std::vector<operations::KeySchemaElement> schema = {{hash.name, false}};
  if (range) schema.push_back({range->name, true});
  return schema;
}

operations::IndexParameter ParameterOf(const IndexSchema& index) {
  operations::IndexParameter parameter;
  parameter.index_name = index.name;
  parameter.key_schema = SchemaOf(index.hash, index.range);
  switch (index.keeps) {
    case Keeps::kAll:
      parameter.projection.type = table::ProjectionType::kAll;
      break;
    case Keeps::kKeys:
      parameter.projection.type = table::ProjectionType::kKeysOnly;
      break;
    case Keeps::kSome:
      parameter.projection.type = table::ProjectionType::kInclude;
      parameter.projection.non_key_attributes.emplace(index.extra.begin(), index.extra.end());
      break;
  }
  return parameter;
}

template <typename T>
Server::Outcome OutcomeOf(const Result<T>& result, const char* what) {
  if (result) return std::nullopt;
  if (result.error().code() == ErrorCode::kValidation) {
    // The simulation only sends valid ones, so this is worth seeing.
    fmt::print(stderr, "{}: {}\n", what, result.error().message());
  }
  return result.error().code();
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)) {}

Server::~Server() {
  engine_.reset();
}

bool Server::Start() {
  switch (options_.store) {
    case StoreKind::kMemory:
      store_ = storage::NewMemoryStore();
      break;
    case StoreKind::kFaulty: {
      storage::FaultOptions faults;
      faults.seed = options_.seed;
      faults.fail_update = 0.03;
      faults.fail_get = 0.01;
      faults.fail_scan = 0.01;
      faults.repeat_decide = 0.2;
      faults.reorder_updates = true;
      store_ = storage::NewFaultyStore(storage::NewMemoryStore(), faults);
      break;
    }
    case StoreKind::kRocksDb: {
      storage::RocksDbOptions settings;
      settings.durability = storage::Durability::kRelaxed;
      settings.write_buffer_bytes = size_t{256} << 10;  // small, so that tables are written
      auto opened = storage::OpenRocksDbStore(options_.folder, settings);
      if (!opened) {
        fmt::print(stderr, "{}\n", opened.error().message());
        return false;
      }
      store_ = std::move(*opened);
      break;
    }
  }
  auto engine = engine::Engine::Open(*store_, clock_, {});
  for (int i = 0; !engine && is_faulty() && i < 100; ++i) {
    engine = engine::Engine::Open(*store_, clock_, {});
  }
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().message());
    return false;
  }
  engine_ = std::move(*engine);
  return true;
}

bool Server::Restart() {
  engine_.reset();
  store_.reset();
  return Start();
}

Server::Outcome Server::CreateTable(const TableSchema& table) {
  operations::CreateTableRequest request;
  request.table_name = table.name;
  request.billing_mode = table::BillingMode::kPayPerRequest;
  request.key_schema = SchemaOf(table.hash, table.range);
  request.attribute_definitions.emplace();
  AddAttributes(table.hash, table.range, &*request.attribute_definitions);
  for (const IndexSchema& index : table.indexes) {
    AddAttributes(index.hash, index.range, &*request.attribute_definitions);
    auto& list = index.local ? request.local_indexes : request.global_indexes;
    if (!list) list.emplace();
    list->push_back(ParameterOf(index));
  }
  request.stream = {true, table::StreamViewType::kNewAndOldImages};
  return OutcomeOf(operations::CreateTable(*engine_, request), "CreateTable");
}

Server::Outcome Server::DropTable(const std::string& name) {
  return OutcomeOf(operations::DeleteTable(*engine_, name), "DeleteTable");
}

Server::Outcome Server::AddIndex(const TableSchema& table, const IndexSchema& index) {
  operations::UpdateTableRequest request;
  request.table_name = table.name;
  request.attribute_definitions.emplace();
  AddAttributes(table.hash, table.range, &*request.attribute_definitions);
  AddAttributes(index.hash, index.range, &*request.attribute_definitions);
  operations::GlobalIndexUpdate update;
  update.create = ParameterOf(index);
  request.global_index_updates = {std::move(update)};
  return OutcomeOf(operations::UpdateTable(*engine_, request), "UpdateTable, adding");
}

Server::Outcome Server::RemoveIndex(const std::string& table, const std::string& index) {
  operations::UpdateTableRequest request;
  request.table_name = table;
  operations::GlobalIndexUpdate update;
  update.remove = index;
  request.global_index_updates = {std::move(update)};
  return OutcomeOf(operations::UpdateTable(*engine_, request), "UpdateTable, removing");
}

Reply Server::PerformSurely(const Call& call) {
  Reply reply = Perform(call);
  while (reply.error == ErrorCode::kInternal && is_faulty()) {
    reply = Perform(call);
  }
  return reply;
}

void Server::Settle() {
  const auto filling = [&] {
    for (const engine::TablePtr& table : engine_->catalog().All()) {
      for (const table::IndexDefinition& index : table->indexes) {
        if (index.status != table::IndexStatus::kActive) return true;
      }
    }
    return false;
  };
  do {
    engine_->housekeeping().Wake();
    engine_->housekeeping().WaitUntilIdle();
  } while (is_faulty() && filling());
}

std::vector<LoggedChange> Server::ReadLog(const TableSchema& table) {
  std::vector<LoggedChange> log;
  const auto definition = engine_->catalog().Find(table.name);
  if (definition == nullptr) return log;
  const auto range = encoding::ChangesRange(definition->id);
  for (bool complete = false; !complete;) {
    log.clear();
    const auto cursor =
        store_->Latest().Scan({range.begin, range.end}, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      const auto place = encoding::DecodeChangeKey(cursor->key()).value();
      const auto record = engine::DecodeChange(cursor->value());
      LoggedChange change;
      change.table = table.name;
      change.sequence = place.sequence;
      change.position = place.position;
      if (record && record->old_item) change.old_item = FromServer(*record->old_item);
      if (record && record->new_item) change.new_item = FromServer(*record->new_item);
      log.push_back(std::move(change));
    }
    complete = cursor->status().has_value() || !is_faulty();
  }
  // The log is in shards, each of which is in order.
  std::sort(log.begin(), log.end(), [](const LoggedChange& a, const LoggedChange& b) {
    return std::pair(a.sequence, a.position) < std::pair(b.sequence, b.position);
  });
  return log;
}

}  // namespace monotable::simulation
