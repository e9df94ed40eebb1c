#pragma once

#include "wire/attribute_value.h"
#include "wire/fields.h"
#include "wire/shape.h"

namespace monotable::api::dynamodb {

// The words of wire/ that this folder is written in.
using wire::Bounded;
using wire::Enumeration;
using wire::EnumName;
using wire::Fields;
using wire::Kind;
using wire::kNoMin;
using wire::LengthFirst;
using wire::ListOf;
using wire::MapOf;
using wire::Member;
using wire::Pattern;
using wire::Report;
using wire::Scalar;
using wire::Shape;
using wire::Structure;

}  // namespace monotable::api::dynamodb

// Shapes that are part of many requests. The shapes of the requests themselves are with their
// operations. All come from the service's model. Members that are of no consequence to any
// operation are left out: unknown members are ignored.
namespace monotable::api::dynamodb::shapes {

inline constexpr const Shape& kAttributeValue = wire::kAttributeValueShape;
inline constexpr Shape kText = Scalar(Kind::kString);
inline constexpr Shape kFlag = Scalar(Kind::kBoolean);
inline constexpr Shape kTime = Scalar(Kind::kTimestamp);
inline constexpr Shape kTableName =
    LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kNameOrArn));
inline constexpr Shape kTableArn = Bounded(Kind::kString, 1, 1024);
inline constexpr Shape kBackupArn = Bounded(Kind::kString, 37, 1024);
inline constexpr Shape kListLimit = Bounded(Kind::kInteger, 1, 100);
inline constexpr Member kTableNameMembers[] = {{"TableName", &kTableName, true}};

}  // namespace monotable::api::dynamodb::shapes
