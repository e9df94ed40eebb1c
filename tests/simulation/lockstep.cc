#include "simulation/lockstep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "simulation/audit.h"

namespace monotable::simulation {
namespace {

std::string Report(const Call& call, const Reply& reply, const std::string& problem) {
  return Describe(call) + "\n  was answered " + Describe(reply) + "\n  " + problem;
}

}  // namespace

std::string Lockstep::Run(uint64_t calls) {
  for (const TableSchema& table : {Orders(), Blobs(), Accounts(), Scratch()}) {
    if (server_.CreateTable(table)) return "cannot create " + table.name;
    model_.CreateTable(table);
  }
  for (uint64_t i = 0; i < calls; ++i) {
    if (auto problem = Step(); !problem.empty()) return problem;
    if (i % 500 != 499) continue;
    if (auto problem = Audit(server_, model_); !problem.empty()) {
      return fmt::format("after {} calls {}", performed_, problem);
    }
  }
  return Audit(server_, model_);
}

std::string Lockstep::Step() {
  if (generator_.Chance(1)) return ChangeTables();
  // Also of tables that are not there at the moment.
  static const std::vector<TableSchema> all = {Orders(), Blobs(), Accounts(), Scratch()};
  std::vector<const TableSchema*> tables;
  for (const TableSchema& table : all) {
    const TableSchema* current = model_.FindTable(table.name);
    if (current != nullptr || generator_.Chance(10)) {
      tables.push_back(current != nullptr ? current : &table);
    }
  }
  const Call call = generator_.MakeCall(tables);
  if (call.kind == Call::Kind::kPage && model_.FindTable(call.page.table) != nullptr) {
    return Sweep(call.page);
  }
  if (auto problem = CallOnce(call); !problem.empty()) return problem;
  return call.token ? RetryToken(call) : "";
}

std::string Lockstep::CallOnce(const Call& call) {
  ++performed_;
  const Reply reply = server_.Perform(call);
  if (auto problem = Contradiction(call, reply, model_); !problem.empty()) {
    return Report(call, reply, problem);
  }
  if (!call.writes()) return "";
  for (Change& change : ExpectWrite(call, model_).changes) {
    model_.Set(change.table, change.key_text, std::move(change.new_item));
  }
  return "";
}

// A completed transaction is not done again, and another transaction cannot use its token. A
// cancelled transaction leaves no token behind.
std::string Lockstep::RetryToken(const Call& call) {
  bool done = false;
  for (const Intent& intent : call.intents) {
    const TableSchema* table = model_.FindTable(intent.table);
    if (table == nullptr || intent.kind != Intent::Kind::kPut) continue;
    const Item* item = model_.FindItem(intent.table, KeyText(*table, intent.item));
    done = done || (item != nullptr && item->at("w").text == call.id);
  }
  if (!done) return CallOnce(call);
  ++performed_;
  if (const Reply again = server_.Perform(call); again.error) {
    return Report(call, again, "a retry with the same token should succeed");
  }
  Call other = call;
  other.id += "-other";
  const Reply mismatch = server_.Perform(other);
  if (mismatch.error != ErrorCode::kIdempotentParameterMismatch) {
    return Report(other, mismatch, "the token came with another request");
  }
  return "";
}

std::string Lockstep::Sweep(const PageCall& page) {
  const TableSchema& table = *model_.FindTable(page.table);
  Call call;
  call.kind = Call::Kind::kPage;
  call.page = page;
  std::vector<Item> seen;
  int64_t count = 0;
  int64_t scanned = 0;
  for (call.page.segment = 0; call.page.segment < page.segments; ++call.page.segment) {
    call.page.start.reset();
    do {
      ++performed_;
      const Reply reply = server_.Perform(call);
      if (auto problem = Contradiction(call, reply, model_); !problem.empty()) {
        return Report(call, reply, problem);
      }
      seen.insert(seen.end(), reply.page.begin(), reply.page.end());
      count += reply.count;
      scanned += reply.scanned;
      call.page.start = reply.last_key;
    } while (call.page.start);
  }
  if (page.hash) return "";  // each page of a Query was exact
  const IndexSchema* index = page.index ? table.FindIndex(*page.index) : nullptr;
  int64_t expected_count = 0;
  const auto entries = Entries(table, index, std::nullopt, model_);
  for (const Item* item : entries) {
    if (!page.filter || page.filter->Holds(*item)) ++expected_count;
  }
  if (scanned != static_cast<int64_t>(entries.size()) || count != expected_count) {
    return Describe(call) + fmt::format(
                                "\n  page by page scanned {} and returned {} instead of {} "
                                "and {}",
                                scanned, count, entries.size(), expected_count);
  }
  if (!page.projection.empty() || page.count_only) return "";
  std::vector<std::string> keys;
  for (const Item& item : seen) keys.push_back(KeyText(table, item));
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) {
    return Describe(call) + "\n  returned an item twice";
  }
  return "";
}

std::string Lockstep::ChangeTables() {
  ++performed_;
  if (!generator_.Chance(30)) {
    static const std::vector<std::string> names = {"orders", "blobs", "accounts", "scratch"};
    return ChangeIndexes(generator_.Pick(names));
  }
  const TableSchema scratch = Scratch();
  const bool exists = model_.FindTable(scratch.name) != nullptr;
  const bool create = generator_.Chance(50);
  const auto error = create ? server_.CreateTable(scratch) : server_.DropTable(scratch.name);
  Server::Outcome expected;
  if (create && exists) expected = ErrorCode::kResourceInUse;
  if (!create && !exists) expected = ErrorCode::kResourceNotFound;
  if (error != expected) return create ? "CreateTable went wrong" : "DeleteTable went wrong";
  if (error) return "";
  if (create) {
    model_.CreateTable(scratch);
  } else {
    model_.DropTable(scratch.name);
  }
  return "";
}

std::string Lockstep::ChangeIndexes(const std::string& table_name) {
  TableSchema* table = model_.MutableTable(table_name);
  if (table == nullptr) return "";
  const IndexSchema index = generator_.Pick(table->spare_indexes);
  const bool exists = table->FindIndex(index.name) != nullptr;
  const auto error =
      exists ? server_.RemoveIndex(table_name, index.name) : server_.AddIndex(*table, index);
  if (error) {
    return fmt::format("cannot {} index {} of {}: error {}", exists ? "remove" : "add", index.name,
                       table_name, static_cast<int>(*error));
  }
  server_.Settle();
  if (exists) {
    std::erase_if(table->indexes, [&](const IndexSchema& i) { return i.name == index.name; });
  } else {
    table->indexes.push_back(index);
  }
  return "";
}

}  // namespace monotable::simulation
