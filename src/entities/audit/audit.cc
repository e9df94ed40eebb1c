#include "entities/audit/audit.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/audit/item_audit.h"
#include "entities/problem.h"
#include "entities/write/key_locks.h"
#include "work/meter.h"

namespace monotable::entities {
namespace {

constexpr size_t kMaxBreaches = 500;  // of a page, beyond those of its last item
constexpr std::chrono::milliseconds kMaxPageTime{500};
constexpr int kMaxLooks = 50;

// The tables of a model, one after the other. A position is the name of a table and the stored key
// of the last item that was looked at there.
struct PagePosition {
  size_t table = 0;   // of the model
  std::string after;  // empty: from the beginning of the table
};

std::string PositionText(const std::string& table_name, std::string_view after) {
  return table_name + '\0' + std::string(after);
}

Result<PagePosition> ReadPosition(const Application& application, std::string_view text) {
  PagePosition position;
  if (text.empty()) return position;
  const size_t end = text.find('\0');
  const auto& tables = application.model().tables;
  const auto found = std::ranges::find_if(tables, [&](const model::TableModel& table) {
    return application.TableName(table.id) == text.substr(0, end);
  });
  if (end == std::string_view::npos || found == tables.end()) {
    return Error::Validation(
        "The position is not one of this model. Begin again without a position.");
  }
  position.table = static_cast<size_t>(found - tables.begin());
  position.after = text.substr(end + 1);
  return position;
}

// One page of an audit. Not thread-safe.
class PageAudit {
 public:
  PageAudit(engine::Engine& engine, const Application& application,
            const std::vector<const Application*>& others, const AuditRequest& request)
      : engine_(engine), application_(application), others_(others), request_(request) {}

  Result<AuditPage> Run() {
    TRY_ASSIGN(PagePosition position, ReadPosition(application_, request_.position));
    const auto& tables = application_.model().tables;
    for (const model::TableModel& table : tables) {
      if (const auto found = engine_.catalog().Find(application_.TableName(table.id))) {
        page_.total += engine_.Counter(encoding::ItemCountKey(found->id, encoding::kTableItems));
      }
    }
    for (; position.table < tables.size() && page_.next.empty(); ++position.table) {
      TRY(LookAtTable(tables[position.table], position.after));
      position.after.clear();
    }
    return std::move(page_);
  }

 private:
  Status LookAtTable(const model::TableModel& model, const std::string& after) {
    const auto& entities = application_.entities();
    const auto first =
        std::ranges::find_if(entities, [&](const auto& entity) { return entity->table == &model; });
    if (first == entities.end()) return {};  // a table without entities has no rules
    TRY_ASSIGN(engine::TablePtr table, engine_.FindTable(application_.TableName(model.id)));
    AuditedTable audited{application_, model, std::move(table), **first, {}};
    for (const Application* other : others_) {
      if (other->FindTable(audited.table->name) != nullptr) audited.sharing.push_back(other);
    }
    TRY(LookAtItems(audited, after));
    for (const auto& counted : std::exchange(numbers_, {})) {
      TRY(Settle(audited, [&](ItemAudit& audit) {
        return audit.LookAtCounter(*counted.first, counted.second);
      }));
    }
    return {};
  }

  Status LookAtItems(const AuditedTable& audited, const std::string& after) {
    storage::Range range = encoding::ItemsRange(audited.table->id, encoding::kTableItems);
    if (!after.empty()) {
      if (!range.Contains(after)) {
        return Error::Validation(
            fmt::format("Table {} was created again since the position was given. Begin again "
                        "without a position.",
                        audited.table->name));
      }
      range.begin = after + '\0';
    }
    const auto cursor = engine_.store().Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      if (IsFull()) {
        page_.next = PositionText(audited.table->name, last_key_);
        return {};
      }
      last_key_ = cursor->key();
      // The item is read, decoded and compared.
      if (!work::Charge(work::kCursorStepUnits + 8 * cursor->value().size())) {
        return work::StopError();
      }
      TRY(Settle(audited, [&](ItemAudit& audit) { return audit.LookAt(last_key_); }));
      ++page_.items;
    }
    return cursor->status();
  }

  bool IsFull() const {
    if (page_.items == 0) return false;
    return static_cast<size_t>(page_.items) >= request_.limit ||
           page_.breaches.size() >= kMaxBreaches ||
           std::chrono::steady_clock::now() - begin_ >= kMaxPageTime;
  }

