#include "deploy/plan.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "deploy/requests.h"
#include "table/definition.h"

namespace monotable::deploy {
namespace {

constexpr std::string_view kUpdateTable = "UpdateTable";

std::string Describe(const IndexShape& index) {
  return fmt::format("{} ({}; {})", index.name, DescribeKey(index.key),
                     DescribeProjection(index.projection));
}

std::string Change(std::string_view from, std::string_view to) {
  return fmt::format("is {} and should be {}", from, to);
}

// The differences of one table, as steps where there is a request for them.
class TablePlan {
 public:
  TablePlan(const TableShape& wanted, const TableShape& current, bool keep_protection, Plan* plan)
      : wanted_(wanted), current_(current), keep_protection_(keep_protection), plan_(plan) {}

  void Compare() {
    if (wanted_.key != current_.key) {
      Problem(fmt::format("its key {}; a table cannot change its key",
                          Change(DescribeKey(current_.key), DescribeKey(wanted_.key))));
    }
    CompareLocalIndexes();
    CompareEncryption();
    DeleteIndexes();
    CompareBilling();
    CompareStream();
    CreateIndexes();
    CompareTimeToLive();
    CompareRecovery();
    if (current_.deletion_protection && !wanted_.deletion_protection && keep_protection_) {
      Keep("deletion protection is on");
    } else if (wanted_.deletion_protection != current_.deletion_protection) {
      Add({.line = fmt::format("switch deletion protection {}",
                               wanted_.deletion_protection ? "on" : "off"),
           .request = DeletionProtectionRequest(wanted_.name, wanted_.deletion_protection)});
    }
  }

  // Plans the settings that CreateTable does not take.
  void CompareTimeToLive() {
    const std::string& from = current_.ttl_attribute;
    const std::string& to = wanted_.ttl_attribute;
    if (from == to) return;
    if (!from.empty()) {
      Add({.line = fmt::format("stop expiring items by {}", from),
           .operation = "UpdateTimeToLive",
           .request = TimeToLiveRequest(wanted_.name, from, false)});
      // DynamoDB accepts one change of the time to live an hour.
      if (!to.empty()) Note(fmt::format("deploy again in an hour to expire items by {}", to));
    } else {
      Add({.line = fmt::format("expire items by {}", to),
           .operation = "UpdateTimeToLive",
           .request = TimeToLiveRequest(wanted_.name, to, true)});
    }
  }

  void CompareRecovery() {
    const bool wanted = wanted_.recovery.value_or(false);
    if (!current_.recovery) {
      if (wanted) Note("point-in-time recovery is wanted, but this server does not know it");
      return;
    }
    const bool same_days = !wanted || wanted_.recovery_days == current_.recovery_days;
    if (wanted == *current_.recovery && same_days) return;
    if (keep_protection_ && *current_.recovery &&
        (!wanted || wanted_.recovery_days < current_.recovery_days)) {
      Keep(fmt::format("it keeps {} days for point-in-time recovery", current_.recovery_days));
      return;
    }
    Add({.line = wanted
                     ? fmt::format("keep {} days for point-in-time recovery", wanted_.recovery_days)
                     : "switch point-in-time recovery off",
         .operation = "UpdateContinuousBackups",
         .request = RecoveryRequest(wanted_)});
  }

 private:
  void Add(Step step) {
    step.table = wanted_.name;
    if (step.operation.empty()) step.operation = kUpdateTable;
    plan_->steps.push_back(std::move(step));
  }
  void Problem(std::string_view what) {
    plan_->problems.push_back(fmt::format("Table {}: {}.", wanted_.name, what));
  }
  void Note(std::string_view what) {
    plan_->notes.push_back(fmt::format("Table {}: {}.", wanted_.name, what));
  }

  void Keep(std::string_view what) {
    Note(
        fmt::format("{}, which the model does not ask for; left as it is. To change it, use "
                    "monotable model deploy",
                    what));
  }

  // Local indexes are created and deleted with their table.
  void CompareLocalIndexes() {
    for (const IndexShape& index : wanted_.indexes) {
      const IndexShape* current = current_.FindIndex(index.name);
      const bool was_local = current != nullptr && current->kind == table::IndexKind::kLocal;
      if (index.kind != table::IndexKind::kLocal && !was_local) continue;
      if (current == nullptr) {
        Problem(fmt::format(
            "it lacks the local index {}; a local index can only be created with its table",
            Describe(index)));
      } else if (*current != index) {
        Problem(fmt::format("its index {} differs; local indexes cannot change", index.name));
      }
    }
    for (const IndexShape& index : current_.indexes) {
      if (index.kind == table::IndexKind::kLocal && wanted_.FindIndex(index.name) == nullptr) {
        Problem(fmt::format("it has the local index {}, which cannot be deleted", index.name));
      }
    }
  }

