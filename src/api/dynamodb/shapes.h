#pragma once

#include "api/dynamodb/shape.h"

// Shapes that are part of many requests. The shapes of the requests themselves are with their
// operations. All come from the service's model. Members that are of no consequence to any
// operation are left out: unknown members are ignored.
namespace monotable::api::dynamodb::shapes {

inline constexpr Shape kText = Scalar(Kind::kString);
inline constexpr Shape kFlag = Scalar(Kind::kBoolean);
inline constexpr Shape kTime = Scalar(Kind::kTimestamp);
inline constexpr Shape kTableName =
    LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kNameOrArn));
inline constexpr Shape kTableArn = Bounded(Kind::kString, 1, 1024);
inline constexpr Shape kBackupArn = Bounded(Kind::kString, 37, 1024);
inline constexpr Shape kListLimit = Bounded(Kind::kInteger, 1, 100);
inline constexpr Member kTableNameMembers[] = {{"TableName", &kTableName, true}};

// Attribute values (attribute_value_decode.cc), which contain themselves.
extern const Shape kAttributeValue;

}  // namespace monotable::api::dynamodb::shapes