  // Looks at something until nothing changes between the look and the decision.
  Status Settle(const AuditedTable& audited, const std::function<Status(ItemAudit&)>& look) {
    for (int i = 0; i < kMaxLooks; ++i) {
      // The locks of writers would only make them wait. The comparison is enough.
      KeyLocks own_locks;
      Draft draft(engine_, KeyLocks::Holder(own_locks), engine_.clock().NowMs());
      ItemAudit audit(audited, request_.repair, &draft);
      const Status looked = look(audit);
      if (!looked && looked.error().code() == ErrorCode::kTransactionConflict) continue;
      TRY(looked);
      TRY_ASSIGN(const bool decided, Decide(&audit, draft));
      if (!decided) continue;
      for (const auto& [entity, used] : audit.numbers()) {
        UsedNumber& most = numbers_[entity];
        if (used.number > most.number) most = used;
      }
      std::ranges::move(audit.breaches(), std::back_inserter(page_.breaches));
      return {};
    }
    Breach changing;
    changing.kind = Breach::Kind::kChanging;
    changing.table_name = audited.table->name;
    TRY_ASSIGN(const auto image, engine::ReadItem(engine_.store().Latest(), last_key_));
    if (!image) return {};
    TRY_ASSIGN(changing.key, engine::KeyOf(*audited.table, encoding::ItemView(*image)));
    changing.message = "Other writes changed the item, or what belongs to it, at every look.";
    changing.remedy = "Run the command again when there are fewer writes.";
    page_.breaches.push_back(std::move(changing));
    return {};
  }

  // Writes what the draft corrects, or has the engine compare what the draft has seen. False if
  // something has changed meanwhile.
  Result<bool> Decide(ItemAudit* audit, const Draft& draft) {
    if (audit->breaches().empty() && !audit->has_corrections()) return true;
    auto request = draft.Build();
    if (!request) {
      if (ProblemOf(request.error()) == nullptr) return request.error();
      audit->GiveUpRepairs("The repair is refused: " + request.error().message());
      return true;
    }
    if (work::Stopped()) return work::StopError();
    const auto outcome = engine::WriteAndWait(engine_, *std::move(request));
    if (!outcome) {
      if (outcome.error().code() == ErrorCode::kTransactionConflict) return false;
      return outcome.error();
    }
    for (const engine::ItemOutcome& item : outcome->items) {
      if (item.error) audit->GiveUpRepairs("The repair is refused: " + item.error->message());
    }
    if (!request_.repair) return true;
    for (Breach& breach : audit->breaches()) {
      if (breach.state != Breach::State::kUndecided) breach.state = Breach::State::kRepaired;
    }
    return true;
  }

  engine::Engine& engine_;
  const Application& application_;
  const std::vector<const Application*>& others_;
  const AuditRequest& request_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  AuditPage page_;
  std::string last_key_;
  std::map<const Entity*, UsedNumber> numbers_;  // of this page
};

}  // namespace

std::string_view KindName(Breach::Kind kind) {
  switch (kind) {
    case Breach::Kind::kKey:
      return "key";
    case Breach::Kind::kIndexKey:
      return "index_key";
    case Breach::Kind::kType:
      return "type";
    case Breach::Kind::kVersion:
      return "version";
    case Breach::Kind::kExpiry:
      return "expiry";
    case Breach::Kind::kValue:
      return "value";
    case Breach::Kind::kUnknownAttribute:
      return "unknown_attribute";
    case Breach::Kind::kUnknownItem:
      return "unknown_item";
    case Breach::Kind::kDerived:
      return "derived";
    case Breach::Kind::kCopy:
      return "copy";
    case Breach::Kind::kMissingReference:
      return "missing_reference";
    case Breach::Kind::kMissingParent:
      return "missing_parent";
    case Breach::Kind::kOtherTenant:
      return "other_tenant";
    case Breach::Kind::kSecondChild:
      return "second_child";
    case Breach::Kind::kAssertion:
      return "assertion";
    case Breach::Kind::kMissingMarker:
      return "missing_marker";
    case Breach::Kind::kStaleMarker:
      return "stale_marker";
    case Breach::Kind::kDuplicate:
      return "duplicate";
    case Breach::Kind::kCounter:
      return "counter";
    case Breach::Kind::kStaleJob:
      return "stale_job";
    case Breach::Kind::kChanging:
      return "changing";
  }
  return "";
}

std::string_view StateName(Breach::State state) {
  switch (state) {
    case Breach::State::kRepairable:
      return "repairable";
    case Breach::State::kRepaired:
      return "repaired";
    case Breach::State::kUndecided:
      return "undecided";
    case Breach::State::kNote:
      return "note";
  }
  return "";
}

Result<AuditPage> AuditModel(engine::Engine& engine, const Application& application,
                             const std::vector<const Application*>& others,
                             const AuditRequest& request) {
  return PageAudit(engine, application, others, request).Run();
}

}  // namespace monotable::entities
