#include "simulation/history.h"

#include <algorithm>

#include <fmt/format.h>

namespace monotable::simulation {
namespace {

// Identifies a deletion by the image that it removed.
std::string DeletionName(const std::string& table, const std::string& key_text,
                         const Item& old_item) {
  return table + " " + key_text + " " + old_item.at("w").text;
}

std::string Report(const Event& event, const std::string& problem) {
  return Describe(event.call) + "\n  was answered " + Describe(event.reply) + "\n  " + problem;
}

}  // namespace

class History::Moment : public State {
 public:
  // After the first `commits` commits.
  Moment(const History& history, size_t commits) : history_(history), commits_(commits) {}

  const TableSchema* FindTable(const std::string& name) const override {
    return history_.initial_.FindTable(name);
  }

  const Item* FindItem(const std::string& table, const std::string& key_text) const override {
    const auto found = history_.versions_.find({table, key_text});
    if (found == history_.versions_.end()) return history_.initial_.FindItem(table, key_text);
    const auto after =
        std::partition_point(found->second.begin(), found->second.end(),
                             [&](const auto& version) { return version.first < commits_; });
    if (after == found->second.begin()) return history_.initial_.FindItem(table, key_text);
    const auto& image = std::prev(after)->second;
    return image ? &*image : nullptr;
  }

  std::vector<const Item*> AllItems(const std::string& table) const override {
    std::vector<const Item*> all;
    const TableSchema& schema = *history_.initial_.FindTable(table);
    for (const Item* item : history_.initial_.AllItems(table)) {
      if (!history_.versions_.contains({table, KeyText(schema, *item)})) all.push_back(item);
    }
    for (const auto& [name, versions] : history_.versions_) {
      if (name.first != table) continue;
      if (const Item* item = FindItem(table, name.second)) all.push_back(item);
    }
    return all;
  }

 private:
  const History& history_;
  const size_t commits_;
};

History::History(const Model& initial, std::vector<Event> events, std::vector<LoggedChange> log)
    : initial_(initial), final_(initial), events_(std::move(events)), log_(std::move(log)) {}

std::string History::Check() {
  for (const auto step : {&History::IndexEvents, &History::GroupLog, &History::Replay}) {
    if (auto problem = (this->*step)(); !problem.empty()) return problem;
  }
  if (auto problem = CheckClock(); !problem.empty()) return problem;
  return CheckRest();
}

std::string History::IndexEvents() {
  for (size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (!event.call.writes()) continue;
    by_id_[event.call.id].push_back(i);
    const Intent& first = event.call.intents[0];
    const bool deleted = event.call.kind == Call::Kind::kWrite &&
                         first.kind == Intent::Kind::kDelete && !event.reply.error &&
                         event.reply.attributes;
    if (!deleted) continue;
    const std::string key_text = KeyText(*initial_.FindTable(first.table), first.item);
    const std::string name = DeletionName(first.table, key_text, *event.reply.attributes);
    if (!deletes_.emplace(name, event.call.id).second) {
      return Report(event, "another call deleted the same image of the item");
    }
  }
  return "";
}

std::string History::NameOf(const LoggedChange& change) const {
  return KeyText(*initial_.FindTable(change.table),
                 change.new_item ? *change.new_item : *change.old_item);
}

// Gathers the records of each commit and finds the call that it was.
std::string History::GroupLog() {
  std::sort(log_.begin(), log_.end(), [](const LoggedChange& a, const LoggedChange& b) {
    return std::tie(a.sequence, a.table, a.position) < std::tie(b.sequence, b.table, b.position);
  });
  for (const LoggedChange& change : log_) {
    if (commits_.empty() || commits_.back().sequence != change.sequence) {
      commits_.emplace_back().sequence = change.sequence;
    }
    Commit& commit = commits_.back();
    commit.changes.push_back(&change);
    std::string id;
    if (change.new_item) {
      id = change.new_item->at("w").text;
    } else {
      const auto found =
          deletes_.find(DeletionName(change.table, NameOf(change), *change.old_item));
      if (found != deletes_.end()) id = found->second;
    }
    if (id.empty()) continue;  // a deletion in a transaction or batch, which has an image besides
    if (!commit.id.empty() && commit.id != id) {
      return fmt::format("commit {} holds changes of {} and {}", commit.sequence, commit.id, id);
    }
    commit.id = id;
  }
  for (size_t i = 0; i < commits_.size(); ++i) {
    Commit& commit = commits_[i];
    if (!by_id_.contains(commit.id)) {
      return fmt::format("commit {} is of '{}', which nobody asked for: {} -> {}", commit.sequence,
                         commit.id, Describe(commit.changes[0]->old_item),
                         Describe(commit.changes[0]->new_item));
    }
    if (!committed_.emplace(commit.id, i).second) {
      return Report(events_[by_id_[commit.id][0]], "was committed twice");
    }
    commit.start = UINT64_MAX;
    for (const size_t event : by_id_[commit.id]) {
      commit.start = std::min(commit.start, events_[event].start);
      if (!events_[event].reply.error) commit.end = std::min(commit.end, events_[event].end);
    }
    if (commit.end == UINT64_MAX) {
      return Report(events_[by_id_[commit.id][0]], "failed, but was committed");
    }
  }
  return "";
}

std::string History::Replay() {
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (auto problem = ReplayCommit(commits_[i]); !problem.empty()) return problem;
    for (const LoggedChange* change : commits_[i].changes) {
      versions_[{change->table, NameOf(*change)}].emplace_back(i, change->new_item);
      final_.Set(change->table, NameOf(*change), change->new_item);
    }
  }
  return "";
}

