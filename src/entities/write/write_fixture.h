#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "entities/codec/codec.h"
#include "entities/read/entity_read_fixture.h"
#include "entities/write/entity_writer.h"
#include "json/tree.h"

// Writes through the rules of a design, with bodies in JSON as clients send them.
namespace monotable::entities {

class WriteFixture : public ReadFixture {
 protected:
  void Open(const std::string& design, const ApplicationSettings& settings = {}) {
    OpenDesign(design, settings);
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    const Status adopted = writer_->AdoptExisting();
    ASSERT_TRUE(adopted) << adopted.error().message();
  }

  work::Executor& executor() { return executor_; }
  Writer& writer() { return *writer_; }

  static json::Tree Parse(std::string_view text) {
    auto tree = json::Tree::Parse(text);
    if (!tree) ADD_FAILURE() << tree.error().message() << " in " << text;
    return std::move(*tree);
  }

  Result<WriteAnswer> Apply(std::vector<Change> changes, const Caller& caller = {},
                            std::optional<IdempotencyKey> key = std::nullopt) {
    std::promise<Result<WriteAnswer>> done;
    auto answer = done.get_future();
    writer_->Apply(std::move(changes), caller, std::move(key),
                   [&done](Result<WriteAnswer> result) { done.set_value(std::move(result)); });
    return answer.get();
  }

  // A change of one entity; a body that does not decode is the test's own mistake or its point.
  Result<Change> ChangeOf(Change::Kind kind, std::string_view entity_name, item::Map key,
                          std::string_view body) {
    Change change;
    change.kind = kind;
    change.entity = &EntityOf(entity_name);
    change.key = std::move(key);
    if (body.empty()) return change;
    const json::Tree tree = Parse(body);
    if (kind == Change::Kind::kUpdate) {
      TRY_ASSIGN(change.patch, DecodePatch(*change.entity, tree.root(), {}));
    } else {
      TRY_ASSIGN(change.attributes, DecodeAttributes(*change.entity, tree.root(), {}));
    }
    return change;
  }

  Result<WriteAnswer> Write(Change::Kind kind, std::string_view entity_name, item::Map key,
                            std::string_view body, const Caller& caller = {}) {
    TRY_ASSIGN(Change change, ChangeOf(kind, entity_name, std::move(key), body));
    std::vector<Change> changes;
    changes.push_back(std::move(change));
    return Apply(std::move(changes), caller);
  }

  Result<WriteAnswer> Create(std::string_view entity, std::string_view body,
                             const Caller& caller = {}) {
    return Write(Change::Kind::kCreate, entity, {}, body, caller);
  }
  Result<WriteAnswer> Patch(std::string_view entity, item::Map key, std::string_view body,
                            const Caller& caller = {}) {
    return Write(Change::Kind::kUpdate, entity, std::move(key), body, caller);
  }
  Result<WriteAnswer> Remove(std::string_view entity, item::Map key, bool cascade = false) {
    TRY_ASSIGN(Change change, ChangeOf(Change::Kind::kDelete, entity, std::move(key), ""));
    change.cascade = cascade;
    std::vector<Change> changes;
    changes.push_back(std::move(change));
    return Apply(std::move(changes));
  }

  Result<WriteAnswer> Call(std::string_view operation_name, item::Map parameters,
                           std::string_view body, const Caller& caller = {}) {
    OperationCall call;
    for (const model::OperationModel& operation : application().model().operations) {
      if (operation.name == operation_name) call.operation = &operation;
    }
    call.parameters = std::move(parameters);
    const json::Tree tree = Parse(body.empty() ? "{}" : body);
    TRY_ASSIGN(call.inputs, DecodeInputs(application(), *call.operation, tree.root(), {}));
    std::promise<Result<WriteAnswer>> done;
    auto answer = done.get_future();
    writer_->Run(std::move(call), caller, std::nullopt,
                 [&done](Result<WriteAnswer> result) { done.set_value(std::move(result)); });
    return answer.get();
  }

  // The item of a key, as its attributes; nothing if it is not there.
  std::optional<Record> Get(std::string_view entity_name, const item::Map& key) {
    const auto stored = Stored(entity_name, key);
    if (!stored) return std::nullopt;
    auto record = RecordOf(EntityOf(entity_name), *stored);
    EXPECT_TRUE(record);
    return *record;
  }
  std::optional<item::Item> Stored(std::string_view entity_name, const item::Map& key) {
    auto found = FindItem(engine(), EntityOf(entity_name), key, Caller());
    EXPECT_TRUE(found) << found.error().message();
    if (!found || !*found) return std::nullopt;
    auto item = encoding::DecodeItem((*found)->item.bytes);
    EXPECT_TRUE(item);
    return *item;
  }
  std::string TextOf(std::string_view entity_name, const item::Map& key, std::string_view name) {
    const auto record = Get(entity_name, key);
    if (!record) return "(no item)";
    const item::Value* value = FindPath(record->attributes, name);
    if (value == nullptr) return "(none)";
    return value->is(item::Type::kNumber) ? value->number().ToString() : value->string();
  }

  // All items of the tables, internal ones too.
  size_t CountItems() {
    size_t count = 0;
    for (const engine::TablePtr& table : catalog().All()) {
      count += CountKeys(encoding::ItemsRange(table->id, encoding::kTableItems));
    }
    return count;
  }

  work::Executor executor_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace monotable::entities
