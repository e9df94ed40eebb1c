#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/rest/read_options.h"
#include "api/rest/served_model.h"
#include "entities/codec/codec.h"
#include "entities/read/read.h"
#include "json/json_writer.h"

namespace monotable::api::rest {

// Shows the items of a partition as one object: the attributes of the root, and its members by
// their names, as a list or an object each.
class CollectionJson {
 public:
  // The members are those that `expand` names, or all; of each the fields that `fields` names.
  CollectionJson(const ServedPattern& pattern, const ReadOptions& options);

  bool HasRoot(const std::vector<entities::Found>& items) const;
  // The object, not closed. Members that there is one of, and none, are null.
  void Append(const std::vector<entities::Found>& items, json::Writer* writer) const;

 private:
  struct Member {
    const model::CollectionModel::Member* model = nullptr;
    entities::Presentation presentation;
  };

  const entities::Entity& root_;
  entities::Presentation presentation_;  // of the root
  std::vector<Member> members_;
};

}  // namespace monotable::api::rest
