#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

// What a request may look like, as tables: the service checks every request against its model
// before it looks at what the request means. The tables are with the operations; type_check.h and
// constraint_check.h walk them.
namespace monotable::wire {

enum class Kind : uint8_t {
  kString,
  kInteger,
  kLong,
  kTimestamp,  // seconds since the epoch, with a fraction
  kBoolean,
  kBlob,
  kStructure,
  kList,
  kMap,
};

enum class Pattern : uint8_t {
  kNone,
  kName,       // [a-zA-Z0-9_.-]+
  kNameOrArn,  // the same, or an ARN, which may be longer
};

inline constexpr std::string_view kNamePattern = "[a-zA-Z0-9_.-]+";
inline constexpr int64_t kMaxArnLength = 1024;
inline constexpr int64_t kNoMin = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kNoMax = std::numeric_limits<int64_t>::max();

struct Shape;

// How a violation is reported. The service has moved some checks to a newer framework, which
// spells the path as the request does and does not repeat the value.
enum class Report : uint8_t { kClassic, kNewer };

struct Member {
  std::string_view name;
  const Shape* shape;
  bool required = false;
  Report report = Report::kClassic;
  // Replaces the whole answer when the member is missing.
  std::string_view missing_message = {};
};

struct Shape {
  Kind kind = Kind::kString;
  // Whether a value can violate anything here or below; the constraint check skips what cannot.
  bool constrained = false;
  Pattern pattern = Pattern::kNone;
  // A structure of which only the first violation is reported.
  bool first_violation_only = false;
  // A name of which the length is reported before the pattern.
  bool length_first = false;
  // The length of strings, lists and maps; the value of numbers.
  int64_t min = kNoMin;
  int64_t max = kNoMax;
  std::string_view name = {};  // of a structure
  std::span<const Member> members = {};
  const Shape* element = nullptr;                 // of a list or of the values of a map
  const Shape* key = nullptr;                     // of a map whose keys are constrained
  std::span<const std::string_view> values = {};  // of an enumeration, in the service's order
};

constexpr Shape Scalar(Kind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}

constexpr Shape Bounded(Kind kind, int64_t min, int64_t max = kNoMax,
                        Pattern pattern = Pattern::kNone) {
  Shape shape = Scalar(kind);
  shape.constrained = true;
  shape.min = min;
  shape.max = max;
  shape.pattern = pattern;
  return shape;
}

constexpr Shape LengthFirst(Shape shape) {
  shape.length_first = true;
  return shape;
}

constexpr Shape Enumeration(std::span<const std::string_view> values) {
  Shape shape = Scalar(Kind::kString);
  shape.constrained = true;
  shape.values = values;
  return shape;
}

constexpr Shape ListOf(const Shape* element, int64_t min = kNoMin, int64_t max = kNoMax) {
  Shape shape = Scalar(Kind::kList);
  shape.constrained = element->constrained || min != kNoMin || max != kNoMax;
  shape.min = min;
  shape.max = max;
  shape.element = element;
  return shape;
}

constexpr Shape MapOf(const Shape* element) {
  Shape shape = Scalar(Kind::kMap);
  shape.constrained = element->constrained;
  shape.element = element;
  return shape;
}

constexpr Shape Structure(std::string_view name, std::span<const Member> members) {
  Shape shape = Scalar(Kind::kStructure);
  for (const Member& member : members) {
    if (member.required || member.shape->constrained) shape.constrained = true;
  }
  shape.name = name;
  shape.members = members;
  return shape;
}

}  // namespace monotable::wire
