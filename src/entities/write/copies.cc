#include "entities/write/copies.h"

#include <algorithm>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "entities/read/find_entities.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"
#include "entities/write/planner.h"
#include "model/template/filters.h"

namespace monotable::entities {
namespace {

bool AreSame(const item::Value* one, const item::Value* other) {
  if (one == nullptr || other == nullptr) return one == other;
  return *one == *other;
}

bool Differs(const Record& before, const Record& after, std::string_view path) {
  return !AreSame(FindPath(before.attributes, path), FindPath(after.attributes, path));
}

bool IsBehind(const Record& follower, const Record& source, const model::CopyModel& copy) {
  return !AreSame(follower.attributes.Find(copy.attribute),
                  FindPath(source.attributes, copy.source_attribute));
}

const item::Value* IdOf(const Slot& slot) {
  if (!slot.entity->model->id || slot.current() == nullptr) return nullptr;
  return slot.current()->attributes.Find(slot.entity->model->id->attribute);
}

}  // namespace

// An item takes its copies when it comes to refer to the source, and they follow the source until
// they freeze. An item that gets another primary key takes its copies again, because a job may have
// looked for the item under the old key.
Status Planner::Copy(Slot* slot) {
  for (const model::CopyModel& copy : slot->entity->model->copies) {
    const Record* old_record = slot->old_record();
    const bool refers_anew = old_record == nullptr || Differs(*old_record, *slot->after, copy.via);
    if (old_record != nullptr) {
      if (!copy.live || (!refers_anew && slot->moved_from == nullptr)) continue;
      if (copy.freeze_when) {
        TRY_ASSIGN(const bool frozen, Test(*slot, *copy.freeze_when));
        if (frozen) continue;
      }
    } else if (raw_ && slot->after->attributes.Contains(copy.attribute)) {
      continue;
    }
    const model::AttributeModel* via = slot->entity->model->Find(copy.via);
    TRY_ASSIGN(Slot * source, Referenced(*slot, *via));
    const bool is_there = source != nullptr && source->current() != nullptr;
    if (!is_there && !refers_anew) continue;  // the item keeps the copy that it has
    const item::Value* value =
        is_there ? FindPath(source->current()->attributes, copy.source_attribute) : nullptr;
    if (source != nullptr) source->any_image = false;
    if (value == nullptr) {
      slot->after->attributes.Remove(copy.attribute);
    } else {
      slot->after->attributes.Set(copy.attribute, *value);
    }
  }
  return {};
}

Status Planner::AddFollowers(const Slot& source, const Followers& followers,
                             const std::vector<Found>& found) {
  const Record& values = *source.current();
  const auto is_behind = [&](const Record& record) {
    return std::any_of(
        followers.copies.begin(), followers.copies.end(),
        [&](const model::CopyModel* copy) { return IsBehind(record, values, *copy); });
  };
  for (const Found& one : found) {
    TRY_ASSIGN(const Slot* known, draft_.FindLoaded(*followers.entity, one.item));
    if (known == nullptr) {
      // Only its source changes a copy, and the source is locked: a right copy stays right.
      TRY_ASSIGN(const item::Item item, encoding::DecodeItem(one.item.bytes));
      TRY_ASSIGN(const Record record, RecordOf(*followers.entity, item));
      if (!is_behind(record)) continue;
    }
    TRY_ASSIGN(Slot * follower,
               draft_.Load(*followers.entity, one.item, KeyLocks::Mode::kExclusive));
    if (follower->current() == nullptr) continue;
    const Record& current = *follower->current();
    if (!AreSame(current.attributes.Find(followers.via), IdOf(source))) continue;
    item::Map attributes = current.attributes;
    bool changed = false;
    for (const model::CopyModel* copy : followers.copies) {
      if (!IsBehind(current, values, *copy)) continue;
      if (copy->freeze_when) {
        TRY_ASSIGN(const bool frozen, Test(*follower, *copy->freeze_when));
        if (frozen) continue;
      }
      changed = true;
      const item::Value* value = FindPath(values.attributes, copy->source_attribute);
      if (value == nullptr) {
        attributes.Remove(copy->attribute);
      } else {
        attributes.Set(copy->attribute, *value);
      }
    }
    if (changed) {
      TRY(Rewrite(follower, std::move(attributes), follower->path));
    } else {
      follower->any_image = false;  // it must still be frozen when this is written
    }
  }
  return {};
}

// Brings a changed value to the items that keep a live copy of it. Items that are too many for one
// write are left to a job.
Status Planner::FanOutCopies(Slot* slot) {
  const Record* old_record = slot->old_record();
  if (old_record == nullptr || !slot->after) return {};
  const item::Value* id = IdOf(*slot);
  if (id == nullptr) return {};
  const auto job_key = CopyJobKey(*slot->entity, slot->key);
  const size_t at_once = application_.followers_at_once();
  bool some_left = false;
  for (Followers& followers : FollowersOf(application_, *slot->entity)) {
    // A job of the source under its old key may not be done, so a moved source copies everything.
    if (slot->moved_from == nullptr) {
      std::erase_if(followers.copies, [&](const model::CopyModel* copy) {
        return !Differs(*old_record, *slot->after, copy->source_attribute);
      });
    }
    if (followers.copies.empty()) continue;
    // An earlier change is still being copied. Its job copies this one, too, so this write need not
    // wait for the followers. Only a change of the source makes a job, and the source is locked.
    if (job_key) {
      TRY_ASSIGN(const auto image,
                 engine::ReadItem(draft_.reader(), encoding::ItemKey(*slot->table, *job_key)));
      if (image) {
        some_left = true;
        break;
      }
    }
    std::optional<size_t> limit;
    if (job_key) limit = at_once - std::min(at_once, followers_);
    TRY_ASSIGN(const FoundPage page,
               FindReferringPage(draft_.engine(), draft_.reader(),
                                 {followers.entity, followers.via, *id}, limit, {}));
    followers_ += page.items.size();
    if (page.next) some_left = true;
    TRY(AddFollowers(*slot, followers, page.items));
  }
  if (!some_left) return {};
  TRY_ASSIGN(Slot * job, draft_.LoadInternal(*slot->entity, *job_key));
  job->internal = CopyJobItem({slot->entity, slot->key, caller_.name, NewUlid(draft_.now_ms())});
  job->written = true;
  return {};
}

namespace {

// A job keeps everything in one attribute, a map, which cannot be the key of an index.
constexpr std::string_view kJob = "copies";

std::string TextOf(const item::Value& value) {
  if (value.is(item::Type::kNumber)) return value.number().ToString();
  if (value.is(item::Type::kBinary)) return value.binary();
  return value.is(item::Type::kString) ? value.string() : std::string();
}

std::string StringIn(const item::Map& map, std::string_view name) {
  const item::Value* value = map.Find(name);
  return value != nullptr && value->is(item::Type::kString) ? value->string() : std::string();
}

}  // namespace

std::vector<Followers> FollowersOf(const Application& application, const Entity& source) {
  std::vector<Followers> all;
  for (const auto& entity : application.entities()) {
    for (const model::CopyModel& copy : entity->model->copies) {
      if (!copy.live || copy.source_entity != source.name()) continue;
      auto same = std::find_if(all.begin(), all.end(), [&](const Followers& followers) {
        return followers.entity == entity.get() && followers.via == copy.via;
      });
      if (same == all.end()) same = all.insert(all.end(), {entity.get(), copy.via, {}});
      same->copies.push_back(&copy);
    }
  }
  return all;
}

std::string KeyTexts(const Entity& entity, const item::Item& item) {
  std::string texts;
  for (const auto* attributes : {&entity.table->key.hash, &entity.table->key.range}) {
    for (const table::KeyAttribute& attribute : *attributes) {
      const item::Value* value = item.Find(attribute.name);
      texts += "#" + (value == nullptr ? std::string() : model::Escape(TextOf(*value)));
    }
  }
  return texts.substr(1);
}

std::optional<item::Item> CopyJobKey(const Entity& entity, const item::Item& source) {
  return JobKey(*entity.table,
                std::string(kCopies) + entity.name() + "#" + KeyTexts(entity, source));
}

item::Item CopyJobItem(const CopyJob& job) {
  item::Item item = *CopyJobKey(*job.entity, job.source);
  item::Map content;
  content.Set("entity", item::Value(job.entity->name()));
  content.Set("source", item::Value(job.source));
  content.Set("change", item::Value(job.change));
  if (!job.by.empty()) content.Set("by", item::Value(job.by));
  item.Set(kJob, item::Value(std::move(content)));
  return item;
}

std::optional<CopyJob> ReadCopyJob(const Application& application, const item::Item& item) {
  const item::Value* content = item.Find(kJob);
  if (content == nullptr || !content->is(item::Type::kMap)) return std::nullopt;
  const item::Value* source = content->map().Find("source");
  CopyJob job;
  job.entity = application.Find(StringIn(content->map(), "entity"));
  if (job.entity == nullptr || source == nullptr || !source->is(item::Type::kMap)) {
    return std::nullopt;
  }
  job.source = source->map();
  job.by = StringIn(content->map(), "by");
  job.change = StringIn(content->map(), "change");
  if (!CopyJobKey(*job.entity, job.source)) return std::nullopt;  // the table was another then
  return job;
}

std::vector<CopyJob> CopyJobsOf(const Application& application, const Draft& draft) {
  std::vector<CopyJob> jobs;
  for (const auto& slot : draft.slots()) {
    if (!slot->written || !slot->internal) continue;
    if (auto job = ReadCopyJob(application, *slot->internal)) jobs.push_back(*std::move(job));
  }
  return jobs;
}

}  // namespace monotable::entities