  // Keys are not compared, because a table that is encrypted with an alias reports the key behind
  // the alias.
  void CompareEncryption() {
    if (wanted_.encrypted && !current_.encrypted) {
      Add({.line = fmt::format("encrypt with {}", wanted_.encryption_key.empty()
                                                      ? "the managed key"
                                                      : wanted_.encryption_key),
           .request = EncryptionRequest(wanted_)});
    }
    if (!wanted_.encrypted && current_.encrypted) {
      Note("it is encrypted with a KMS key, which the model does not ask for; left as it is");
    }
  }

  bool IsGlobal(const IndexShape& index) const { return index.kind == table::IndexKind::kGlobal; }

  // Whether the index stays unchanged.
  bool Keeps(const IndexShape& current) const {
    const IndexShape* wanted = wanted_.FindIndex(current.name);
    return wanted != nullptr && *wanted == current;
  }

  void DeleteIndexes() {
    for (const IndexShape& index : current_.indexes) {
      if (!IsGlobal(index) || Keeps(index)) continue;
      const IndexShape* wanted = wanted_.FindIndex(index.name);
      if (wanted != nullptr && !IsGlobal(*wanted)) continue;  // a problem already
      Add({.line = wanted == nullptr ? fmt::format("delete index {}", index.name)
                                     : fmt::format("delete index {} to create it anew: its {}",
                                                   index.name, WhatDiffers(index, *wanted)),
           .request = DeleteIndexRequest(wanted_.name, index.name),
           .destructive = true});
    }
  }

  static std::string WhatDiffers(const IndexShape& current, const IndexShape& wanted) {
    if (current.key != wanted.key) {
      return "key " + Change(DescribeKey(current.key), DescribeKey(wanted.key));
    }
    return "projection " +
           Change(DescribeProjection(current.projection), DescribeProjection(wanted.projection));
  }

  void CreateIndexes() {
    for (const IndexShape& index : wanted_.indexes) {
      if (!IsGlobal(index)) continue;
      const IndexShape* current = current_.FindIndex(index.name);
      if (current != nullptr && (!IsGlobal(*current) || *current == index)) continue;
      Add({.line = fmt::format("create index {}", Describe(index)),
           .request = CreateIndexRequest(wanted_, index)});
    }
  }

  void CompareBilling() {
    if (wanted_.billing == current_.billing) return;
    // The indexes that exist at this step; no new index has been created yet.
    TableShape kept = wanted_;
    std::erase_if(kept.indexes, [&](const IndexShape& index) {
      const IndexShape* current = current_.FindIndex(index.name);
      return current == nullptr || *current != index;
    });
    const bool on_demand = wanted_.billing == table::BillingMode::kPayPerRequest;
    Add({.line = on_demand
                     ? std::string("bill on demand")
                     : fmt::format("provision {} read and {} write units",
                                   wanted_.throughput.read_units, wanted_.throughput.write_units),
         .request = BillingRequest(kept)});
  }

  // A stream with different images is a new stream.
  void CompareStream() {
    if (wanted_.stream == current_.stream) return;
    if (current_.stream) {
      Add({.line = fmt::format("stop the stream of {}", table::StreamViewName(*current_.stream)),
           .request = StreamRequest(wanted_.name, std::nullopt),
           .destructive = true});
    }
    if (wanted_.stream) {
      Add({.line = fmt::format("start a stream of {}", table::StreamViewName(*wanted_.stream)),
           .request = StreamRequest(wanted_.name, wanted_.stream)});
    }
  }

