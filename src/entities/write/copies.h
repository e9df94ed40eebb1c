#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "entities/read/find_entities.h"
#include "entities/relation.h"
#include "entities/write/draft.h"

// Live copies that a write leaves to the background, because their source has too many followers
// for one transaction.
namespace monotable::entities {

// The items of one entity that keep live copies of another's values, by the attribute through which
// they refer to it.
struct Followers {
  const Entity* entity = nullptr;
  std::string_view via;
  std::vector<const model::CopyModel*> copies;
  RelationPtr relation;  // from the source to its followers
};
std::vector<Followers> FollowersOf(const Application& application, const Entity& source);
// A page of the followers of a source with these attributes, see FindRelated.
Result<FoundPage> FindFollowers(engine::Engine& engine, const storage::Reader& reader,
                                const Followers& followers, const item::Map& source_attributes,
                                std::optional<size_t> limit, const Position& after);

// A job that is left to do: the followers of one item are to get its values. A job is an internal
// item in the table of the source, written together with the source, so neither exists without the
// other.
struct CopyJob {
  const Entity* entity = nullptr;  // of the source
  item::Item source;               // its primary key
  std::string by;                  // the caller whose write it was, for stamps
  std::string change;              // differs for each write, so that no two jobs are equal
};

// The primary key of an item of the entity, in a text that no other has.
std::string KeyTexts(const Entity& entity, const item::Item& item);

// Every name of a copy job begins with this.
inline constexpr std::string_view kCopies = "COPIES#";
// The key of the job of a source. Nothing if the table cannot hold jobs, see JobKey.
std::optional<item::Item> CopyJobKey(const Entity& entity, const item::Item& source);
// The key must be there.
item::Item CopyJobItem(const CopyJob& job);
// Nothing if the item is not a copy job, or if the application does not have its entity.
std::optional<CopyJob> ReadCopyJob(const Application& application, const item::Item& item);

// The jobs that a draft writes.
std::vector<CopyJob> CopyJobsOf(const Application& application, const Draft& draft);

}  // namespace monotable::entities
