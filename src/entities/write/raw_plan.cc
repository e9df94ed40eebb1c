#include "entities/write/raw_plan.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/record.h"
#include "entities/rules/keys.h"
#include "entities/write/draft.h"
#include "entities/write/planner.h"

namespace monotable::entities {
namespace {

using encoding::EncodedItem;

// Items expire by the rules of every model.
bool IsEnforced(const Application& application, const engine::ItemWrite& write) {
  const model::TableModel* table = application.FindTable(write.table->name);
  return table != nullptr &&
         (table->enforcement == model::Enforcement::kEnforce || write.expires_at) &&
         write.action != engine::WriteAction::kConditionCheck;
}

Result<const Entity*> EntityOf(const Application& application, const engine::ItemWrite& write,
                               const std::optional<EncodedItem>& old_image,
                               const std::optional<EncodedItem>& new_image) {
  const model::TableModel& table = *application.FindTable(write.table->name);
  if (IsInternal(table, write.key)) {
    return Problem(ProblemCode::kInvalid,
                   "Items whose key begins with MONOTABLE# belong to the model of the table.");
  }
  const auto& image = new_image ? new_image : old_image;
  if (!image) return nullptr;
  const Entity* entity = application.Recognise(table, encoding::ItemView(*image));
  if (entity != nullptr || !new_image) return entity;
  return Problem(ProblemCode::kInvalid,
                 fmt::format("The item belongs to no entity of the model {}: neither its type "
                             "nor its key is that of an entity.",
                             application.model().name));
}

}  // namespace

Status PlanRaw(const Application& application, const Caller& caller, Ids* ids, Draft* draft,
               engine::WriteRequest* request) {
  Planner planner(application, caller, ids, draft);
  std::map<std::string, size_t> positions;  // of the client's writes, by the key of the item
  for (size_t i = 0; i < request->items.size(); ++i) {
    engine::ItemWrite& write = request->items[i];
    if (!IsEnforced(application, write)) continue;
    const std::string key = encoding::ItemKey(*write.table, write.key);
    TRY_ASSIGN(const auto old_image, engine::ReadItem(draft->reader(), key));
    write.seen.emplace();
    if (old_image) write.seen->image = old_image->bytes;
    const auto preview = engine::PreviewWrite(write, old_image);
    if (!preview) continue;  // the write path refuses the write, with the error of the service
    if (write.expires_at && (!old_image || *preview)) continue;  // gone, or renewed meanwhile
    TRY_ASSIGN(const Entity* entity, EntityOf(application, write, old_image, *preview));
    if (entity == nullptr) continue;
    std::optional<item::Item> item;
    if (*preview) {
      TRY_ASSIGN(item, encoding::DecodeItem((*preview)->bytes));
      TRY(CheckPlace(*entity, *item));
    }
    if (write.expires_at) planner.Expire();
    TRY(planner.AddRaw(*entity, write.key, std::move(item)));
    positions.emplace(key, i);
  }
  TRY(planner.Finish());
  TRY_ASSIGN(engine::WriteRequest drafted, draft->Build());
  for (engine::ItemWrite& write : drafted.items) {
    const auto own = positions.find(encoding::ItemKey(*write.table, write.key));
    if (own == positions.end()) {
      request->items.push_back(std::move(write));
      continue;
    }
    engine::ItemWrite& client = request->items[own->second];
    client.seen = std::move(write.seen);
    if (write.action == engine::WriteAction::kPut) client.replacement = std::move(write.put);
  }
  request->ranges = std::move(drafted.ranges);
  request->locks = std::move(drafted.locks);
  return {};
}

void RestoreRaw(size_t count, engine::WriteRequest* request) {
  request->items.resize(count);
  request->ranges.clear();
  request->locks.clear();
  for (engine::ItemWrite& write : request->items) {
    write.seen.reset();
    write.replacement.reset();
  }
}

engine::WriteOutcome Refused(const engine::WriteRequest& request, const Error& refusal) {
  engine::WriteOutcome outcome;
  outcome.items.resize(request.items.size());
  for (size_t i = 0; i < request.items.size(); ++i) {
    outcome.items[i].table = request.items[i].table;
  }
  std::string message = refusal.message();
  const ProblemDetail* problem = ProblemOf(refusal);
  if (problem != nullptr && !problem->fields.empty()) {
    message += fmt::format(" ({})", problem->fields.front().path);
  }
  outcome.items.front().error = Error::Validation(std::move(message));
  return outcome;
}

std::vector<std::string> FindBreaches(const Application& application,
                                      const model::TableModel& table,
                                      const std::optional<EncodedItem>& old_item,
                                      const std::optional<EncodedItem>& new_item) {
  std::vector<std::string> breaches;
  if (!new_item) return breaches;
  const auto item = encoding::DecodeItem(new_item->bytes);
  if (!item) return breaches;
  if (IsInternal(table, *item)) return breaches;
  const Entity* entity = application.Recognise(table, *item);
  if (entity == nullptr) return {"the item does not belong to an entity"};
  if (const Status key = CheckPlace(*entity, *item); !key)
    breaches.push_back(key.error().message());
  const auto record = RecordOf(*entity, *item);
  if (!record) return breaches;
  for (const FieldProblem& problem : CheckAttributes(*entity, record->attributes)) {
    breaches.push_back(fmt::format("{} {}: {}", entity->name(), problem.path, problem.message));
  }
  const auto expected = ItemOf(*entity, *record);
  if (expected) {
    for (const std::string& name : entity->plumbing) {
      if (name == table.version_attribute || name == table.type_attribute) continue;
      const item::Value* is = item->Find(name);
      const item::Value* should_be = expected->Find(name);
      const bool same = is == nullptr || should_be == nullptr ? is == should_be : *is == *should_be;
      if (!same) {
        breaches.push_back(
            fmt::format("{}: {} does not follow from the attributes", entity->name(), name));
      }
    }
  }
  if (!old_item) return breaches;
  const auto old_decoded = encoding::DecodeItem(old_item->bytes);
  if (!old_decoded) return breaches;
  const auto old_record = RecordOf(*entity, *old_decoded);
  if (!old_record) return breaches;
  const auto illegal = FindIllegalTransition(*entity, old_record->attributes, record->attributes);
  if (illegal) {
    breaches.push_back(fmt::format("{}.{}: {} became {}", entity->name(), illegal->attribute->name,
                                   illegal->from, illegal->to));
  }
  return breaches;
}

}  // namespace monotable::entities
