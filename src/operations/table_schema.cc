#include "operations/table_schema.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "operations/table_errors.h"
#include "operations/table_settings.h"

namespace monotable::operations {
namespace {

using table::IndexDefinition;
using table::IndexKind;
using table::KeyAttribute;
using Elements = std::vector<KeySchemaElement>;
using Definitions = std::span<const KeyAttribute>;

// A global index may have this many partition and as many sort attributes.
constexpr ptrdiff_t kMaxKeyParts = 4;

const KeyAttribute* FindDefinition(Definitions definitions, std::string_view name) {
  for (const KeyAttribute& definition : definitions) {
    if (definition.name == name) return &definition;
  }
  return nullptr;
}

// The names of attributes in brackets, as messages show them.
std::string Names(const Elements& elements) {
  std::vector<std::string_view> names;
  for (const KeySchemaElement& element : elements) names.push_back(element.attribute_name);
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string Names(Definitions definitions) {
  std::vector<std::string_view> names;
  for (const KeyAttribute& definition : definitions) names.push_back(definition.name);
  return fmt::format("[{}]", fmt::join(names, ", "));
}

Error KeysNotDefined(const Elements& elements, Definitions definitions) {
  return InvalidParameter(
      fmt::format("Some index key attributes are not defined in AttributeDefinitions. Keys: {}, "
                  "AttributeDefinitions: {}",
                  Names(elements), Names(definitions)));
}

// The service's model allows a table or local index two key elements; it answers with the value as
// its own objects print.
Error TooManyElements(const Elements& elements, std::string_view path) {
  std::vector<std::string> dump;
  for (const KeySchemaElement& element : elements) {
    dump.push_back(fmt::format("KeySchemaElement(attributeName={}, keyType={})",
                               element.attribute_name, element.is_range ? "RANGE" : "HASH"));
  }
  return Error::Validation(
      fmt::format("1 validation error detected: Value '[{}]' at '{}' failed to satisfy constraint: "
                  "Member must have length less than or equal to 2",
                  fmt::join(dump, ", "), path));
}

Status CheckFirstIsHash(const Elements& elements) {
  if (!elements.empty() && !elements[0].is_range) return {};
  return Error::Validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
}

// Of a table or local index: one HASH, at most one RANGE, of different names.
Status CheckPair(const Elements& elements, std::string_view path) {
  if (elements.size() > 2) return TooManyElements(elements, path);
  TRY(CheckFirstIsHash(elements));
  if (elements.size() < 2) return {};
  if (!elements[1].is_range) {
    return Error::Validation(
        "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
  if (elements[0].attribute_name == elements[1].attribute_name) {
    return Error::Validation(
        "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  }
  return {};
}

// Of a global index: up to four HASH, then up to four RANGE, all of different names.
Status CheckGlobalKey(const Elements& elements) {
  TRY(CheckFirstIsHash(elements));
  const auto is_range = [](const KeySchemaElement& element) { return element.is_range; };
  const auto first_range = std::find_if(elements.begin(), elements.end(), is_range);
  if (!std::all_of(first_range, elements.end(), is_range)) {
    return InvalidParameter(
        "All HASH key attributes must precede RANGE key attributes in the KeySchema");
  }
  const bool many_hashes = first_range - elements.begin() > kMaxKeyParts;
  if (many_hashes || elements.end() - first_range > kMaxKeyParts) {
    return InvalidParameter(
        fmt::format("The KeySchema exceeds the maximum allowed number of {} key attributes",
                    many_hashes ? "HASH" : "RANGE"));
  }
  std::set<std::string_view> names;
  for (const KeySchemaElement& element : elements) {
    if (!names.insert(element.attribute_name).second) {
      return Error::Validation("The KeySchema contains multiple key attributes with the same name");
    }
  }
  return {};
}

// All of the elements have definitions.
table::KeySchema Resolve(const Elements& elements, Definitions definitions) {
  table::KeySchema key;
  for (const KeySchemaElement& element : elements) {
    (element.is_range ? key.range : key.hash)
        .push_back(*FindDefinition(definitions, element.attribute_name));
  }
  return key;
}

bool AllDefined(const Elements& elements, Definitions definitions) {
  return std::all_of(elements.begin(), elements.end(), [&](const KeySchemaElement& element) {
    return FindDefinition(definitions, element.attribute_name) != nullptr;
  });
}

Status CheckDefinitions(Definitions definitions) {
  std::set<std::string_view> names;
  for (const KeyAttribute& definition : definitions) {
    if (!names.insert(definition.name).second) {
      return Error::Validation("Attribute Name is duplicated: " + definition.name);
    }
  }
  return {};
}

Result<table::KeySchema> BuildTableKey(const Elements& elements, Definitions definitions,
                                       bool has_indexes) {
  TRY(CheckPair(elements, "keySchema"));
  if (!AllDefined(elements, definitions)) {
    const bool hash_defined = FindDefinition(definitions, elements[0].attribute_name) != nullptr;
    const bool too_few = hash_defined && !has_indexes && definitions.size() < elements.size();
    if (!definitions.empty() && !too_few) return KeysNotDefined(elements, definitions);
    return Error::Validation("Invalid KeySchema: Some index key attribute have no definition");
  }
  if (!has_indexes && definitions.size() != elements.size()) {
    return InvalidParameter(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions");
  }
  return Resolve(elements, definitions);
}

Result<table::Projection> BuildProjection(const ProjectionParameter& parameter) {
  if (!parameter.type) return InvalidParameter("Unknown ProjectionType: null");
  const bool includes = *parameter.type == table::ProjectionType::kInclude;
  if (!includes && parameter.non_key_attributes) {
    return InvalidParameter(
        fmt::format("ProjectionType is {}, but NonKeyAttributes is specified",
                    *parameter.type == table::ProjectionType::kAll ? "ALL" : "KEYS_ONLY"));
  }
  if (includes && (!parameter.non_key_attributes || parameter.non_key_attributes->empty())) {
    return InvalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  table::Projection projection;
  projection.type = *parameter.type;
  if (includes) projection.non_key_attributes = *parameter.non_key_attributes;
  std::set<std::string_view> names;
  for (const std::string& name : projection.non_key_attributes) {
    if (!names.insert(name).second) {
      return InvalidParameter("Duplicate element in NonKeyAttributes: " + name);
    }
  }
  return projection;
}

Result<IndexDefinition> BuildLocalIndex(const IndexParameter& parameter,
                                        const table::KeySchema& table_key, Definitions definitions,
                                        size_t position) {
  const Elements& elements = parameter.key_schema;
  TRY(CheckPair(elements, fmt::format("localSecondaryIndexes.{}.member.keySchema", position + 1)));
  if (elements[0].attribute_name != table_key.hash[0].name) {
    return InvalidParameter(fmt::format(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: {}. "
        "index hash key: {}, table hash key: {}",
        parameter.index_name, elements[0].attribute_name, table_key.hash[0].name));
  }
  if (elements.size() < 2) {
    return InvalidParameter("Index KeySchema does not have a range key for index: " +
                            parameter.index_name);
  }
  IndexDefinition index;
  index.name = parameter.index_name;
  index.kind = IndexKind::kLocal;
  index.key = Resolve(elements, definitions);
  TRY_ASSIGN(index.projection, BuildProjection(parameter.projection));
  return index;
}

// What creating a global index with the table and adding one later have in common.
Result<IndexDefinition> BuildGlobalIndex(const IndexParameter& parameter, Definitions definitions,
                                         table::BillingMode billing_mode, Occasion occasion) {
  TRY(CheckGlobalKey(parameter.key_schema));
  IndexDefinition index;
  index.name = parameter.index_name;
  index.kind = IndexKind::kGlobal;
  index.key = Resolve(parameter.key_schema, definitions);
  TRY_ASSIGN(index.projection, BuildProjection(parameter.projection));
  TRY_ASSIGN(index.throughput, CheckIndexThroughput(parameter, billing_mode, occasion));
  TRY(CheckOnDemand(parameter.on_demand_throughput, billing_mode, index.name, occasion));
  TRY(CheckWarm(parameter.warm_throughput, billing_mode, index.throughput, index.name));
  if (HasLimits(parameter.on_demand_throughput)) {
    index.on_demand_throughput = parameter.on_demand_throughput;
  }
  if (HasUnits(parameter.warm_throughput)) index.warm_throughput = parameter.warm_throughput;
  return index;
}

Status AddLocalIndexes(const CreateTableRequest& request, TableSchema* schema) {
  if (!request.local_indexes) return {};
  if (request.local_indexes->empty()) {
    return InvalidParameter("List of LocalSecondaryIndexes is empty");
  }
  if (schema->key.range.empty()) {
    return InvalidParameter(
        "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex");
  }
  for (const IndexParameter& parameter : *request.local_indexes) {
    TRY_ASSIGN(IndexDefinition index,
               BuildLocalIndex(parameter, schema->key, schema->attributes, schema->indexes.size()));
    schema->indexes.push_back(std::move(index));
  }
  if (request.local_indexes->size() > kMaxLocalIndexes) {
    return InvalidParameter(fmt::format(
        "Number of LocalSecondaryIndexes exceeds per-table limit of {}", kMaxLocalIndexes));
  }
  return {};
}

Status AddGlobalIndexes(const CreateTableRequest& request, table::BillingMode billing_mode,
                        TableSchema* schema) {
  if (!request.global_indexes) return {};
  if (request.global_indexes->empty()) {
    return InvalidParameter("List of GlobalSecondaryIndexes is empty");
  }
  for (const IndexParameter& parameter : *request.global_indexes) {
    TRY_ASSIGN(IndexDefinition index, BuildGlobalIndex(parameter, schema->attributes, billing_mode,
                                                       Occasion::kCreateTable));
    schema->indexes.push_back(std::move(index));
  }
  if (request.global_indexes->size() > kMaxGlobalIndexes) {
    return InvalidParameter(fmt::format(
        "GlobalSecondaryIndex count exceeds the per-table limit of {}", kMaxGlobalIndexes));
  }
  return {};
}

Status CheckIndexNames(std::span<const IndexDefinition> indexes) {
  std::set<std::string_view> names;
  for (const IndexDefinition& index : indexes) {
    if (!names.insert(index.name).second) {
      return InvalidParameter("Duplicate index name: " + index.name);
    }
  }
  return {};
}

// The attributes defined must be just those that keys are made of. The service finds this out
// before it looks at anything else of an index.
Status CheckIndexKeys(const CreateTableRequest& request) {
  const Definitions definitions = *request.attribute_definitions;
  std::vector<std::string_view> used;
  const auto use = [&used](const Elements& elements) {
    for (const KeySchemaElement& element : elements) {
      if (std::find(used.begin(), used.end(), element.attribute_name) == used.end()) {
        used.push_back(element.attribute_name);
      }
    }
  };
  use(*request.key_schema);
  for (const auto* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const IndexParameter& index : **indexes) {
      if (!AllDefined(index.key_schema, definitions)) {
        return KeysNotDefined(index.key_schema, definitions);
      }
      use(index.key_schema);
    }
  }
  if (used.size() == definitions.size()) return {};
  return InvalidParameter(
      fmt::format("Some AttributeDefinitions are not used. AttributeDefinitions: {}, keys used: "
                  "[{}]",
                  Names(definitions), fmt::join(used, ", ")));
}

Status CheckPresent(const CreateTableRequest& request) {
  std::vector<std::string> missing;
  const auto check = [&missing](bool present, std::string_view path) {
    if (present) return;
    missing.push_back(fmt::format(
        "Value null at '{}' failed to satisfy constraint: Member must not be null", path));
  };
  check(request.attribute_definitions.has_value(), "attributeDefinitions");
  check(request.key_schema.has_value(), "keySchema");
  if (missing.empty()) return {};
  return Error::Validation(fmt::format("{} validation error{} detected: {}", missing.size(),
                                       missing.size() == 1 ? "" : "s", fmt::join(missing, "; ")));
}

}  // namespace

Result<TableSchema> BuildSchema(const CreateTableRequest& request,
                                table::BillingMode billing_mode) {
  TRY(CheckPresent(request));
  TRY(CheckDefinitions(*request.attribute_definitions));
  const bool has_indexes = request.local_indexes || request.global_indexes;
  TableSchema schema;
  schema.attributes = *request.attribute_definitions;
  TRY_ASSIGN(schema.key, BuildTableKey(*request.key_schema, schema.attributes, has_indexes));
  TRY(CheckIndexKeys(request));
  TRY(AddLocalIndexes(request, &schema));
  TRY(AddGlobalIndexes(request, billing_mode, &schema));
  TRY(CheckIndexNames(schema.indexes));
  TRY(CheckProjectedAttributes(schema.indexes));
  uint16_t id = 1;
  for (IndexDefinition& index : schema.indexes) index.id = id++;
  return schema;
}

Result<IndexDefinition> BuildAddedIndex(const table::TableDefinition& table,
                                        const IndexParameter& parameter,
                                        Definitions request_definitions,
                                        table::BillingMode billing_mode) {
  if (request_definitions.empty()) {
    return InvalidParameter("AttributeDefinitions is not specified for index: " +
                            parameter.index_name);
  }
  if (!AllDefined(parameter.key_schema, request_definitions)) {
    return Error::Validation("Invalid KeySchema: Some index key attribute have no definition");
  }
  // Definitions are a delta: what the table defines already is not redefined.
  std::vector<KeyAttribute> definitions = table.attributes;
  for (const KeyAttribute& definition : request_definitions) {
    if (FindDefinition(definitions, definition.name) == nullptr) definitions.push_back(definition);
  }
  return BuildGlobalIndex(parameter, definitions, billing_mode, Occasion::kUpdateTable);
}

Status CheckProjectedAttributes(std::span<const IndexDefinition> indexes) {
  size_t projected = 0;
  for (const IndexDefinition& index : indexes) {
    projected += index.projection.non_key_attributes.size();
  }
  if (projected <= kMaxProjectedAttributes) return {};
  return InvalidParameter(
      fmt::format("Total number of NonKeyAttributes of all indexes exceeds the per-table limit of "
                  "{}",
                  kMaxProjectedAttributes));
}

}  // namespace monotable::operations
