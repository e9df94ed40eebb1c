#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A model in the words of this test, from which its file is printed and which the reference reads.
// Nothing here comes from the product, so a mistake of its loader cannot hide itself.
namespace monotable::random_models {

// One piece of a key template: literal text, or an attribute.
struct Piece {
  std::string literal;
  std::string attribute;
  int width = 0;  // {number:03}
};
using Template = std::vector<Piece>;

enum class Kind { kText, kInteger, kState, kInstant };
enum class Stamp { kNone, kOnCreate, kOnWrite, kCallerOnCreate };

// What a derived value is made of.
struct Formula {
  enum class Kind {
    kSum,      // sum(first.second): an attribute of the members named first
    kCount,    // count(first)
    kAdd,      // first + second: attributes of the item
    kRelated,  // first.second: an attribute of a referenced item or of the parent
  };
  Kind kind = Kind::kCount;
  std::string first;
  std::string second;
};

struct AttributeDesign {
  std::string name;
  Kind kind = Kind::kText;
  bool required = false;
  std::string ref;                    // an entity
  std::optional<std::string> preset;  // its default
  Stamp stamp = Stamp::kNone;
  std::optional<Formula> derive;
  std::optional<int64_t> max;  // of an integer
};

struct CopyDesign {
  std::string attribute;
  std::string source;  // an entity
  std::string source_attribute;
  std::string via;
  bool live = true;
  std::string frozen_in;  // a state; empty: never
};

struct UniqueDesign {
  std::string name;
  std::string attribute;
  std::vector<std::string> scope;
};

// A rule that two numbers keep: first <= second, or one of them is missing.
struct AssertDesign {
  std::string name;
  std::string first;
  std::string second;
};

struct TtlDesign {
  std::string base;
  int64_t seconds = 0;
  std::string in_state;  // empty: always
  bool hides = false;
};

struct IndexKeyDesign {
  std::string index;  // GSI1
  Template hash;
  Template range;
  std::string in_state;  // empty: always
};

struct EntityDesign {
  std::string name;
  std::string parent;
  bool only_one = false;
  std::string id;          // an attribute
  bool generated = false;  // by a counter: E0-{n:03}
  Template hash;
  Template range;
  std::vector<IndexKeyDesign> indexes;
  std::vector<AttributeDesign> attributes;
  std::vector<CopyDesign> copies;
  std::vector<UniqueDesign> unique;
  std::vector<AssertDesign> asserts;
  std::optional<TtlDesign> ttl;
  std::vector<std::string> from_key;
  bool envelope = false;
  bool moves = false;
  bool cascades = false;
  std::string
      restricted_by;  // an entity: its items that refer to this one keep it from being deleted

  const AttributeDesign* Find(std::string_view attribute) const;
  // The attributes of the primary key, in their order.
  std::vector<std::string> KeyAttributes() const;
  bool IsFromKey(std::string_view attribute) const;
  // Whether the server fills the attribute in: a copy, a stamp or a derived value.
  bool IsReadOnly(std::string_view attribute) const;
};

struct MemberDesign {
  std::string name;
  std::string root;    // an entity
  std::string entity;  // a child of it
};

struct OperationDesign {
  enum class Kind {
    kPutAll,  // puts an item of the entity, and items of its child
    kChange,  // adds one to a number, and sets the state
    kDelete,
  };
  std::string name;
  Kind kind = Kind::kChange;
  std::string entity;
  std::string child;   // of kPutAll
  std::string number;  // of kChange; an integer that is required
  std::string state;   // of kChange; empty: leaves the state
};

struct Design {
  bool has_type = true;
  bool has_version = true;
  bool has_tenants = false;
  std::map<std::string, std::vector<std::string>> transitions;  // of the enum State
  std::vector<EntityDesign> entities;
  std::vector<MemberDesign> members;  // of the collections, one collection for each root
  std::vector<OperationDesign> operations;

  const EntityDesign* Find(std::string_view entity) const;
  const OperationDesign* FindOperation(std::string_view name) const;
  const MemberDesign* FindMember(std::string_view root, std::string_view member) const;
  bool HasChildren(std::string_view entity) const;
};

inline constexpr std::string_view kTenant = "tenant";
inline constexpr std::string_view kTable = "things";

// The model file.
std::string YamlOf(const Design& design);

// A template as the file has it: T#{tenant}#E0#{k0}.
std::string TextOf(const Template& text);

// A design from which one entity, or one of the features of an entity, is taken away, with all that
// needs it. There are as many as SimplerDesigns returns; the order is from large to small.
std::vector<Design> SimplerDesigns(const Design& design);

}  // namespace monotable::random_models
