#include "simulation/model.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace monotable::simulation {
namespace {

using operations::ReturnValues;

bool IllegalForIndexes(const TableSchema& table, const Item& item) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [&](const IndexSchema& index) { return HasIllegalKey(index, item); });
}

enum class Verdict { kDone, kConditionFailed, kInvalid };

struct Decision {
  Verdict verdict = Verdict::kDone;
  std::optional<Item> image;
};

// Such an update does not create the item that it does not find.
bool OnlyClears(const Update& update) {
  return !update.actions.empty() && std::ranges::all_of(update.actions, [](const Action& action) {
    return action.op == Action::Op::kRemove || action.op == Action::Op::kDelete;
  });
}

Decision Decide(const TableSchema& table, const Intent& intent, const Item* old) {
  const Item before = old != nullptr ? *old : Item();
  if (intent.condition && !intent.condition->Holds(before)) {
    return {Verdict::kConditionFailed, std::nullopt};
  }
  switch (intent.kind) {
    case Intent::Kind::kPut:
      return {Verdict::kDone, intent.item};
    case Intent::Kind::kDelete:
      return {Verdict::kDone, std::nullopt};
    case Intent::Kind::kCheck:
      return {Verdict::kDone, old != nullptr ? std::optional<Item>(*old) : std::nullopt};
    case Intent::Kind::kUpdate:
      break;
  }
  std::optional<Item> updated = intent.update.Apply(before);
  if (!updated) return {Verdict::kInvalid, std::nullopt};
  for (const auto& [name, value] : intent.item) (*updated)[name] = value;
  // A value from before the index was there may stay.
  Item changed = *updated;
  std::erase_if(changed, [&](const auto& attribute) {
    const auto found = before.find(attribute.first);
    return found != before.end() && found->second == attribute.second;
  });
  if (IllegalForIndexes(table, changed)) return {Verdict::kInvalid, std::nullopt};
  if (old == nullptr && OnlyClears(intent.update)) return {Verdict::kDone, std::nullopt};
  return {Verdict::kDone, std::move(updated)};
}

Reply Failure(ErrorCode code) {
  Reply reply;
  reply.error = code;
  return reply;
}

// The errors that a call earns before any item is looked at.
std::optional<Reply> RefusedUnread(const Call& call, const State& state) {
  std::set<std::string> keys;
  std::vector<std::string> reasons(call.intents.size(), "None");
  bool any_invalid = false;
  for (const Intent& intent : call.intents) {
    if (state.FindTable(intent.table) == nullptr) return Failure(ErrorCode::kResourceNotFound);
  }
  for (size_t i = 0; i < call.intents.size(); ++i) {
    const Intent& intent = call.intents[i];
    const TableSchema& table = *state.FindTable(intent.table);
    if (intent.kind == Intent::Kind::kPut && IllegalForIndexes(table, intent.item)) {
      reasons[i] = "ValidationError";
      any_invalid = true;
    }
    keys.insert(intent.table + KeyText(table, intent.item));
  }
  if (any_invalid) {
    if (call.kind != Call::Kind::kTransactWrite) return Failure(ErrorCode::kValidation);
    Reply reply = Failure(ErrorCode::kTransactionCanceled);
    reply.reasons = std::move(reasons);
    reply.reason_items.resize(call.intents.size());
    return reply;
  }
  if (keys.size() < call.intents.size()) return Failure(ErrorCode::kValidation);
  return std::nullopt;
}

std::optional<Item> Returned(const Call& call, const Change& change) {
  const auto part = [&](const std::optional<Item>& image) -> std::optional<Item> {
    if (!image || call.intents[0].kind != Intent::Kind::kUpdate) return std::nullopt;
    Item projected = Project(*image, call.intents[0].update.paths());
    if (projected.empty()) return std::nullopt;
    return projected;
  };
  switch (call.return_values) {
    case ReturnValues::kNone:
      return std::nullopt;
    case ReturnValues::kAllOld:
      return change.old_item;
    case ReturnValues::kAllNew:
      return change.new_item;
    case ReturnValues::kUpdatedOld:
      return part(change.old_item);
    case ReturnValues::kUpdatedNew:
      return part(change.new_item);
  }
  return std::nullopt;
}