  const TableShape& wanted_;
  const TableShape& current_;
  const bool keep_protection_;
  Plan* plan_;
};

Step CreateTableStep(const TableShape& wanted) {
  std::string line = fmt::format("create table ({}", DescribeKey(wanted.key));
  if (!wanted.indexes.empty()) {
    std::vector<std::string> names;
    for (const IndexShape& index : wanted.indexes) names.push_back(index.name);
    line += fmt::format("; {} {}", names.size() == 1 ? "index" : "indexes", fmt::join(names, ", "));
  }
  return {.table = wanted.name,
          .line = line + ")",
          .operation = "CreateTable",
          .request = CreateTableRequest(wanted)};
}

void PlanNewTable(const TableShape& wanted, const Call& call, Plan* plan) {
  plan->steps.push_back(CreateTableStep(wanted));
  TableShape created = wanted;
  created.ttl_attribute.clear();
  // A server that has point-in-time recovery answers this question with an error about the missing
  // table.
  const auto answer = call("DescribeContinuousBackups", TableNameRequest(wanted.name));
  created.recovery.reset();
  if (answer || answer.error().code() != ErrorCode::kUnknownOperation) created.recovery = false;
  TablePlan settings(wanted, created, /*keep_protection=*/false, plan);
  settings.CompareTimeToLive();
  settings.CompareRecovery();
}

// An adopted table is somebody else's: it must have what the model uses, and may have more.
void CheckAdopted(const TableShape& wanted, const TableShape& current, Plan* plan) {
  const auto problem = [&](std::string_view what) {
    plan->problems.push_back(
        fmt::format("Table {} is adopted, so it is not changed, but {}.", wanted.name, what));
  };
  if (wanted.key != current.key) {
    problem("its key " + Change(DescribeKey(current.key), DescribeKey(wanted.key)));
  }
  for (const IndexShape& index : wanted.indexes) {
    const IndexShape* found = current.FindIndex(index.name);
    if (found == nullptr) {
      problem(fmt::format("it lacks index {}", Describe(index)));
    } else if (*found != index) {
      problem(
          fmt::format("its index {} {}", index.name, Change(Describe(*found), Describe(index))));
    }
  }
  if (!wanted.ttl_attribute.empty() && wanted.ttl_attribute != current.ttl_attribute) {
    problem(fmt::format("its items do not expire by {}", wanted.ttl_attribute));
  }
  if (wanted.stream && wanted.stream != current.stream) {
    problem(fmt::format("it has no stream of {}", table::StreamViewName(*wanted.stream)));
  }
}

}  // namespace

bool Plan::destructive() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.destructive; });
}

Result<Plan> PlanDeployment(const model::Model& model, const PlanOptions& options,
                            const Call& call) {
  Plan plan;
  for (const model::TableModel& table : model.tables) {
    TRY_ASSIGN(const TableShape wanted, WantedTable(model, table, options.target));
    TRY_ASSIGN(const auto current, ReadTable(call, wanted.name));
    if (current && table.adopt) {
      CheckAdopted(wanted, *current, &plan);
    } else if (current) {
      TablePlan(wanted, *current, options.keep_protection, &plan).Compare();
    } else if (!table.adopt || options.create_adopted) {
      PlanNewTable(wanted, call, &plan);
    } else {
      plan.problems.push_back(fmt::format(
          "Table {} is adopted, so it is not created, but there is none.", wanted.name));
    }
  }
  return plan;
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{5};
constexpr milliseconds kLongestPause{1000};

// Waits until the table and its indexes accept the next change. Time is counted in pauses, so that
// patience does not depend on a clock.
Status WaitUntilActive(const std::string& table, const Call& call, const ApplyOptions& options) {
  milliseconds waited{0};
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    TRY_ASSIGN(const bool active, IsActive(call, table));
    if (active) return {};
    if (waited >= options.patience) {
      return Error(ErrorCode::kUnavailable, fmt::format("Table {} is not active after {} seconds.",
                                                        table, options.patience.count()));
    }
    if (options.pause) {
      options.pause(pause);
    } else {
      std::this_thread::sleep_for(pause);
    }
    waited += pause;
  }
}

Status Check(const Plan& plan, bool allow_destructive) {
  if (!plan.problems.empty()) return Error::Validation(plan.problems.front());
  if (!plan.destructive() || allow_destructive) return {};
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [](const Step& each) { return each.destructive; });
  return Error::Validation(fmt::format(
      "Table {}: '{}' takes something away from clients. To allow that, use monotable model "
      "deploy --allow-destructive.",
      step->table, step->line));
}

}  // namespace

Status ApplyPlan(const Plan& plan, const Call& call, const ApplyOptions& options) {
  TRY(Check(plan, options.allow_destructive));
  for (const Step& step : plan.steps) {
    if (options.progress) options.progress(step);
    if (step.operation != "CreateTable") TRY(WaitUntilActive(step.table, call, options));
    if (auto answer = call(step.operation, step.request); !answer) {
      const Error& error = answer.error();
      return Error(error.code(), fmt::format("Table {}: could not {}: {}", step.table, step.line,
                                             error.message()));
    }
    TRY(WaitUntilActive(step.table, call, options));
  }
  return {};
}

}  // namespace monotable::deploy
