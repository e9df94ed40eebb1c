#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/rest/rest_call.h"
#include "entities/write/entity_writer.h"
#include "error/result.h"
#include "json/tree.h"

// What the bodies of writes say.
namespace monotable::api::rest {

// More writes or keys than this are not taken in one request; a transaction of DynamoDB has as
// many.
inline constexpr size_t kMaxBatch = 100;

// The JSON of the body; a missing body is an empty object. Refuses a body that is not JSON. The
// call must outlive it.
Result<json::Tree> ParseBody(const Call& call);

// The list in a member of the body ("keys", "writes"), of one to kMaxBatch objects.
Result<const std::vector<json::Node>*> ListIn(const json::Node& body, std::string_view member);

// The change that POST, PUT, PATCH or DELETE of an item asks for.
Result<entities::Change> ChangeOfItem(const Call& call, const json::Node& body);
// One of {"writes": […]} of :batchWrite: {"put": {…}}, {"patch": {…}} or {"delete": {…}}.
Result<entities::Change> ChangeOfBatch(const Call& call, const entities::Entity& entity,
                                       const json::Node& write, const std::string& path);
// One of {"writes": […]} of /transact: {"patch": "Sale", "key": {…}, "body": {…}, "ifMatch": "v3"}.
Result<entities::Change> ChangeOfTransaction(const Call& call, const json::Node& write,
                                             const std::string& path);
// A key in {"keys": […]} of :batchGet, with what the path says.
Result<item::Map> KeyOf(const Call& call, const entities::Entity& entity, const json::Node& node,
                        const std::string& path);

// What an operation is called with.
Result<entities::OperationCall> OperationCallOf(const Call& call, const json::Node& body);

}  // namespace monotable::api::rest