double UnitsOf(size_t bytes, size_t bytes_per_unit) {
  return static_cast<double>(std::max<size_t>(1, (bytes + bytes_per_unit - 1) / bytes_per_unit));
}

std::string CompareReplies(const Reply& expected, const Reply& actual) {
  if (expected.error != actual.error) return "expected " + Describe(expected);
  if (expected.reasons != actual.reasons) return "expected reasons " + Describe(expected);
  if (expected.reason_items != actual.reason_items) return "wrong items in the reasons";
  if (expected.attributes != actual.attributes) {
    return "expected attributes " + Describe(expected.attributes);
  }
  if (expected.items != actual.items) return "expected " + Describe(expected);
  if (expected.capacity && expected.capacity != actual.capacity) {
    return fmt::format("expected capacity {}", *expected.capacity);
  }
  return "";
}

std::string ExplainGets(const Call& call, const Reply& reply, const State& state) {
  Reply expected;
  double units = 0;
  for (const Target& target : call.targets) {
    const TableSchema* table = state.FindTable(target.table);
    if (table == nullptr) return CompareReplies(Failure(ErrorCode::kResourceNotFound), reply);
    const Item* item = state.FindItem(target.table, KeyText(*table, target.key));
    expected.items.push_back(item != nullptr ? std::optional<Item>(*item) : std::nullopt);
    units += UnitsOf(item != nullptr ? SizeOf(*item) : 0, 4096) * (call.consistent ? 1 : 0.5);
  }
  if (call.kind == Call::Kind::kGet) expected.capacity = units;
  return CompareReplies(expected, reply);
}

int CompareParts(const std::optional<KeyPart>& part, const Item& a, const Item& b) {
  return part ? Compare(a.at(part->name), b.at(part->name)) : 0;
}

int CompareEntries(const TableSchema& table, const IndexSchema* index, const Item& a,
                   const Item& b) {
  if (index != nullptr) {
    if (const int order = CompareParts(index->range, a, b); order != 0) return order;
  }
  if (const int order = CompareParts(table.hash, a, b); order != 0) return order;
  return CompareParts(table.range, a, b);
}

bool InRange(const RangeCondition& range, const Value& value) {
  using Op = RangeCondition::Op;
  if (range.op == Op::kBeginsWith) return value.text.starts_with(range.first.text);
  const int order = Compare(value, range.first);
  switch (range.op) {
    case Op::kEqual:
      return order == 0;
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    case Op::kGreaterEqual:
      return order >= 0;
    case Op::kBetween:
      return order >= 0 && Compare(value, range.second) <= 0;
    case Op::kBeginsWith:
      break;
  }
  return false;
}

Item EntryKey(const TableSchema& table, const IndexSchema* index, const Item& item) {
  Item key = KeyOf(table, item);
  if (index != nullptr) {
    key[index->hash.name] = item.at(index->hash.name);
    if (index->range) key[index->range->name] = item.at(index->range->name);
  }
  return key;
}

// What a page shows of an entry that its filter keeps.
Item Shown(const PageCall& page, const TableSchema& table, const IndexSchema* index,
           const Item& item) {
  const Item kept = index != nullptr ? Kept(table, *index, item) : item;
  return page.projection.empty() ? kept : Project(kept, page.projection);
}

