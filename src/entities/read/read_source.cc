#include "entities/read/read_source.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "encoding/ordered_key.h"
#include "engine/key_check.h"
#include "entities/problem.h"
#include "entities/record.h"

namespace monotable::entities {

using expression::RangeBound;

Result<Source> FindSource(engine::Engine& engine, const std::string& table_name,
                          std::string_view index_name) {
  Source source;
  TRY_ASSIGN(source.table, engine.FindTable(table_name));
  if (index_name.empty()) return source;
  source.index = source.table->FindIndex(index_name);
  if (source.index == nullptr) {
    return Error::Validation(
        fmt::format("The table does not have the specified index: {}", index_name));
  }
  if (source.is_global_index() && source.index->status == table::IndexStatus::kCreating) {
    return Error::Validation(
        fmt::format("Cannot read from backfilling global secondary index: {}", index_name));
  }
  return source;
}

Result<item::Value> KeyValue(const table::KeyAttribute& attribute, std::string text) {
  switch (attribute.type) {
    case item::Type::kNumber: {
      TRY_ASSIGN(const item::Number number, item::Number::Parse(text));
      return item::Value(number);
    }
    case item::Type::kBinary:
      return item::Value(item::Binary{std::move(text)});
    default:
      return item::Value(std::move(text));
  }
}

Partition::Partition(const Source& source, item::Value hash) : source_(&source) {
  condition_.hash.push_back(std::move(hash));
  query_ = engine::RangeOf(*source.table, source.index, condition_);
}

Result<Partition> Partition::Open(const Source& source, std::string text) {
  TRY_ASSIGN(item::Value hash, KeyValue(source.key().hash.front(), std::move(text)));
  return Partition(source, std::move(hash));
}

Result<item::Value> Partition::SortValue(std::string text) const {
  if (source_->key().range.empty()) {
    return Error::Validation(fmt::format(
        "The table {} does not have the sort key that its model names", source_->table->name));
  }
  return KeyValue(source_->key().range.front(), std::move(text));
}

storage::Range Partition::With(RangeBound bound) {
  condition_.range = std::move(bound);
  return engine::RangeOf(*source_->table, source_->index, condition_).range;
}

void Partition::Intersect(const storage::Range& other) {
  // The keys of a partition have a common beginning, so every range of them has an end.
  query_.range.begin = std::max(query_.range.begin, other.begin);
  query_.range.end = std::min(query_.range.end, other.end);
}

Status Partition::Equal(std::string text) {
  TRY_ASSIGN(item::Value value, SortValue(std::move(text)));
  // The keys with one value are those that begin with its bytes.
  std::string key = query_.partition;
  encoding::AppendKeyComponent(value, &key);
  std::string end = encoding::PrefixEnd(key);
  Intersect({std::move(key), std::move(end)});
  return {};
}

Status Partition::Bound(RangeBound::Op op, std::string text) {
  if (op == RangeBound::Op::kBeginsWith && text.empty()) return {};
  TRY_ASSIGN(item::Value value, SortValue(std::move(text)));
  Intersect(With({op, std::move(value), std::nullopt}));
  return {};
}

Status Partition::UpToBeginning(std::string text) {
  TRY_ASSIGN(item::Value value, SortValue(std::move(text)));
  const auto beginning = With({RangeBound::Op::kBeginsWith, std::move(value), std::nullopt});
  query_.range.end = std::min(query_.range.end, beginning.end);
  return {};
}

Result<std::string> StoredKey(const table::TableDefinition& table, std::string hash,
                              std::optional<std::string> range) {
  if (range.has_value() == table.key.range.empty()) {
    return Error::Validation(
        fmt::format("The table {} does not have the key that its model names", table.name));
  }
  TRY_ASSIGN(const item::Value hash_value, KeyValue(table.key.hash.front(), std::move(hash)));
  const std::array<const item::Value*, 1> partition = {&hash_value};
  std::string key = encoding::PartitionPrefix(table.id, encoding::kTableItems, partition);
  if (!range) return key;
  TRY_ASSIGN(const item::Value range_value, KeyValue(table.key.range.front(), *std::move(range)));
  encoding::AppendKeyComponent(range_value, &key);
  return key;
}

Result<std::optional<std::string>> StoredKeyOf(const Entity& entity,
                                               const table::TableDefinition& table,
                                               const model::Template::Lookup& lookup) {
  std::array<std::optional<std::string>, 2> texts;
  const std::vector<model::KeyModel::Part>& parts = entity.model->primary().parts;
  for (size_t i = 0; i < std::min(parts.size(), texts.size()); ++i) {
    std::string_view asked_last;
    TRY_ASSIGN(texts[i],
               RenderText(parts[i].text, lookup, entity.application->key_rules(), &asked_last));
    if (!texts[i]) return std::optional<std::string>();
  }
  TRY_ASSIGN(std::string key, StoredKey(table, *std::move(texts[0]), std::move(texts[1])));
  return std::optional(std::move(key));
}

Result<std::string> TableKeyOf(const table::TableDefinition& table, encoding::ItemView entry) {
  TRY_ASSIGN(const item::Item key, engine::KeyOf(table, entry));
  return encoding::ItemKey(table, key);
}

namespace {

bool Names(const item::Value& value, const std::string& tenant) {
  if (value.is(item::Type::kNumber)) return value.number().ToString() == tenant;
  return value.is(item::Type::kString) && value.string() == tenant;
}

}  // namespace

Error MissingParameter(std::string_view name) {
  return InvalidFields({{std::string(name), "required", fmt::format("{} must be given.", name)}});
}

Result<Parameters> Parameters::Of(const Application& application, const item::Map& given,
                                  const Caller& caller) {
  Parameters parameters(application, given);
  const auto& tenancy = application.model().tenancy;
  if (!tenancy || !caller.tenant) return parameters;
  const item::Value* tenant = given.Find(tenancy->attribute);
  if (tenant == nullptr) {
    parameters.tenant_ = item::Value(*caller.tenant);
  } else if (!Names(*tenant, *caller.tenant)) {
    return Problem(ProblemCode::kForbidden,
                   fmt::format("{} is not the tenant of the caller.", tenancy->attribute));
  }
  return parameters;
}

const item::Value* Parameters::Find(std::string_view name) const {
  if (const item::Value* value = given_->Find(name)) return value;
  if (tenant_ && name == application_->model().tenancy->attribute) return &*tenant_;
  return FindPath(*given_, name);
}

Result<std::string> Parameters::Render(const model::Template& text, const Extra& extra) const {
  const auto lookup = [&](std::string_view name) {
    return extra.value != nullptr && name == extra.name ? extra.value : Find(name);
  };
  std::string_view asked_last;
  TRY_ASSIGN(auto rendered,
             RenderText(text, std::ref(lookup), application_->key_rules(), &asked_last));
  if (!rendered) return MissingParameter(asked_last);
  return *std::move(rendered);
}

Result<std::optional<std::string>> RenderText(const model::Template& text,
                                              const model::Template::Lookup& lookup,
                                              const model::Template::Rules& rules,
                                              std::string_view* asked_last) {
  const auto remember = [&](std::string_view name) {
    *asked_last = name;
    return lookup(name);
  };
  auto rendered = text.Render(std::ref(remember), rules);
  if (rendered) return rendered;
  // Rendering stops at the first value that cannot be in a key: the one that it asked for last.
  return InvalidFields({{std::string(*asked_last), "key_text", rendered.error().message() + "."}});
}

}  // namespace monotable::entities
