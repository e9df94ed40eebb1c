#include "random_models/server.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/write.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "expression/update.h"
#include "model/check/check_model.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::random_models {
namespace {

[[noreturn]] void Fail(const std::string& what) {
  fmt::print("random_models: {}\n", what);
  std::abort();
}

item::Value ToServer(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return item::Value(item::Number::FromInt(*number));
  }
  return item::Value(std::get<std::string>(value));
}

item::Map ToServer(const Attributes& attributes) {
  item::Map map;
  for (const auto& [name, value] : attributes) map.Set(name, ToServer(value));
  return map;
}

// Names with dots are members of a map.
item::Item ItemOf(const Stored& stored) {
  item::Item item;
  for (const auto& [name, value] : stored) {
    const size_t dot = name.find('.');
    if (dot == std::string::npos) {
      item.Set(name, ToServer(value));
      continue;
    }
    const std::string outer = name.substr(0, dot);
    if (item.Find(outer) == nullptr) item.Set(outer, item::Value(item::Map()));
    item.Find(outer)->map().Set(name.substr(dot + 1), ToServer(value));
  }
  return item;
}

void Flatten(const item::Map& map, const std::string& prefix, Stored* stored) {
  for (const item::Attribute& attribute : map) {
    const std::string name = prefix + attribute.name;
    if (attribute.value.is(item::Type::kMap)) {
      Flatten(attribute.value.map(), name + ".", stored);
    } else if (attribute.value.is(item::Type::kNumber)) {
      int64_t number = 0;
      if (!attribute.value.number().ToInt64(&number)) Fail("a number is not whole: " + name);
      (*stored)[name] = number;
    } else if (attribute.value.is(item::Type::kString)) {
      (*stored)[name] = attribute.value.string();
    } else {
      (*stored)[name] = "(a value of another type)";
    }
  }
}

Stored FromServer(const item::Map& map) {
  Stored stored;
  Flatten(map, "", &stored);
  return stored;
}

// The tree refers to the text.
json::Tree ParseJson(const std::string& text) {
  auto tree = json::Tree::Parse(text);
  if (!tree) Fail(tree.error().message() + " in " + text);
  return std::move(*tree);
}

Answer AnswerOf(const Result<entities::WriteAnswer>& result) {
  Answer answer;
  if (result) {
    for (const entities::Written& written : result->changes) {
      answer.made.push_back(FromServer(written.key));
    }
    return answer;
  }
  const entities::ProblemDetail* problem = entities::ProblemOf(result.error());
  answer.refusal = problem == nullptr ? "(an error that is no problem)"
                                      : std::string(entities::ProblemName(problem->code));
  answer.message = result.error().message();
  return answer;
}

entities::Caller CallerOf(const Call& call) {
  entities::Caller caller;
  caller.name = "ana";
  caller.tenant = call.tenant;
  return caller;
}

std::string PatchJson(const Change& change) {
  std::string text;
  const auto add = [&](const std::string& member) { text += (text.empty() ? "" : ", ") + member; };
  for (const auto& [name, value] : change.body) {
    add(fmt::format("\"{}\": {}", name, JsonOf(value)));
  }
  for (const std::string& name : change.removed) add(fmt::format("\"{}\": null", name));
  if (!change.added.empty()) {
    std::string numbers;
    for (const auto& [name, number] : change.added) {
      numbers += fmt::format("{}\"{}\": {}", numbers.empty() ? "" : ", ", name, number);
    }
    add("\"$add\": {" + numbers + "}");
  }
  return "{" + text + "}";
}

Result<entities::Change> ToServer(const Change& change, const entities::Application& application) {
  entities::Change made;
  made.entity = application.Find(change.entity);
  made.key = ToServer(change.key);
  made.cascade = change.cascade;
  switch (change.kind) {
    case Change::Kind::kCreate:
      made.kind = entities::Change::Kind::kCreate;
      break;
    case Change::Kind::kReplace:
      made.kind = entities::Change::Kind::kReplace;
      break;
    case Change::Kind::kUpdate: {
      made.kind = entities::Change::Kind::kUpdate;
      const std::string text = PatchJson(change);
      const json::Tree tree = ParseJson(text);
      TRY_ASSIGN(made.patch, entities::DecodePatch(*made.entity, tree.root(), {}));
      return made;
    }
    case Change::Kind::kDelete:
      made.kind = entities::Change::Kind::kDelete;
      return made;
    case Change::Kind::kCheck:
      made.kind = entities::Change::Kind::kCheck;
      return made;
  }
  const std::string text = TextOf(change.body);
  const json::Tree tree = ParseJson(text);
  TRY_ASSIGN(made.attributes, entities::DecodeAttributes(*made.entity, tree.root(), {}));
  return made;
}

