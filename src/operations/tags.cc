#include "operations/tags.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "operations/table_errors.h"
#include "operations/table_settings.h"

namespace monotable::operations {
namespace {

using table::TableDefinition;
using table::Tag;

Error ResourceNotFound(const std::string& arn) {
  return Error(ErrorCode::kResourceNotFound,
               "Requested resource not found: ResourceArn: " + arn + " not found");
}

// The next part of an ARN, without the colon that ends it.
std::string_view TakePart(std::string_view* arn) {
  const size_t colon = std::min(arn->find(':'), arn->size());
  const std::string_view part = arn->substr(0, colon);
  arn->remove_prefix(std::min(colon + 1, arn->size()));
  return part;
}

// Tags are on tables; the resource must be named by its ARN, in this region and account.
Result<std::string> TableOf(const engine::Engine& engine, const std::string& arn) {
  constexpr std::string_view kTable = "table/";
  if (!arn.starts_with("arn:")) return InvalidParameter("ARNs must start with 'arn:': " + arn);
  std::string_view rest = arn;
  TakePart(&rest);
  const std::string_view partition = TakePart(&rest);
  const std::string_view service = TakePart(&rest);
  const std::string_view region = TakePart(&rest);
  const std::string_view account = TakePart(&rest);
  if (service != "dynamodb" || !rest.starts_with(kTable)) {
    return InvalidParameter("Provided Arn is not a DynamoDB resource arn: " + arn);
  }
  if (partition != "aws" || region != engine.options().region) {
    return Error::Validation("Invalid TableArn: Invalid ResourceArn provided as input " + arn);
  }
  if (account != engine.options().account_id) {
    return Error(ErrorCode::kAccessDenied, "Access is denied");
  }
  rest.remove_prefix(kTable.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::string(rest);
  const std::string_view child = rest.substr(slash);
  if (child.starts_with("/index/")) {
    return InvalidParameter(
        "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " +
        arn);
  }
  // A stream could have tags, but has none.
  if (child.starts_with("/stream/")) return ResourceNotFound(arn);
  return InvalidParameter("Provided Arn is not a DynamoDB resource arn: " + arn);
}

using ChangeTags = std::function<Status(std::vector<Tag>*)>;

Status Change(engine::Engine& engine, const std::string& arn, const ChangeTags& change) {
  TRY_ASSIGN(const std::string name, TableOf(engine, arn));
  const auto decide = [&](const TableDefinition* current, uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return ResourceNotFound(arn);
    TableDefinition next = *current;
    TRY(change(&next.tags));
    return std::optional(std::move(next));
  };
  TRY(engine.catalog().Change(name, decide));
  return {};
}

}  // namespace

Status TagResource(engine::Engine& engine, const TagResourceRequest& request) {
  if (request.tags.empty()) {
    return Error::Validation("Atleast one Tag needs to be provided as Input.");
  }
  TRY(CheckTags(request.tags));
  return Change(engine, request.resource_arn, [&request](std::vector<Tag>* tags) -> Status {
    for (const Tag& tag : request.tags) {
      const auto same = std::find_if(tags->begin(), tags->end(),
                                     [&tag](const Tag& other) { return other.key == tag.key; });
      if (same == tags->end()) {
        tags->push_back(tag);
      } else {
        same->value = tag.value;
      }
    }
    return CheckTags(*tags);
  });
}

// Removing a tag that is not there is not an error.
Status UntagResource(engine::Engine& engine, const UntagResourceRequest& request) {
  if (request.tag_keys.empty()) {
    return Error::Validation("Atleast one Tag Key needs to be provided as Input.");
  }
  for (const std::string& key : request.tag_keys) TRY(CheckTagKey(key));
  if (request.tag_keys.size() > kMaxTags) return TooManyTags();
  return Change(engine, request.resource_arn, [&request](std::vector<Tag>* tags) -> Status {
    std::erase_if(*tags, [&request](const Tag& tag) {
      const auto& keys = request.tag_keys;
      return std::find(keys.begin(), keys.end(), tag.key) != keys.end();
    });
    return {};
  });
}

// The tags of a table always fit on one page, so the answer never has a NextToken, and the
// NextToken of a request is ignored.
Result<ListTagsOfResourceResponse> ListTagsOfResource(engine::Engine& engine,
                                                      const ListTagsOfResourceRequest& request) {
  TRY_ASSIGN(const std::string name, TableOf(engine, request.resource_arn));
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return ResourceNotFound(request.resource_arn);
  return ListTagsOfResourceResponse{table->tags};
}

}  // namespace monotable::operations
