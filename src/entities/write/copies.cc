#include "entities/write/copies.h"

#include <algorithm>
#include <utility>

#include "model/template/filters.h"

namespace monotable::entities {
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