// The version of the item that the change names, as a client knows it from reading the item.
int64_t VersionOf(const Change& change, const Call& call, const State& state,
                  const Design& design) {
  Attributes key = change.key;
  for (const auto& [name, value] : change.body) key.emplace(name, value);
  if (call.tenant && design.has_tenants) key.emplace(kTenant, *call.tenant);
  const EntityDesign& entity = *design.Find(change.entity);
  const auto found = state.find(Reference::KeyOf(entity, key).second);
  if (found != state.end()) return found->second.version;
  for (const auto& [other_key, item] : state) {
    if (item.entity == change.entity && entity.only_one) return item.version;
  }
  return 1;
}

engine::ItemWrite ToServer(const RawWrite& write, const engine::TablePtr& table) {
  engine::ItemWrite made;
  made.table = table;
  made.table_name = table->name;
  made.key = ItemOf({{"PK", write.key.hash}, {"SK", write.key.range}});
  switch (write.kind) {
    case RawWrite::Kind::kPut:
      made.action = engine::WriteAction::kPut;
      made.put = encoding::EncodeItem(ItemOf(write.item));
      return made;
    case RawWrite::Kind::kDelete:
      made.action = engine::WriteAction::kDelete;
      return made;
    case RawWrite::Kind::kUpdate:
      break;
  }
  made.action = engine::WriteAction::kUpdate;
  expression::Substitutions::Names names;
  expression::Substitutions::Values values;
  const auto path = [&](const std::string& name) {
    std::string text;
    for (size_t begin = 0; begin <= name.size();) {
      const size_t end = std::min(name.find('.', begin), name.size());
      const std::string placeholder = fmt::format("#n{}", names.size());
      names.emplace(placeholder, name.substr(begin, end - begin));
      text += (text.empty() ? "" : ".") + placeholder;
      begin = end + 1;
    }
    return text;
  };
  std::string set;
  std::string remove;
  for (const auto& [name, value] : write.item) {
    const std::string placeholder = fmt::format(":v{}", values.size());
    values.emplace(placeholder, ToServer(value));
    set += fmt::format("{}{} = {}", set.empty() ? "SET " : ", ", path(name), placeholder);
  }
  for (const std::string& name : write.removed) {
    remove += fmt::format("{}{}", remove.empty() ? " REMOVE " : ", ", path(name));
  }
  if (set.empty() && remove.empty()) return made;
  made.substitutions =
      expression::Substitutions(names.empty() ? std::nullopt : std::optional(std::move(names)),
                                values.empty() ? std::nullopt : std::optional(std::move(values)));
  auto update = expression::ParseUpdate(set + remove, made.substitutions);
  if (!update) Fail(update.error().message() + " in " + set + remove);
  made.update = std::move(*update);
  return made;
}

table::TableDefinition DefinitionOf(const model::TableModel& table) {
  table::TableDefinition definition;
  definition.name = kTable;
  definition.uuid = "random-models";
  definition.key = table.key;
  for (const model::IndexModel& index : table.indexes) {
    table::IndexDefinition made;
    made.id = definition.next_index_id++;
    made.name = index.name;
    made.kind = index.kind;
    made.key = index.key;
    made.projection = index.projection;
    definition.indexes.push_back(std::move(made));
  }
  return definition;
}

}  // namespace

Server::Server(const std::string& folder, size_t runtimes) : runtime_count_(runtimes) {
  const auto now = [this] { return clock_.NowMs(); };
  if (folder.empty()) {
    store_ = storage::NewMemoryStore({.now = now});
  } else {
    storage::RocksDbOptions settings;
    settings.durability = storage::Durability::kRelaxed;
    settings.now = now;
    auto opened = storage::OpenRocksDbStore(folder, settings);
    if (!opened) Fail(opened.error().message());
    store_ = std::move(*opened);
  }
  auto engine = engine::Engine::Open(*store_, clock_, {});
  if (!engine) Fail(engine.error().message());
  engine_ = std::move(*engine);
}

Server::~Server() {
  runtimes_.clear();
  engine_.reset();
}

std::string Server::Open(const std::string& yaml) {
  model::CheckedText checked = model::CheckText(yaml);
  std::string mistakes;
  for (const model::Finding& finding : checked.findings) {
    if (finding.severity == model::Severity::kError) {
      mistakes += model::FormatFinding("model", finding) + "\n";
    }
  }
  if (!checked.model || !mistakes.empty()) return mistakes.empty() ? "no model" : mistakes;
  const table::TableDefinition definition = DefinitionOf(checked.model->tables.front());
  const auto created = engine_->catalog().Change(
      definition.name,
      [&](const table::TableDefinition*, uint32_t id) -> engine::Catalog::Decision {
        table::TableDefinition made = definition;
        made.id = id;
        return std::optional(std::move(made));
      });
  if (!created) Fail(created.error().message());
  for (size_t i = 0; i < runtime_count_; ++i) {
    auto application = entities::Application::Create(*model::CheckText(yaml).model, {});
    if (!application) Fail(application.error().message());
    runtimes_.push_back(std::make_unique<entities::Runtime>(*engine_, executor_));
    runtimes_.back()->Add(std::move(*application));
    if (const Status started = runtimes_.back()->Start(); !started) Fail(started.error().message());
  }
  return "";
}

