#include "simulation/crowd.h"

#include <thread>
#include <utility>

#include <fmt/format.h>

#include "simulation/audit.h"

namespace monotable::simulation {
namespace {

// What the calls of a round added to the counters of the accounts table.
int64_t Counted(const std::vector<Event>& events) {
  int64_t sum = 0;
  for (const Event& event : events) {
    if (event.reply.error || event.call.kind != Call::Kind::kWrite) continue;
    const Intent& intent = event.call.intents[0];
    if (intent.table != "accounts") continue;
    for (const Action& action : intent.update.actions) {
      if (action.op == Action::Op::kAdd) sum += action.operand.number;
    }
  }
  return sum;
}

}  // namespace

std::string Crowd::CreateTables() {
  scratch_ = Scratch();
  for (const TableSchema& table : {orders_, blobs_, accounts_, *scratch_}) {
    Server::Outcome error = server_.CreateTable(table);
    while (error == ErrorCode::kInternal) error = server_.CreateTable(table);
    if (error) return "cannot create " + table.name;
    model_.CreateTable(table);
  }
  return "";
}

std::string Crowd::RunRound(uint64_t calls) {
  ++round_;
  // Clients do not know which indexes exist at a given moment, so they only read those that stay,
  // and the model ignores the others, too.
  for (const TableSchema& table : {Orders(), Blobs(), Accounts()}) {
    *model_.MutableTable(table.name) = table;
  }
  std::vector<std::vector<LoggedChange>> before;
  for (const auto* table : {&orders_, &blobs_, &accounts_}) {
    before.push_back(server_.ReadLog(*table));
  }
  stop_ = false;
  std::vector<std::vector<Event>> events(clients_);
  std::vector<std::thread> threads;
  for (uint64_t client = 0; client < clients_; ++client) {
    Generator generator(seed_ * 1000003 + round_ * 1009 + client,
                        fmt::format("r{}c{}", round_, client));
    threads.emplace_back(
        [this, generator, calls, out = &events[client]] { RunClient(generator, calls, out); });
  }
  std::thread changer(&Crowd::ChangeTables, this,
                      Generator(seed_ * 7919 + round_, fmt::format("r{}t", round_)));
  for (std::thread& thread : threads) thread.join();
  stop_ = true;
  changer.join();
  server_.Settle();

  std::vector<Event> all;
  for (auto& list : events) std::move(list.begin(), list.end(), std::back_inserter(all));
  counted_ += Counted(all);
  std::vector<LoggedChange> log;
  size_t position = 0;
  for (const auto* table : {&orders_, &blobs_, &accounts_}) {
    auto now = server_.ReadLog(*table);
    const size_t old = before[position++].size();
    if (now.size() < old) return "the change log of " + table->name + " got shorter";
    log.insert(log.end(), now.begin() + static_cast<ptrdiff_t>(old), now.end());
  }
  History history(model_, std::move(all), std::move(log));
  if (auto problem = history.Check(); !problem.empty()) return problem;
  model_ = history.final_state();
  for (const auto* table : {&orders_, &blobs_, &accounts_}) {
    *model_.MutableTable(table->name) = *table;
  }
  if (auto problem = FindScratch(); !problem.empty()) return problem;
  return CheckContents();
}

std::string Crowd::CheckContents() {
  auto problem = Audit(server_, model_);
  // A counter that a faulty store fails to read counts as zero. A real mistake persists when the
  // audit is repeated.
  for (int i = 0; !problem.empty() && server_.is_faulty() && i < 100; ++i) {
    problem = Audit(server_, model_);
  }
  return problem.empty() ? AuditAccounts(model_, counted_) : problem;
}

// The model does not know the contents of the scratch table, but the table's own change log does.
std::string Crowd::FindScratch() {
  model_.DropTable("scratch");
  if (!scratch_) return "";
  model_.CreateTable(*scratch_);
  for (const LoggedChange& change : server_.ReadLog(*scratch_)) {
    const Item& item = change.new_item ? *change.new_item : *change.old_item;
    const std::string key_text = KeyText(*scratch_, item);
    const Item* before = model_.FindItem("scratch", key_text);
    if ((before != nullptr ? std::optional<Item>(*before) : std::nullopt) != change.old_item) {
      return "the change log of scratch does not add up at " + key_text;
    }
    model_.Set("scratch", key_text, change.new_item);
  }
  return "";
}

void Crowd::RunClient(Generator generator, uint64_t calls, std::vector<Event>* events) {
  static const TableSchema orders = Orders();
  static const TableSchema blobs = Blobs();
  static const TableSchema accounts = Accounts();
  for (uint64_t i = 0; i < calls; ++i) {
    if (generator.Chance(20)) {
      UseAccounts(&generator, events);
    } else if (generator.Chance(10)) {
      UseScratch(&generator);
    } else if (generator.Chance(10)) {
      Record(generator.MakeRead({&accounts, &orders}), events);
    } else {
      Call call = generator.MakeCall({&orders, &blobs});
      if (call.kind == Call::Kind::kPage) {
        SweepPages(std::move(call), events);
      } else if (call.token) {
        RecordTwice(call, events);
      } else {
        Record(call, events);
      }
    }
  }
}

void Crowd::Record(const Call& call, std::vector<Event>* events) {
  Event event;
  event.call = call;
  event.start = ++clock_;
  event.reply = server_.Perform(call);
  event.end = ++clock_;
  events->push_back(std::move(event));
  ++performed_;
}

// A transaction with a token is sent twice at the same time and must be done once.
void Crowd::RecordTwice(const Call& call, std::vector<Event>* events) {
  Event first;
  first.call = call;
  first.start = ++clock_;
  Event second = first;
  auto reply = server_.Begin(call);
  second.reply = server_.Begin(call).get();
  second.end = ++clock_;
  first.reply = reply.get();
  first.end = ++clock_;
  events->push_back(std::move(first));
  events->push_back(std::move(second));
  performed_ += 2;
}

void Crowd::SweepPages(Call call, std::vector<Event>* events) {
  for (call.page.segment = 0; call.page.segment < call.page.segments; ++call.page.segment) {
    call.page.start.reset();
    do {
      Record(call, events);
      call.page.start = events->back().reply.last_key;
    } while (call.page.start);
  }
}

void Crowd::UseAccounts(Generator* generator, std::vector<Event>* events) {
  if (generator->Chance(60)) return Record(generator->MakeAccountCall(), events);
  Call read;
  read.id = generator->NextId();
  read.targets = {generator->MakeUserTarget()};
  Record(read, events);
  const Reply& reply = events->back().reply;
  if (reply.error || !reply.items[0]) return;
  Record(generator->MakeUserCall(*reply.items[0]), events);
}

// The table comes and goes, so a single reply cannot be checked.
void Crowd::UseScratch(Generator* generator) {
  static const TableSchema scratch = Scratch();
  server_.Perform(generator->MakeCall({&scratch}));
  ++performed_;
}

void Crowd::ChangeTables(Generator generator) {
  while (!stop_) {
    switch (generator.Below(4)) {
      case 0:
        ChangeIndexes(&generator, &orders_);
        break;
      case 1:
        ChangeIndexes(&generator, &blobs_);
        break;
      case 2:
        ChangeIndexes(&generator, &accounts_);
        break;
      default:
        if (scratch_ && generator.Chance(50)) {
          ChangeIndexes(&generator, &*scratch_);
        } else if (scratch_) {
          if (!server_.DropTable("scratch")) scratch_.reset();
        } else if (!server_.CreateTable(Scratch())) {
          scratch_ = Scratch();
        }
    }
    ++performed_;
    if (generator.Chance(70)) server_.Settle();
  }
}

void Crowd::ChangeIndexes(Generator* generator, TableSchema* table) {
  const IndexSchema index = generator->Pick(table->spare_indexes);
  if (table->FindIndex(index.name) != nullptr) {
    if (server_.RemoveIndex(table->name, index.name)) return;
    std::erase_if(table->indexes, [&](const IndexSchema& i) { return i.name == index.name; });
  } else if (!server_.AddIndex(*table, index)) {
    table->indexes.push_back(index);
  }
}

}  // namespace monotable::simulation
