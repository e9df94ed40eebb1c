#include "entities/write/raw_plan.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "entities/problem.h"
#include "entities/rules/keys.h"
#include "entities/write/copies.h"
#include "entities/write/draft.h"
#include "entities/write/key_locks.h"
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

Result<const Entity*> EntityOf(const Application& application, const model::TableModel& table,
                               const item::Item& key, const std::optional<EncodedItem>& old_image,
                               const std::optional<EncodedItem>& new_image) {
  if (IsInternal(table, key)) {
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

// Adds what becomes of one item.
Status AddWrite(const Entity& entity, const item::Item& key,
                const std::optional<EncodedItem>& new_image, Planner* planner) {
  std::optional<item::Item> item;
  if (new_image) {
    TRY_ASSIGN(item, encoding::DecodeItem(new_image->bytes));
    TRY(CheckPlace(entity, *item));
  }
  return planner->AddRaw(entity, key, std::move(item));
}

std::string SentenceOf(const Error& refusal) {
  const ProblemDetail* problem = ProblemOf(refusal);
  if (problem == nullptr || problem->fields.empty()) return refusal.message();
  return fmt::format("{} ({})", refusal.message(), problem->fields.front().path);
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
    TRY_ASSIGN(const Entity* entity,
               EntityOf(application, *application.FindTable(write.table->name), write.key,
                        old_image, *preview));
    if (entity == nullptr) continue;
    if (write.expires_at) planner.Expire();
    TRY(AddWrite(*entity, write.key, *preview, &planner));
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
  outcome.items.front().error = Error::Validation(SentenceOf(refusal));
  return outcome;
}

namespace {

// What the rules make of an item that is not so in the item as it was written. The server fills in
// versions, types and stamps of raw clients; they are not expected to write them.
void CompareItems(const Entity& entity, const item::Item& written, const item::Item& planned,
                  std::vector<std::string>* differences) {
  const auto compare = [&](const item::Item& items) {
    for (const item::Attribute& attribute : items) {
      const std::string& name = attribute.name;
      if (name == entity.table->version_attribute || name == entity.table->type_attribute) continue;
      const model::AttributeModel* declared = entity.model->Find(name);
      if (declared != nullptr && declared->set != model::SetBy::kClient) continue;
      if (&items == &planned && written.Contains(name)) continue;  // compared already
      if (AreSame(written.Find(name), planned.Find(name))) continue;
      differences->push_back(
          fmt::format("{}: {} does not follow from the attributes", entity.name(), name));
    }
  };
  compare(written);
  compare(planned);
}

Result<std::vector<std::string>> PlanWritten(engine::Engine& engine, const Application& application,
                                             const model::TableModel& table,
                                             const std::optional<EncodedItem>& old_item,
                                             const std::optional<EncodedItem>& new_item) {
  std::vector<std::string> differences;
  if (!old_item && !new_item) return differences;
  TRY_ASSIGN(const engine::TablePtr stored_in, engine.FindTable(application.TableName(table.id)));
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem((new_item ? new_item : old_item)->bytes));
  const item::Item key = engine::KeyOf(*stored_in, item);
  TRY_ASSIGN(const Entity* entity, EntityOf(application, table, key, old_item, new_item));
  if (entity == nullptr) return differences;
  // Nobody else has these locks, so none is ever missed.
  KeyLocks locks;
  Draft draft(engine, KeyLocks::Holder(locks), engine.clock().NowMs());
  const Caller caller;
  Ids ids;
  Planner planner(application, caller, &ids, &draft);
  TRY_ASSIGN(const Slot* own, draft.Assume(*entity, stored_in, key, old_item));
  TRY(AddWrite(*entity, key, new_item, &planner));
  TRY(planner.Finish());
  TRY_ASSIGN(const auto planned_image, NewImage(*own));
  if (new_item && planned_image) {
    TRY_ASSIGN(const item::Item planned, encoding::DecodeItem(planned_image->bytes));
    CompareItems(*entity, item, planned, &differences);
  }
  for (const auto& slot : draft.slots()) {
    if (slot.get() == own || slot->entity == nullptr || !slot->written) continue;
    differences.push_back(fmt::format("{}: the {} {} does not follow", entity->name(),
                                      slot->entity->name(), KeyTexts(*slot->entity, slot->key)));
  }
  return differences;
}

}  // namespace

std::vector<std::string> CheckWritten(engine::Engine& engine, const Application& application,
                                      const model::TableModel& table,
                                      const std::optional<EncodedItem>& old_item,
                                      const std::optional<EncodedItem>& new_item) {
  auto differences = PlanWritten(engine, application, table, old_item, new_item);
  if (!differences) return {SentenceOf(differences.error())};
  return *std::move(differences);
}

}  // namespace monotable::entities
