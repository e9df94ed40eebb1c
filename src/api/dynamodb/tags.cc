#include "operations/tags.h"

#include <span>
#include <string>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Shape kTagKeys = ListOf(&kText);

constexpr Shape kResourceArn = Bounded(Kind::kString, 1, 1283);
constexpr Member kTagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"Tags", &kTags, true},
};
constexpr Shape kTagResource = Structure("TagResourceInput", kTagResourceMembers);
constexpr Member kUntagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"TagKeys", &kTagKeys, true},
};
constexpr Shape kUntagResource = Structure("UntagResourceInput", kUntagResourceMembers);
constexpr Member kListTagsMembers[] = {
    {"ResourceArn", &kResourceArn, true},
    {"NextToken", &kText},
};
constexpr Shape kListTagsOfResource = Structure("ListTagsOfResourceInput", kListTagsMembers);

}  // namespace
}  // namespace shapes

Result<operations::TagResourceRequest> DecodeTagResource(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckTagsComplete(fields));
  return operations::TagResourceRequest{
      fields.Text("ResourceArn"),
      DecodeList(fields, "Tags", DecodeTag).value_or(std::vector<table::Tag>())};
}

Result<operations::UntagResourceRequest> DecodeUntagResource(const json::Object& body) {
  const Fields fields(body);
  return operations::UntagResourceRequest{
      fields.Text("ResourceArn"),
      fields.OptionalTexts("TagKeys").value_or(std::vector<std::string>())};
}

Result<operations::ListTagsOfResourceRequest> DecodeListTagsOfResource(const json::Object& body) {
  return operations::ListTagsOfResourceRequest{Fields(body).Text("ResourceArn")};
}

void EncodeListTags(const operations::ListTagsOfResourceResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("Tags").BeginArray();
  for (const auto& tag : response.tags) {
    writer.BeginObject().Key("Key").String(tag.key).Key("Value").String(tag.value).EndObject();
  }
  writer.EndArray().EndObject();
}

std::span<const Operation> TagOperations() {
  static constexpr Operation kOperations[] = {
      {"TagResource", shapes::kTagResource, Place::kWorker,
       ReturningNothing<DecodeTagResource, operations::TagResource>},
      {"UntagResource", shapes::kUntagResource, Place::kWorker,
       ReturningNothing<DecodeUntagResource, operations::UntagResource>},
      {"ListTagsOfResource", shapes::kListTagsOfResource, Place::kWorker,
       Returning<DecodeListTagsOfResource, operations::ListTagsOfResource, EncodeListTags>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
