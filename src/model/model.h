#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item/number.h"
#include "model/node.h"
#include "model/rule/rule.h"
#include "model/template/template.h"
#include "model/type.h"
#include "table/definition.h"

// A single-table design as data: the content of a model file with every name resolved. Plain data
// that never changes; docs/models/language.md explains the file.
namespace monotable::model {

// What happens to raw DynamoDB writes that break the rules of a modelled table.
enum class Enforcement { kEnforce, kWarn, kOff };

struct IndexModel {
  std::string name;
  Place place;
  table::IndexKind kind = table::IndexKind::kGlobal;
  table::KeySchema key;
  table::Projection projection;
  std::string title;
  // Whether the index has the key attributes of the table in reverse order.
  bool inverted = false;
};

struct TableModel {
  std::string id;    // main: what entities name
  std::string name;  // SalesTable-{environment}; parameters in braces
  Place place;
  std::vector<std::string> aliases;
  bool adopt = false;  // exists already; never created or changed, only checked
  table::KeySchema key;
  std::vector<IndexModel> indexes;
  std::string type_attribute;     // EntityType; empty if items are told apart by their keys
  std::string version_attribute;  // _v, for ETags; empty if there is none
  std::string ttl_attribute;      // empty if nothing expires
  table::BillingMode billing = table::BillingMode::kPayPerRequest;
  std::optional<table::StreamViewType> stream;
  std::string encryption_key;  // alias/sales; empty for the owned key
  bool encrypted = false;
  Enforcement enforcement = Enforcement::kWarn;

  const IndexModel* FindIndex(std::string_view index_name) const;
};

// Settings that differ between environments.
struct EnvironmentModel {
  std::string name;
  Place place;
  bool pitr = false;
  int pitr_days = 35;
  bool deletion_protection = false;
  std::string daily_backup;  // 03:00Z; empty if there is none
  int keep_backups_days = 0;
};

// The keys of an entity in the table (index empty) or in an index. The loader fills in key
// attributes that an index shares with the table, so an entity has keys in an inverted index
// although its author did not write them.
struct KeyModel {
  std::string index;
  Place place;
  struct Part {
    std::string attribute;  // GSI1PK
    Template text;
  };
  std::vector<Part> parts;   // hash first
  std::optional<Rule> when;  // only items for which this holds are in the index
  const Part* Find(std::string_view attribute) const;
};

// An attribute whose value the server makes for a new item that has none.
struct IdModel {
  enum class Generate { kNone, kCounter, kUlid, kUuid };
  std::string attribute;
  std::string format;  // SALE{n:03}, {day:yyyyMMdd}-{n:04}; empty: the generated text itself
  Generate generate = Generate::kNone;
  std::vector<Template> scope;  // of a counter: it counts for each of these texts by itself
};

struct UniqueModel {
  std::string name;
  Place place;
  std::vector<Template> fields;    // {Document|digits}
  std::vector<std::string> scope;  // attributes; the values are unique among items with equal ones
};

struct CopyModel {
  Place place;
  std::string attribute;      // BuyerName
  std::string via;            // BuyerId: the attribute with the reference
  std::string source_entity;  // Buyer
  std::string source_attribute;
  bool live = true;  // follows the source; false: taken once, when the item is created
  std::optional<Rule> freeze_when;
};

struct AssertModel {
  std::string name;
  Place place;
  bool on_create_only = false;
  Rule assertion;
  std::string message;
};

// While the condition holds, attributes stay as they are.
struct FrozenModel {
  std::string name;
  Place place;
  Rule when;                            // about the item as it was before the write
  std::vector<std::string> attributes;  // empty: the whole item, which is not deleted either
  std::vector<std::string> except;      // of the whole item
  std::string message;

  bool whole() const { return attributes.empty(); }
};

// Several attributes of which an item has only one.
struct ChoiceModel {
  Place place;
  std::vector<std::string> attributes;
  bool required = false;  // exactly one; otherwise at most one
};

struct TtlModel {
  Place place;
  std::string base;  // created_at
  int64_t after_seconds = 0;
  std::optional<Rule> when;  // only then does the item expire
  bool hide_expired = false;
};

enum class KeyChange { kRefuse, kMove };
enum class Cardinality { kMany, kOne };
enum class UnknownAttributes { kReject, kKeep, kDrop };

struct EntityModel {
  std::string name;
  Place place;
  std::string table;  // id
  std::string title;
  std::string description;
  std::string type_value;  // value of the type attribute; by default the name
  std::string path;        // REST segment
  std::string parent;      // entity under whose route this one is; empty if none
  Cardinality cardinality = Cardinality::kMany;  // of a child: one or many for each parent
  std::optional<IdModel> id;
  std::vector<IdModel> generated;  // attributes other than the id
  std::vector<KeyModel> keys;      // primary first
  std::vector<AttributeModel> attributes;
  std::string envelope;  // the map that holds the attributes; empty: the item itself
  std::vector<std::string> outside_envelope;
  std::vector<std::string> from_key;  // attributes that are not stored but read from the key
  std::vector<UniqueModel> unique;
  std::vector<CopyModel> copies;
  std::vector<AssertModel> rules;
  std::vector<FrozenModel> frozen;
  std::vector<ChoiceModel> choices;
  std::optional<TtlModel> ttl;
  KeyChange on_key_change = KeyChange::kRefuse;
  // on_key_conflict: bump(createdAt, 1ms)
  std::string bump_attribute;
  int64_t bump_ms = 0;
  std::string restrict_delete_if;  // pattern that must find nothing
  bool cascade_collection = false;
  UnknownAttributes unknown_attributes = UnknownAttributes::kReject;
  std::vector<std::string> accepted_findings;

