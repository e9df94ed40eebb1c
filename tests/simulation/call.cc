#include "simulation/call.h"

#include <fmt/format.h>

namespace monotable::simulation {
namespace {

// An expression with its placeholders spelled out, for people.
std::string Explain(std::string text, const Placeholders& placeholders) {
  const auto attributes = placeholders.attributes();
  text += " with";
  if (attributes.names) {
    for (const auto& [name, meaning] : *attributes.names) text += " " + name + "=" + meaning;
  }
  if (attributes.values) {
    for (const auto& [name, meaning] : *attributes.values) {
      text += " " + name + "=" + Describe(FromServer(meaning));
    }
  }
  return text;
}

std::string DescribePage(const PageCall& page) {
  std::string text = (page.hash ? "Query " : "Scan ") + page.table;
  if (page.index) text += "/" + *page.index;
  if (page.hash) text += " hash=" + Describe(*page.hash);
  if (page.range) {
    text += fmt::format(" range op {} {} {}", static_cast<int>(page.range->op),
                        Describe(page.range->first), Describe(page.range->second));
  }
  Placeholders placeholders;
  if (page.filter) text += " filter " + Explain(page.filter->Print(&placeholders), placeholders);
  if (page.limit) text += fmt::format(" limit={}", *page.limit);
  if (!page.forward) text += " backward";
  if (page.count_only) text += " count";
  if (page.segments > 1) text += fmt::format(" segment={}/{}", page.segment, page.segments);
  if (page.start) text += " after " + Describe(*page.start);
  return text;
}

}  // namespace

std::string Describe(const Intent& intent) {
  static constexpr const char* kNames[] = {"put", "update", "delete", "check"};
  std::string text = fmt::format("{} {} {}", kNames[static_cast<int>(intent.kind)], intent.table,
                                 Describe(intent.item));
  Placeholders placeholders;
  if (intent.kind == Intent::Kind::kUpdate) text += " " + intent.update.Print(&placeholders);
  if (intent.condition) text += " if " + intent.condition->Print(&placeholders);
  return Explain(text, placeholders);
}

std::string Describe(const Call& call) {
  static constexpr const char* kNames[] = {"write",     "batch write",     "transaction", "get",
                                           "batch get", "transaction get", "page"};
  std::string text = fmt::format("{} {}", kNames[static_cast<int>(call.kind)], call.id);
  if (call.token) text += " token=" + *call.token;
  for (const Intent& intent : call.intents) text += "\n    " + Describe(intent);
  for (const Target& target : call.targets) {
    text += "\n    " + target.table + " " + Describe(target.key);
  }
  if (call.kind == Call::Kind::kPage) text += "\n    " + DescribePage(call.page);
  return text;
}

std::string Describe(const Reply& reply) {
  std::string text =
      reply.error ? fmt::format("error {} '{}'", static_cast<int>(*reply.error), reply.message)
                  : "success";
  for (const std::string& reason : reply.reasons) text += " " + reason;
  if (reply.attributes) text += " attributes " + Describe(*reply.attributes);
  for (const auto& item : reply.items) text += "\n    " + Describe(item);
  for (const Item& item : reply.page) text += "\n    " + Describe(item);
  if (reply.scanned > 0) text += fmt::format(" count={} scanned={}", reply.count, reply.scanned);
  if (reply.last_key) text += " last key " + Describe(*reply.last_key);
  if (reply.capacity) text += fmt::format(" capacity {}", *reply.capacity);
  return text;
}

}  // namespace monotable::simulation
