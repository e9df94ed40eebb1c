#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "entities/write/draft.h"

// Live copies that a write leaves to the background, because their source has too many followers
// for one transaction.
namespace monotable::entities {

// So many followers change in the write of their source, and in one step of a job.
inline constexpr size_t kFollowersAtOnce = 1000;

// The items of one entity that keep live copies of another's values, by the attribute through which
// they refer to it.
struct Followers {
  const Entity* entity = nullptr;
  std::string_view via;
  std::vector<const model::CopyModel*> copies;
};
std::vector<Followers> FollowersOf(const Application& application, const Entity& source);

// What is left to do: the followers of one item are to have its values. It is an internal item in
// the table of the source, written together with the source, so the one is never there without the
// other.
struct CopyJob {
  const Entity* entity = nullptr;  // of the source
  item::Item source;               // its primary key
  std::string by;                  // the caller whose write it was, for stamps
  std::string change;              // another one for each write, so that no two jobs are the same
};

// The primary key of an item of the entity, in a text that no other has.
std::string KeyTexts(const Entity& entity, const item::Item& item);

// With this every name of such a job begins.
inline constexpr std::string_view kCopies = "COPIES#";
// Nothing if the table cannot have one, see JobKey.
std::optional<item::Item> CopyJobKey(const Entity& entity, const item::Item& source);
// The key must be there.
item::Item CopyJobItem(const CopyJob& job);
// Nothing if the item is no such job, or one of an entity that the application does not have.
std::optional<CopyJob> ReadCopyJob(const Application& application, const item::Item& item);

// The jobs that a draft writes.
std::vector<CopyJob> CopyJobsOf(const Application& application, const Draft& draft);

}  // namespace monotable::entities