std::string ExplainQuery(const PageCall& page, const Reply& reply, const TableSchema& table,
                         const IndexSchema* index, const State& state) {
  const std::optional<KeyPart>& range_part = index != nullptr ? index->range : table.range;
  std::vector<const Item*> entries = Entries(table, index, page.hash, state);
  std::erase_if(entries, [&](const Item* item) {
    return page.range && !InRange(*page.range, item->at(range_part->name));
  });
  if (!page.forward) std::reverse(entries.begin(), entries.end());
  if (page.start) {
    std::erase_if(entries, [&](const Item* item) {
      const int order = CompareEntries(table, index, *item, *page.start);
      return page.forward ? order <= 0 : order >= 0;
    });
  }
  const bool full = page.limit && static_cast<int64_t>(entries.size()) >= *page.limit;
  if (full) entries.resize(static_cast<size_t>(*page.limit));
  Reply expected;
  expected.scanned = static_cast<int64_t>(entries.size());
  if (full) expected.last_key = EntryKey(table, index, *entries.back());
  for (const Item* item : entries) {
    if (page.filter && !page.filter->Holds(*item)) continue;
    ++expected.count;
    if (!page.count_only) expected.page.push_back(Shown(page, table, index, *item));
  }
  if (expected.page != reply.page || expected.count != reply.count ||
      expected.scanned != reply.scanned || expected.last_key != reply.last_key) {
    return "expected " + Describe(expected);
  }
  return "";
}

// The order of partitions in a scan is the server's own, so a page is checked for what can be said
// without knowing it; see Lockstep for what a whole scan must return.
std::string ExplainScan(const PageCall& page, const Reply& reply, const TableSchema& table,
                        const IndexSchema* index, const State& state) {
  std::vector<const Item*> entries = Entries(table, index, std::nullopt, state);
  const auto total = static_cast<int64_t>(entries.size());
  std::erase_if(entries,
                [&](const Item* item) { return page.filter && !page.filter->Holds(*item); });
  std::vector<Item> shown;
  for (const Item* item : entries) shown.push_back(Shown(page, table, index, *item));
  for (const Item& item : reply.page) {
    const auto found = std::find(shown.begin(), shown.end(), item);
    if (found == shown.end()) return "no such entry, or twice: " + Describe(item);
    shown.erase(found);
  }
  if (!page.count_only && reply.count != static_cast<int64_t>(reply.page.size())) {
    return "wrong count";
  }
  if (reply.last_key.has_value() != (page.limit && reply.scanned == *page.limit)) {
    return "wrong last key";
  }
  if (page.limit && reply.scanned > *page.limit) return "above the limit";
  const bool whole = !reply.last_key && !page.start && page.segments == 1;
  if (whole && reply.scanned != total) return fmt::format("expected to scan {} entries", total);
  if (whole && reply.count != static_cast<int64_t>(entries.size())) {
    return fmt::format("expected {} entries", entries.size());
  }
  return "";
}

std::string ExplainPage(const Call& call, const Reply& reply, const State& state) {
  const TableSchema* table = state.FindTable(call.page.table);
  if (table == nullptr) return CompareReplies(Failure(ErrorCode::kResourceNotFound), reply);
  const IndexSchema* index = nullptr;
  if (call.page.index) {
    index = table->FindIndex(*call.page.index);
    if (index == nullptr) return CompareReplies(Failure(ErrorCode::kValidation), reply);
  }
  if (reply.error) return "expected success";
  return call.page.hash ? ExplainQuery(call.page, reply, *table, index, state)
                        : ExplainScan(call.page, reply, *table, index, state);
}

}  // namespace