// The commit must be exactly what its call makes of the state before it. final_ is that state.
std::string History::ReplayCommit(const Commit& commit) {
  const auto& events = by_id_[commit.id];
  const Event* succeeded = nullptr;
  for (const size_t event : events) {
    if (events_[event].reply.error) continue;
    if (succeeded == nullptr || events_[event].end < succeeded->end) succeeded = &events_[event];
  }
  const Event& event = *succeeded;
  if (auto problem = Contradiction(event.call, event.reply, final_); !problem.empty()) {
    return Report(event, fmt::format("which commit {} contradicts: {}", commit.sequence, problem));
  }
  std::map<ItemName, const Change*> expected;
  const WriteExpectation expectation = ExpectWrite(event.call, final_);
  for (const Change& change : expectation.changes) {
    if (change.old_item != change.new_item) expected[{change.table, change.key_text}] = &change;
  }
  for (const LoggedChange* logged : commit.changes) {
    const auto found = expected.find({logged->table, NameOf(*logged)});
    if (found == expected.end()) {
      return Report(event,
                    "was logged with a change it does not make: " + Describe(logged->new_item));
    }
    if (logged->old_item != found->second->old_item ||
        logged->new_item != found->second->new_item) {
      return Report(
          event, fmt::format("was logged as {} -> {}\n  instead of {} -> {}",
                             Describe(logged->old_item), Describe(logged->new_item),
                             Describe(found->second->old_item), Describe(found->second->new_item)));
    }
    expected.erase(found);
  }
  if (!expected.empty()) {
    return Report(event, "was logged without its change of " + expected.begin()->first.second);
  }
  return "";
}

std::string History::CheckClock() const {
  const Commit* latest = nullptr;  // of those so far, the one that started last
  for (const Commit& commit : commits_) {
    if (latest != nullptr && commit.end < latest->start) {
      return fmt::format("{} ended before {} started, but was committed after it", commit.id,
                         latest->id);
    }
    if (latest == nullptr || commit.start > latest->start) latest = &commit;
  }
  return "";
}

std::string History::CheckRest() const {
  for (const Event& event : events_) {
    if (auto problem = Explain(event); !problem.empty()) return problem;
  }
  return "";
}

bool History::MayBeRefused(const Call& call) const {
  // Values that an index key cannot have are rare, so being generous here costs little: any string
  // that is empty or long and any boolean may meet an index.
  const auto odd = [](const Value& value) {
    return value.kind == Value::Kind::kBool ||
           (value.kind == Value::Kind::kString && (value.text.empty() || value.text.size() > 1024));
  };
  for (const Intent& intent : call.intents) {
    if (intent.kind == Intent::Kind::kUpdate) return true;  // the old item may hold such a value
    for (const auto& [name, value] : intent.item) {
      if (odd(value)) return true;
    }
  }
  return false;
}

std::string History::Explain(const Event& event) const {
  const Call& call = event.call;
  const Reply& reply = event.reply;
  if (reply.error == ErrorCode::kInternal) return "";  // GroupLog saw that it left nothing behind
  const bool committed = call.writes() && committed_.contains(call.id);
  if (committed && !reply.error) return "";
  if (call.writes() && reply.error && *reply.error != ErrorCode::kConditionalCheckFailed &&
      MayBeRefused(call)) {
    return "";
  }
  if (call.writes() && !reply.error) {
    // A success without a record: only right if it changed nothing.
    const auto changes_nothing = [](const Intent& intent) {
      return intent.kind == Intent::Kind::kDelete || intent.kind == Intent::Kind::kCheck;
    };
    if (!std::all_of(call.intents.begin(), call.intents.end(), changes_nothing)) {
      return Report(event, "but it is not in the change log");
    }
  }
  if (call.kind != Call::Kind::kBatchGet) {
    auto problem = ExplainWithin(call, reply, event.start, event.end);
    return problem.empty() ? "" : Report(event, problem);
  }
  for (size_t i = 0; i < call.targets.size(); ++i) {
    Call single = call;
    single.targets = {call.targets[i]};
    Reply part = reply;
    if (!reply.error) part.items = {reply.items[i]};
    auto problem = ExplainWithin(single, part, event.start, event.end);
    if (!problem.empty()) return Report(event, problem);
  }
  return "";
}

std::string History::ExplainWithin(const Call& call, const Reply& reply, uint64_t start,
                                   uint64_t end) const {
  // Every call that ended before this call started has happened; no call that started after this
  // call ended has.
  size_t first = 0;
  size_t last = commits_.size();
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (commits_[i].end < start) first = i + 1;
    if (commits_[i].start > end) last = std::min(last, i);
  }
  std::string problem = "no moment is left for it";
  for (size_t commits = first; commits <= last; ++commits) {
    problem = Contradiction(call, reply, Moment(*this, commits));
    if (problem.empty()) return "";
  }
  return fmt::format("which none of {} possible moments explains; at the last one {}",
                     last + 1 - std::min(first, last + 1), problem);
}

}  // namespace monotable::simulation
