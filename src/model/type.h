#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "item/number.h"
#include "model/node.h"
#include "model/rule/rule.h"

// What the attributes of an entity may be.
namespace monotable::model {

struct AttributeModel;
struct EnumModel;

enum class TypeKind {
  kString,
  kInteger,
  kDecimal,
  kBoolean,
  kInstant,  // a moment; in the API always ISO 8601, stored as `stored` says
  kDate,     // a day, 2026-01-30
  kBinary,   // base64 in the API
  kEnum,
  kObject,  // with declared attributes
  kList,
  kSet,  // of strings, numbers or binaries
  kMap,  // any names, values of one type
  kAny,  // whatever JSON can say
};

enum class InstantForm {
  kIso,         // text, 2026-01-30T14:30:00Z or with .123
  kBrazilian,   // text, DD/MM/YYYY HH:mm:ss
  kEpoch,       // a number of seconds
  kEpochMillis  // a number of milliseconds
};

struct TypeModel {
  TypeKind kind = TypeKind::kString;
  std::string name;  // of the declared type or enum, for messages and documents; may be empty

  // Strings: length in characters; lists and sets: number of members.
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::string pattern;  // RE2 regular expression, must match the whole text
  std::string format;   // email, uri, uuid, ulid or empty
  // Numbers.
  std::optional<item::Number> minimum;
  std::optional<item::Number> maximum;
  int precision = 38;        // digits of a decimal
  std::optional<int> scale;  // digits after the point; derived values are rounded half even to it
  // Instants.
  InstantForm stored = InstantForm::kIso;
  bool milliseconds = false;  // of the ISO form: fixed width either way
  // Enums: the name of the EnumModel.
  std::string enum_name;
  // Lists, sets and maps.
  std::shared_ptr<const TypeModel> element;
  // Objects.
  std::vector<AttributeModel> attributes;
  bool open = false;  // members that are not declared are kept

  // The type at the end of a path with dots that begins in this type (City); null if the path leads
  // nowhere.
  const TypeModel* FindPath(std::string_view path) const;
};

// A type as an author would write it, with its constraints: decimal(14, 2), SaleStatus, string[].
std::string DescribeType(const TypeModel& type);

// Who fills an attribute in, if not the client.
enum class SetBy { kClient, kOnCreate, kOnWrite, kCallerOnCreate, kCallerOnWrite };

// When the value of an attribute may change.
enum class ChangePolicy {
  kAlways,
  kNever,       // only a new item gets it
  kOnce,        // it may be given later, and then stays
  kByOperation  // only what operations set; clients neither give nor change it
};

struct AttributeModel {
  std::string name;
  Place place;
  TypeModel type;
  bool required = false;
  bool hidden = false;  // not shown by the API
  SetBy set = SetBy::kClient;
  ChangePolicy change = ChangePolicy::kAlways;
  std::optional<Node> default_value;  // a literal
  std::string default_from;           // Buyer.PaymentTerms: from what a reference names
  std::string references;             // the entity whose id this is
  bool generated = false;             // made by the server for new items, see EntityModel
  std::optional<Rule> derive;         // computed by the server, never by the client
  std::string description;
};

struct EnumModel {
  struct Value {
    std::string text;       // as stored
    std::string title;      // for people; may be empty
    std::string code_name;  // for languages in which the text is not a valid name; may be empty
  };
  enum class Transitions { kNone, kAny, kListed };

  std::string name;
  Place place;
  std::vector<Value> values;
  std::string initial;        // the value of a new item that gives none; may be empty
  bool initial_only = false;  // clients cannot create an item with another value
  bool open = false;          // other values are accepted, with a warning
  Transitions transitions = Transitions::kNone;
  struct Transition {
    std::string from;
    std::vector<std::string> to;
  };
  std::vector<Transition> listed;

  const Value* Find(std::string_view text) const;
  // Whether a change is allowed; staying the same always is.
  bool Allows(std::string_view from, std::string_view to) const;
  std::vector<std::string> AllowedFrom(std::string_view from) const;
};

}  // namespace monotable::model