WriteExpectation ExpectWrite(const Call& call, const State& state) {
  WriteExpectation expected;
  if (auto refused = RefusedUnread(call, state)) {
    expected.reply = std::move(*refused);
    return expected;
  }
  const bool transaction = call.kind == Call::Kind::kTransactWrite;
  bool refused = false;
  for (const Intent& intent : call.intents) {
    const TableSchema& table = *state.FindTable(intent.table);
    const std::string key_text = KeyText(table, intent.item);
    const Item* old = state.FindItem(intent.table, key_text);
    Decision decision = Decide(table, intent, old);
    const auto old_item = old != nullptr ? std::optional<Item>(*old) : std::nullopt;
    const bool failed = decision.verdict == Verdict::kConditionFailed;
    const bool invalid = decision.verdict == Verdict::kInvalid;
    refused = refused || failed || invalid;
    if (transaction) {
      expected.reply.reasons.push_back(failed ? "ConditionalCheckFailed"
                                              : (invalid ? "ValidationError" : "None"));
      expected.reply.reason_items.push_back(failed && call.return_on_failure ? old_item
                                                                             : std::nullopt);
    } else if (refused) {
      expected.reply.error = failed ? ErrorCode::kConditionalCheckFailed : ErrorCode::kValidation;
      if (failed && call.return_on_failure) expected.reply.attributes = old_item;
    }
    expected.changes.push_back({intent.table, key_text, old_item, std::move(decision.image)});
  }
  if (refused) {
    if (transaction) expected.reply.error = ErrorCode::kTransactionCanceled;
    expected.changes.clear();
    return expected;
  }
  expected.reply.reasons.clear();
  expected.reply.reason_items.clear();
  if (call.kind == Call::Kind::kWrite) {
    const Change& change = expected.changes[0];
    expected.reply.attributes = Returned(call, change);
    expected.reply.capacity = UnitsOf(std::max(change.old_item ? SizeOf(*change.old_item) : 0,
                                               change.new_item ? SizeOf(*change.new_item) : 0),
                                      1024);
  }
  return expected;
}

std::string Contradiction(const Call& call, const Reply& reply, const State& state) {
  if (call.writes()) {
    const Reply expected = ExpectWrite(call, state).reply;
    // Of a table that is missing and an item that is wrong, either may be noticed first.
    const bool either = call.intents.size() > 1 && expected.error == ErrorCode::kResourceNotFound &&
                        reply.error == ErrorCode::kValidation;
    return either ? "" : CompareReplies(expected, reply);
  }
  if (call.kind == Call::Kind::kPage) return ExplainPage(call, reply, state);
  return ExplainGets(call, reply, state);
}

std::vector<const Item*> Entries(const TableSchema& table, const IndexSchema* index,
                                 const std::optional<Value>& hash, const State& state) {
  const KeyPart& hash_part = index != nullptr ? index->hash : table.hash;
  std::vector<const Item*> entries;
  for (const Item* item : state.AllItems(table.name)) {
    if (index != nullptr && !IsIndexed(*index, *item)) continue;
    if (hash && Compare(item->at(hash_part.name), *hash) != 0) continue;
    entries.push_back(item);
  }
  std::sort(entries.begin(), entries.end(),
            [&](const Item* a, const Item* b) { return CompareEntries(table, index, *a, *b) < 0; });
  return entries;
}

const TableSchema* Model::FindTable(const std::string& name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second.schema;
}

const Item* Model::FindItem(const std::string& table, const std::string& key_text) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return nullptr;
  const auto item = found->second.items.find(key_text);
  return item == found->second.items.end() ? nullptr : &item->second;
}

std::vector<const Item*> Model::AllItems(const std::string& table) const {
  std::vector<const Item*> all;
  for (const auto& [key, item] : tables_.at(table).items) all.push_back(&item);
  return all;
}

void Model::CreateTable(const TableSchema& schema) {
  tables_[schema.name] = {schema, {}};
}

void Model::DropTable(const std::string& name) {
  tables_.erase(name);
}

TableSchema* Model::MutableTable(const std::string& name) {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second.schema;
}

std::vector<std::string> Model::TableNames() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

void Model::Set(const std::string& table, const std::string& key_text, std::optional<Item> item) {
  auto& items = tables_.at(table).items;
  if (item) {
    items[key_text] = std::move(*item);
  } else {
    items.erase(key_text);
  }
}

}  // namespace monotable::simulation