  const KeyModel& primary() const { return keys.front(); }
  const KeyModel* FindKeys(std::string_view index) const;  // of an index by its name
  const AttributeModel* Find(std::string_view attribute) const;
  // The type at the end of a path with dots (Address.City); null if the path leads nowhere.
  const TypeModel* FindPath(std::string_view attribute_path) const;
};

struct CollectionModel {
  std::string name;
  Place place;
  std::string root;  // entity
  struct Member {
    std::string name;
    std::string entity;
    bool many = true;
  };
  std::vector<Member> members;
  Template partition;  // SALE#{SaleId}
};

// One comparison of a where: SK begins_with LINE#.
struct WhereTerm {
  enum class Comparison {
    kEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBeginsWith,
    kBetween
  };
  std::string attribute;
  Comparison comparison = Comparison::kEqual;
  Template value;
  std::optional<Template> upper;  // of kBetween
};

struct PatternModel {
  enum class Kind { kGet, kList, kCount, kCollection };
  enum class Dates { kExact, kWholeDays };
  struct Range {
    std::string field;
    bool required = false;
    Dates dates = Dates::kExact;
  };
  struct FanOut {
    std::string index;
    std::string over;   // an enum attribute, or a sharded one
    std::string merge;  // the sort attribute by which the answers are merged
  };
  struct Example {
    std::vector<std::pair<std::string, std::string>> given;
    std::vector<std::string> returns;        // ids, in order
    std::optional<item::Number> most_units;  // what it may cost
  };

  std::string id;    // AP6
  std::string name;  // salesOfBuyer
  Place place;
  Kind kind = Kind::kList;
  std::string entity;           // or of a collection: its root
  std::string collection;       // of kCollection
  std::vector<std::string> by;  // attributes that are given, of kGet and kCollection
  std::string index;            // empty: the table
  std::vector<WhereTerm> where;
  std::optional<Range> range;
  std::optional<FanOut> fan_out;
  std::optional<Rule> filter;
  bool hydrate = false;  // read the whole items after a KEYS_ONLY index
  bool parents = false;  // return the parents of the found items
  bool descending = false;
  int page = 0;  // 0: as many as fit
  std::string method = "GET";
  std::string route;  // /buyers/{BuyerId}/sales?from=&to=; empty: /patterns/{name} only
  std::string description;
  std::vector<std::string> requirements;  // ids in the design document
  std::vector<Example> examples;
  bool expected_unserved = false;  // the design claims the pattern, but the keys do not serve it
  std::vector<std::string> accepted_findings;
};

// Several writes that happen together or not at all.
struct OperationModel {
  struct Step {
    enum class Action { kPut, kUpdate, kUpsert, kDelete, kMove, kCheck };
    Place place;
    Action action = Action::kPut;
    std::string entity;
    std::string from;  // the input that holds the item (put)
    std::string each;  // the input that holds a list: the step is repeated for each member
    // Attributes of the item's key that do not have the name of what is given: each.ProductCode.
    std::vector<std::pair<std::string, Rule>> key;
    // Each attribute and its new value: input.X, now, a literal, or Entity.Attribute of another
    // step.
    std::vector<std::pair<std::string, Rule>> set;
    std::optional<Rule> when;
  };
  struct Input {
    std::string name;
    TypeModel type;
    std::string entity;  // an entity instead of a type
    bool required = false;
    bool many = false;
    int least = 0;
    int most = 0;
  };

  std::string name;
  Place place;
  std::string method = "POST";
  std::string route;
  std::string description;
  std::vector<Input> inputs;
  std::vector<Step> steps;
  std::vector<std::string> requirements;
};

struct TenancyModel {
  Place place;
  std::string attribute;
  std::string claim;
};

struct ParameterModel {
  std::string name;
  std::string description;
  std::string default_value;
  std::vector<std::string> allowed;
};

struct AlarmModel {
  std::string name;
  std::string metric;
  std::string statistic = "Sum";
  std::string comparison = ">";
  item::Number threshold;
  int period_seconds = 300;
  int periods = 1;
};

// How often things happen and how large they are, for estimates and the check of hot partitions.
struct WorkloadModel {
  struct Rate {
    std::string what;  // a pattern, an operation, or "create Sale", "update Sale", "delete Sale"
    double per_day = 0;
    int items = 1;
    bool consistent = false;
    Place place;
  };
  struct Volume {
    std::string entity;
    double total = 0;    // items in all
    double per_day = 0;  // or items that are added
    int64_t bytes = 0;   // of one item; 0: estimated from the attributes
    Place place;
  };
  std::vector<Rate> rates;
  std::vector<Volume> volumes;
  int years = 1;
};

struct Model {
  std::string name;
  std::string title;
  std::string version;
  std::string description;
  std::string forbidden_in_keys;  // characters that values in keys must not contain
  std::vector<TableModel> tables;
  std::vector<EnvironmentModel> environments;
  std::vector<ParameterModel> parameters;
  std::vector<EnumModel> enums;
  std::vector<EntityModel> entities;
  std::vector<CollectionModel> collections;
  std::vector<PatternModel> patterns;
  std::vector<OperationModel> operations;
  std::optional<TenancyModel> tenancy;
  std::vector<AlarmModel> alarms;
  std::optional<WorkloadModel> workload;
  std::string samples;  // path of the sample items, relative to the model file

  const TableModel* FindTable(std::string_view id) const;
  const EntityModel* FindEntity(std::string_view entity_name) const;
  const EnumModel* FindEnum(std::string_view enum_name) const;
  const CollectionModel* FindCollection(std::string_view collection_name) const;
  const PatternModel* FindPattern(std::string_view name_or_id) const;
};

}  // namespace monotable::model
