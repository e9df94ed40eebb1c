#include "simulation/generator.h"

#include <set>
#include <utility>

namespace monotable::simulation {
namespace {

using Kind = Value::Kind;
using operations::ReturnValues;

const std::vector<std::string>& Attributes() {
  static const std::vector<std::string> names = {"owner", "score", "status", "rank", "n",
                                                 "tags",  "nums",  "doc",    "list", "text",
                                                 "flag",  "nil",   "bin",    "email"};
  return names;
}

Condition Simple(Condition::Op op, Path path, std::vector<Value> operands = {}) {
  return {op, std::move(path), std::move(operands), {}};
}

}  // namespace

std::string Generator::NextId() {
  return prefix_ + "-" + std::to_string(++calls_);
}

Value Generator::MakeKeyValue(const KeyPart& part) {
  switch (part.kind) {
    case Kind::kNumber:
      return Value::Number(static_cast<int64_t>(Below(9)) * 50 - 150);
    case Kind::kBinary:
      return Value::Binary(std::string(1 + Below(2), static_cast<char>(Below(3))));
    default:
      break;
  }
  static const std::vector<std::string> names = {"a", "ab", "abc", "b", "ba", "c"};
  return Value::String(Pick(names));
}

Item Generator::MakeKey(const TableSchema& table) {
  Item key = {{table.hash.name, MakeKeyValue(table.hash)}};
  if (table.range) key[table.range->name] = MakeKeyValue(*table.range);
  return key;
}

Value Generator::MakeValue(const std::string& attribute) {
  static const std::vector<std::string> words = {"x", "xy", "xyz", "y", "z"};
  // Now and then a value that an index on this attribute cannot take.
  if (Chance(2)) return Chance(50) ? Value::String("") : Value::Bool(true);
  if (attribute == "score" || attribute == "rank" || attribute == "n") {
    return Value::Number(static_cast<int64_t>(Below(8)) * 25 - 75);
  }
  if (attribute == "kind") {
    static const std::vector<std::string> kinds = {"user", "claim", "counter"};
    return Value::String(Pick(kinds));
  }
  if (attribute == "tags") return Value::StringSet({Pick(words), Pick(words)});
  if (attribute == "nums") return Value::NumberSet({static_cast<int64_t>(Below(4)) * 100, 50});
  if (attribute == "doc") {
    Item members = {{"x", Value::Number(static_cast<int64_t>(Below(3)) * 100)}};
    if (Chance(50)) members["y"] = Value::String(Pick(words));
    return Value::Map(std::move(members));
  }
  if (attribute == "list") {
    std::vector<Value> members;
    for (uint64_t i = Below(4); i > 0; --i) members.push_back(Value::String(Pick(words)));
    return Value::List(std::move(members));
  }
  if (attribute == "flag") return Value::Bool(Chance(50));
  if (attribute == "nil") return Value();
  if (attribute == "bin")
    return Value::Binary(std::string(Below(3), static_cast<char>(Below(256))));
  if (attribute == "text" && Chance(5)) return Value::String(std::string(Below(6000), 't'));
  return Value::String(Pick(words));
}

Item Generator::MakeItem(const TableSchema& table, const std::string& id) {
  Item item = MakeKey(table);
  for (const std::string& attribute : Attributes()) {
    if (Chance(40)) item[attribute] = MakeValue(attribute);
  }
  item["w"] = Value::String(id);
  return item;
}

Condition Generator::MakeSimpleCondition() {
  using Op = Condition::Op;
  const std::string& attribute = Pick(Attributes());
  Path path = PathOf(attribute);
  if (attribute == "doc" && Chance(50)) path = PathOf("doc", Chance(80) ? "x" : "z");
  if (attribute == "list" && Chance(50)) path = PathOf("list", Below(3));
  switch (Below(9)) {
    case 0:
      return Simple(Op::kExists, path);
    case 1:
      return Simple(Op::kNotExists, path);
    case 2:
      return Simple(Chance(50) ? Op::kEqual : Op::kNotEqual, path, {MakeValue(attribute)});
    case 3: {
      static const std::vector<Op> orders = {Op::kLess, Op::kLessEqual, Op::kGreater,
                                             Op::kGreaterEqual};
      return Simple(Pick(orders), PathOf("score"),
                    {Value::Number(static_cast<int64_t>(Below(6)) * 25)});
    }
    case 4: {
      const auto low = static_cast<int64_t>(Below(6)) * 25 - 50;
      return Simple(Op::kBetween, PathOf("n"), {Value::Number(low), Value::Number(low + 75)});
    }
    case 5:
      return Simple(Op::kIn, path, {MakeValue(attribute), MakeValue(attribute)});
    case 6:
      return Chance(50) ? Simple(Op::kBeginsWith, path, {Value::String("x")})
                        : Simple(Op::kContains, path, {Value::String("y")});
    case 7:
      return Simple(Op::kHasType, path,
                    {Value::String(std::string(TypeCode(MakeValue(attribute).kind)))});
    default:
      break;
  }
  return Simple(Op::kSizeGreater, path, {Value::Number(static_cast<int64_t>(Below(4)) * 100)});
}

Condition Generator::MakeCondition(int depth) {
  if (depth == 0 || Chance(60)) return MakeSimpleCondition();
  Condition condition;
  const uint64_t shape = Below(3);
  condition.op =
      shape == 0 ? Condition::Op::kAnd : (shape == 1 ? Condition::Op::kOr : Condition::Op::kNot);
  for (uint64_t i = shape == 2 ? 1 : 2; i > 0; --i) {
    condition.parts.push_back(MakeCondition(depth - 1));
  }
  return condition;
}

Action Generator::MakeAction(const std::string& attribute) {
  using Op = Action::Op;
  const Path whole = PathOf(attribute);
  const Value value = MakeValue(attribute);
  const bool is_set = value.kind == Kind::kStringSet || value.kind == Kind::kNumberSet;
  if (value.kind == Kind::kNumber && Chance(60)) {
    return {Chance(50) ? Op::kAdd : Op::kIncrement, whole, value, {}};
  }
  if (is_set && Chance(70)) return {Chance(50) ? Op::kAdd : Op::kDelete, whole, value, {}};
  if (attribute == "doc" && Chance(60)) {
    const Path member = PathOf("doc", Chance(50) ? "x" : "y");
    if (Chance(30)) return {Op::kRemove, member, {}, {}};
    return {Op::kSet, member, Value::Number(static_cast<int64_t>(Below(5)) * 100), {}};
  }
  if (attribute == "list" && value.kind == Kind::kList && Chance(60)) {
    if (Chance(40)) return {Op::kAppend, whole, value, {}};
    const Path element = PathOf("list", Below(3));
    if (Chance(40)) return {Op::kRemove, element, {}, {}};
    return {Op::kSet, element, Value::String("e"), {}};
  }
  switch (Below(6)) {
    case 0:
      return {Op::kSetIfAbsent, whole, value, {}};
    case 1:
      return {Op::kRemove, whole, {}, {}};
    case 2:
      return {Op::kCopy, whole, {}, PathOf(Pick(Attributes()))};
    default:
      return {Op::kSet, whole, value, {}};
  }
}

Update Generator::MakeUpdate(const TableSchema& table, const std::string& id) {
  Update update;
  update.actions.push_back(SetTo("w", Value::String(id)));
  std::set<std::string> used;
  for (uint64_t i = Below(4); i > 0; --i) {
    const std::string& attribute = Pick(Attributes());
    if (attribute == table.hash.name || !used.insert(attribute).second) continue;
    update.actions.push_back(MakeAction(attribute));
  }
  return update;
}

Intent Generator::MakeIntent(const TableSchema& table, const std::string& id, Intent::Kind kind) {
  Intent intent;
  intent.kind = kind;
  intent.table = table.name;
  intent.item = kind == Intent::Kind::kPut ? MakeItem(table, id) : MakeKey(table);
  if (kind == Intent::Kind::kUpdate) intent.update = MakeUpdate(table, id);
  if (kind == Intent::Kind::kCheck || Chance(40)) {
    intent.condition = Chance(30)
                           ? Simple(Chance(50) ? Condition::Op::kExists : Condition::Op::kNotExists,
                                    PathOf(table.hash.name))
                           : MakeCondition(2);
  }
  return intent;
}

Call Generator::MakeSingleWrite(const TableSchema& table) {
  Call call;
  call.kind = Call::Kind::kWrite;
  call.id = NextId();
  const uint64_t shape = Below(10);
  const auto kind =
      shape < 4 ? Intent::Kind::kPut : (shape < 8 ? Intent::Kind::kUpdate : Intent::Kind::kDelete);
  call.intents.push_back(MakeIntent(table, call.id, kind));
  call.return_on_failure = Chance(50);
  if (kind == Intent::Kind::kUpdate) {
    static const std::vector<ReturnValues> all = {ReturnValues::kNone, ReturnValues::kAllOld,
                                                  ReturnValues::kAllNew, ReturnValues::kUpdatedOld,
                                                  ReturnValues::kUpdatedNew};
    call.return_values = Pick(all);
  } else if (kind == Intent::Kind::kDelete || Chance(50)) {
    // What a delete removed is how the change log's record of it is told from others.
    call.return_values = ReturnValues::kAllOld;
  }
  return call;
}

Call Generator::MakeManyWrites(const std::vector<const TableSchema*>& tables, Call::Kind kind) {
  Call call;
  call.kind = kind;
  call.id = NextId();
  call.return_on_failure = kind == Call::Kind::kTransactWrite && Chance(50);
  const bool batch = kind == Call::Kind::kBatchWrite;
  const bool twice = Chance(2);  // the same item twice is an error
  std::set<std::string> keys;
  const uint64_t wanted = 1 + Below(batch ? 8 : 5);
  // The first is a put, so that an image tells about the call. Tables have few keys, so not every
  // attempt finds a new one.
  for (uint64_t attempt = 0; attempt < 2 * wanted && call.intents.size() < wanted; ++attempt) {
    const TableSchema& table = *Pick(tables);
    auto intent_kind = Intent::Kind::kPut;
    if (!call.intents.empty()) {
      intent_kind = batch ? (Chance(70) ? Intent::Kind::kPut : Intent::Kind::kDelete)
                          : static_cast<Intent::Kind>(Below(4));
    }
    Intent intent = MakeIntent(table, call.id, intent_kind);
    if (batch) intent.condition.reset();
    if (!keys.insert(table.name + KeyText(table, intent.item)).second && !twice) continue;
    call.intents.push_back(std::move(intent));
  }
  if (!batch && Chance(30)) call.token = "token-" + call.id;
  return call;
}

PageCall Generator::MakePage(const TableSchema& table) {
  PageCall page;
  page.table = table.name;
  const IndexSchema* index = nullptr;
  if (!table.indexes.empty() && Chance(60)) {
    index = &Pick(table.indexes);
    page.index = index->name;
  }
  if (Chance(70)) {
    const KeyPart& hash = index != nullptr ? index->hash : table.hash;
    page.hash = table.hash.name == hash.name ? MakeKeyValue(hash) : MakeValue(hash.name);
    const bool can_be_key =
        hash.kind == Kind::kNumber || (!page.hash->text.empty() && page.hash->text.size() <= 1024);
    if (page.hash->kind != hash.kind || !can_be_key) page.hash = MakeKeyValue(hash);
    const auto& range = index != nullptr ? index->range : table.range;
    if (range && Chance(60)) {
      RangeCondition condition;
      condition.first = MakeKeyValue(*range);
      condition.second = MakeKeyValue(*range);
      if (Compare(condition.first, condition.second) > 0) {
        std::swap(condition.first, condition.second);
      }
      condition.op = static_cast<RangeCondition::Op>(Below(range->kind == Kind::kNumber ? 6 : 7));
      page.range = condition;
    }
    page.forward = Chance(60);
  } else if (Chance(30)) {
    page.segments = 2 + static_cast<int64_t>(Below(4));
  }
  const bool everything = index == nullptr || index->keeps == Keeps::kAll;
  // A filter may not name the key that a Query asks for; these conditions are on other attributes.
  if (everything && index == nullptr && Chance(30)) page.filter = MakeCondition(1);
  if (everything && Chance(20)) page.projection = {PathOf("w"), PathOf("doc", "x"), PathOf("n")};
  if (Chance(50)) page.limit = 1 + static_cast<int64_t>(Below(5));
  if (page.projection.empty()) page.count_only = Chance(10);
  page.consistent = (index == nullptr || index->local) && Chance(50);
  return page;
}

Call Generator::MakeRead(const std::vector<const TableSchema*>& tables) {
  Call call;
  call.id = NextId();
  const uint64_t shape = Below(10);
  if (shape < 4) {
    call.kind = Call::Kind::kPage;
    call.page = MakePage(*Pick(tables));
    return call;
  }
  call.kind =
      shape < 7 ? Call::Kind::kGet : (shape < 8 ? Call::Kind::kBatchGet : Call::Kind::kTransactGet);
  call.consistent = call.kind != Call::Kind::kGet || Chance(70);
  std::set<std::string> keys;
  for (uint64_t i = call.kind == Call::Kind::kGet ? 1 : 1 + Below(5); i > 0; --i) {
    const TableSchema& table = *Pick(tables);
    Target target{table.name, MakeKey(table)};
    if (keys.insert(table.name + Describe(target.key)).second) call.targets.push_back(target);
  }
  return call;
}

Call Generator::MakeCall(const std::vector<const TableSchema*>& tables) {
  const uint64_t shape = Below(100);
  if (shape < 35) return MakeRead(tables);
  if (shape < 75) return MakeSingleWrite(*Pick(tables));
  return MakeManyWrites(tables, shape < 85 ? Call::Kind::kBatchWrite : Call::Kind::kTransactWrite);
}

}  // namespace monotable::simulation