Answer Server::Perform(const Call& call, const State& state, const Design& design, size_t runtime) {
  entities::RunningModel& model = *runtimes_[runtime]->models().front();
  switch (call.kind) {
    case Call::Kind::kChanges:
      return PerformChanges(call, state, design, model);
    case Call::Kind::kOperation:
      return PerformOperation(call, design, model);
    case Call::Kind::kRaw:
      break;
  }
  return PerformRaw(call);
}

Answer Server::PerformChanges(const Call& call, const State& state, const Design& design,
                              entities::RunningModel& model) {
  std::vector<entities::Change> changes;
  for (const Change& change : call.changes) {
    auto made = ToServer(change, *model.application);
    if (!made) return AnswerOf(std::move(made).error());
    switch (change.expectation) {
      case Expectation::kNone:
        break;
      case Expectation::kCurrentVersion:
        made->if_version = VersionOf(change, call, state, design);
        break;
      case Expectation::kOtherVersion:
        made->if_version = VersionOf(change, call, state, design) + 1;
        break;
      case Expectation::kPresent:
        made->if_present = true;
        break;
      case Expectation::kAbsent:
        made->if_absent = true;
        break;
    }
    changes.push_back(*std::move(made));
  }
  std::promise<Result<entities::WriteAnswer>> done;
  model.writer->Apply(
      std::move(changes), CallerOf(call), std::nullopt,
      [&done](Result<entities::WriteAnswer> result) { done.set_value(std::move(result)); });
  return AnswerOf(done.get_future().get());
}

Answer Server::PerformOperation(const Call& call, const Design& design,
                                entities::RunningModel& model) {
  entities::OperationCall made;
  for (const model::OperationModel& operation : model.application->model().operations) {
    if (operation.name == call.operation) made.operation = &operation;
  }
  made.parameters = ToServer(call.parameters);
  std::string body;
  if (design.FindOperation(call.operation)->kind == OperationDesign::Kind::kPutAll) {
    std::string children;
    for (size_t i = 1; i < call.inputs.size(); ++i) {
      children += (i > 1 ? ", " : "") + TextOf(call.inputs[i]);
    }
    body = fmt::format("\"root\": {}, \"kids\": [{}]", TextOf(call.inputs.at(0)), children);
  }
  body = "{" + body + "}";
  const json::Tree tree = ParseJson(body);
  auto inputs = entities::DecodeInputs(*model.application, *made.operation, tree.root(), {});
  if (!inputs) return AnswerOf(std::move(inputs).error());
  made.inputs = std::move(*inputs);
  std::promise<Result<entities::WriteAnswer>> done;
  model.writer->Run(
      std::move(made), CallerOf(call), std::nullopt,
      [&done](Result<entities::WriteAnswer> result) { done.set_value(std::move(result)); });
  return AnswerOf(done.get_future().get());
}

// A refusal of a raw write has no code of a problem.
Answer Server::PerformRaw(const Call& call) {
  const engine::TablePtr table = engine_->catalog().Find(std::string(kTable));
  engine::WriteRequest request;
  request.independent = call.batch;
  for (const RawWrite& write : call.raw) request.items.push_back(ToServer(write, table));
  std::promise<Answer> done;
  engine::SubmitWrite(*engine_, std::move(request),
                      [&done](engine::WriteRequest&, Result<engine::WriteOutcome> outcome) {
                        Answer answer;
                        if (!outcome) {
                          answer = {"(an error)", outcome.error().message(), {}};
                        } else {
                          for (const engine::ItemOutcome& item : outcome->items) {
                            if (item.error) answer = {"refused", item.error->message(), {}};
                          }
                        }
                        done.set_value(std::move(answer));
                      });
  return done.get_future().get();
}

void Server::Settle() {
  for (const auto& runtime : runtimes_) runtime->models().front()->writer->WaitForJobs();
}

std::map<Key, Stored> Server::Table() const {
  std::map<Key, Stored> items;
  const engine::TablePtr table = engine_->catalog().Find(std::string(kTable));
  const auto cursor = store_->Latest().Scan(encoding::ItemsRange(table->id, encoding::kTableItems),
                                            storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const auto item = encoding::DecodeItem(cursor->value());
    if (!item) Fail(item.error().message());
    Stored stored = FromServer(*item);
    Key key{TextOf(stored.at("PK")), TextOf(stored.at("SK"))};
    if (key.hash.starts_with("MONOTABLE#") && !key.hash.starts_with("MONOTABLE#UNIQUE#")) continue;
    items.emplace(std::move(key), std::move(stored));
  }
  return items;
}

}  // namespace monotable::random_models
