#include "simulation/audit.h"

#include <map>

#include <fmt/format.h>

#include "engine/write.h"
#include "operations/tables.h"

namespace monotable::simulation {
namespace {

// All entries of a table or index, in the order of KeyText.
Result<std::map<std::string, Item>> ScanAll(Server& server, const TableSchema& table,
                                            const IndexSchema* index) {
  Call call;
  call.kind = Call::Kind::kPage;
  call.page.table = table.name;
  if (index != nullptr) call.page.index = index->name;
  call.page.limit = 7;
  std::map<std::string, Item> all;
  do {
    const Reply reply = server.PerformSurely(call);
    if (reply.error) return Error::Internal("cannot scan: " + reply.message);
    for (const Item& item : reply.page) {
      if (!all.emplace(KeyText(table, item), item).second) {
        return Error::Internal("scanned twice: " + Describe(item));
      }
    }
    call.page.start = reply.last_key;
  } while (call.page.start);
  return all;
}

std::string Difference(const std::map<std::string, Item>& expected,
                       const std::map<std::string, Item>& actual) {
  for (const auto& [key, item] : expected) {
    const auto found = actual.find(key);
    if (found == actual.end()) return "lacks " + Describe(item);
    if (found->second != item) {
      return "has " + Describe(found->second) + "\n  instead of " + Describe(item);
    }
  }
  for (const auto& [key, item] : actual) {
    if (!expected.contains(key)) return "has " + Describe(item) + ", which should not be there";
  }
  return "";
}

std::string CompareFigures(const std::map<std::string, Item>& expected,
                           const operations::TableDescription::Figures& figures) {
  size_t bytes = 0;
  for (const auto& [key, item] : expected) bytes += SizeOf(item);
  if (figures.item_count == static_cast<int64_t>(expected.size()) &&
      figures.size_bytes == static_cast<int64_t>(bytes)) {
    return "";
  }
  return fmt::format("counts {} items and {} bytes instead of {} and {}", figures.item_count,
                     figures.size_bytes, expected.size(), bytes);
}

std::string AuditCollections(Server& server, const TableSchema& table, const Model& model) {
  const auto definition = server.engine().catalog().Find(table.name);
  if (!definition->HasLocalIndex()) return "";
  std::map<std::string, int64_t> bytes;
  std::map<std::string, Item> keys;
  for (const Item* item : model.AllItems(table.name)) {
    const std::string hash = Describe(item->at(table.hash.name));
    keys[hash] = KeyOf(table, *item);
    bytes[hash] += static_cast<int64_t>(SizeOf(*item));
    for (const IndexSchema& index : table.indexes) {
      if (!index.local || !IsIndexed(index, *item)) continue;
      bytes[hash] += static_cast<int64_t>(SizeOf(Kept(table, index, *item)));
    }
  }
  for (const auto& [hash, key] : keys) {
    const int64_t counted =
        server.engine().Counter(engine::CollectionKey(*definition, ToServer(key)));
    if (counted != bytes[hash]) {
      return fmt::format("collection {} counts {} bytes instead of {}", hash, counted, bytes[hash]);
    }
  }
  return "";
}

std::string AuditTable(Server& server, const TableSchema& table, const Model& model) {
  const auto description = operations::DescribeTable(server.engine(), table.name);
  if (!description) return "cannot be described: " + description.error().message();
  const auto& definition = *description->definition;
  if (definition.indexes.size() != table.indexes.size()) {
    return fmt::format("has {} indexes instead of {}", definition.indexes.size(),
                       table.indexes.size());
  }
  const auto check = [&](const IndexSchema* index,
                         const operations::TableDescription::Figures& figures) -> std::string {
    std::map<std::string, Item> expected;
    for (const Item* item : Entries(table, index, std::nullopt, model)) {
      expected[KeyText(table, *item)] = index != nullptr ? Kept(table, *index, *item) : *item;
    }
    const auto actual = ScanAll(server, table, index);
    if (!actual) return actual.error().message();
    if (auto difference = Difference(expected, *actual); !difference.empty()) return difference;
    return CompareFigures(expected, figures);
  };
  if (auto problem = check(nullptr, description->figures); !problem.empty()) return problem;
  for (const IndexSchema& index : table.indexes) {
    const auto found = description->index_figures.find(index.name);
    if (found == description->index_figures.end()) return "has no index " + index.name;
    if (found->second.backfilling) return "still fills " + index.name;
    if (auto problem = check(&index, found->second); !problem.empty()) {
      return "index " + index.name + " " + problem;
    }
  }
  return AuditCollections(server, table, model);
}

}  // namespace

std::string Audit(Server& server, const Model& model) {
  const auto names = operations::ListTables(server.engine(), {});
  if (!names) return "cannot list tables";
  if (names->table_names != model.TableNames()) return "there are other tables than there should";
  for (const std::string& name : model.TableNames()) {
    auto problem = AuditTable(server, *model.FindTable(name), model);
    if (!problem.empty()) return "table " + name + " " + problem;
  }
  return "";
}

std::string AuditAccounts(const Model& model, int64_t counted) {
  std::map<std::string, std::string> emails;  // by user
  std::map<std::string, std::string> claims;  // users by e-mail address
  int64_t sum = 0;
  for (const Item* item : model.AllItems("accounts")) {
    const std::string& id = item->at("id").text;
    if (id.starts_with("user#")) emails[id] = item->at("email").text;
    if (id.starts_with("email#")) claims[id.substr(6)] = item->at("owner").text;
    if (id.starts_with("counter#")) sum += item->at("n").number;
  }
  if (emails.size() != claims.size()) {
    return fmt::format("{} users have {} claims", emails.size(), claims.size());
  }
  for (const auto& [user, email] : emails) {
    if (claims[email] != user) return user + " has " + email + ", which " + claims[email] + " owns";
  }
  if (sum != counted) return fmt::format("counters hold {} instead of {}", sum, counted);
  return "";
}

}  // namespace monotable::simulation
