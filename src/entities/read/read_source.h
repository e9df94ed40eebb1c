#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "encoding/item.h"
#include "engine/engine.h"
#include "engine/read.h"
#include "entities/application.h"
#include "error/result.h"
#include "expression/key_condition.h"
#include "item/value.h"
#include "model/template/template.h"
#include "table/definition.h"

// What a read goes to, where in it, and the parameters that say so.
namespace monotable::entities {

// A table, or one of its indexes.
struct Source {
  engine::TablePtr table;
  const table::IndexDefinition* index = nullptr;  // part of *table

  const table::KeySchema& key() const { return index == nullptr ? table->key : index->key; }
  bool is_global_index() const {
    return index != nullptr && index->kind == table::IndexKind::kGlobal;
  }
};

// An index that the store does not have, or is still filling, is refused as Query refuses it.
Result<Source> FindSource(engine::Engine& engine, const std::string& table_name,
                          std::string_view index_name);

// The text of a key attribute as a value of the type that the table says.
Result<item::Value> KeyValue(const table::KeyAttribute& attribute, std::string text);

// One partition of a source, and a part of it that gets smaller with every bound.
class Partition {
 public:
  // The whole partition whose key has this text.
  static Result<Partition> Open(const Source& source, std::string text);

  // Only entries whose sort key has, begins with, … this text. An empty beginning bounds nothing.
  Status Equal(std::string text);
  Status Bound(expression::RangeBound::Op op, std::string text);
  // Only entries up to those that begin with this text.
  Status UpToBeginning(std::string text);

  engine::QueryRange Take() { return std::move(query_); }

 private:
  Partition(const Source& source, item::Value hash);
  Result<item::Value> SortValue(std::string text) const;
  storage::Range With(expression::RangeBound bound);
  void Intersect(const storage::Range& other);

  const Source* source_;
  expression::KeyCondition condition_;  // on the hash attribute alone
  engine::QueryRange query_;
};

// The stored key of the item whose key attributes have these texts; a table without a sort key has
// no second one.
Result<std::string> StoredKey(const table::TableDefinition& table, std::string hash,
                              std::optional<std::string> range);
// The stored key of an item of an entity, made of its attributes. Nothing if one is missing.
Result<std::optional<std::string>> StoredKeyOf(const Entity& entity,
                                               const table::TableDefinition& table,
                                               const model::Template::Lookup& lookup);

// The stored key of the item behind an entry, which has the table's key attributes in any index.
Result<std::string> TableKeyOf(const table::TableDefinition& table, encoding::ItemView entry);

// What a request gives, as the templates of keys ask for it: the caller's tenant is among it. Lives
// no longer than the map it was made of.
class Parameters {
 public:
  // kForbidden if the request names another tenant than the caller's.
  static Result<Parameters> Of(const Application& application, const item::Map& given,
                               const Caller& caller);

  // A parameter by its name or path; null if it is not given.
  const item::Value* Find(std::string_view name) const;

  // One parameter more, or instead of the one of its name.
  struct Extra {
    std::string_view name;
    const item::Value* value = nullptr;
  };

  // The text of a key. A parameter that is missing, or cannot be in a key, is the client's mistake,
  // and the error names it.
  Result<std::string> Render(const model::Template& text) const { return Render(text, {}); }
  Result<std::string> Render(const model::Template& text, const Extra& extra) const;

  model::Template::Lookup Lookup() const {
    return [this](std::string_view name) { return Find(name); };
  }

 private:
  Parameters(const Application& application, const item::Map& given)
      : application_(&application), given_(&given) {}

  const Application* application_;
  const item::Map* given_;
  std::optional<item::Value> tenant_;  // if it is not given
};

// A parameter that is needed and not given.
Error MissingParameter(std::string_view name);

// The text of a key; nothing if an attribute is missing, and *asked_last is then its name. A value
// that cannot be part of a key is InvalidFields with the name of its attribute.
Result<std::optional<std::string>> RenderText(const model::Template& text,
                                              const model::Template::Lookup& lookup,
                                              const model::Template::Rules& rules,
                                              std::string_view* asked_last);

}  // namespace monotable::entities
