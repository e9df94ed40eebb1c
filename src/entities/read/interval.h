#pragma once

#include <optional>

#include "entities/read/parameters.h"
#include "error/result.h"
#include "item/value.h"
#include "model/model.h"

namespace monotable::entities {

// The values of a pattern's range field that a client asks for, in their stored form.
struct Interval {
  std::optional<item::Value> first;  // nothing: from the first on
  std::optional<item::Value> last;   // included; nothing: to the last
};

// From the parameters from and to, as the client wrote them, and tz, which says where days begin
// (Z, or an offset like -03:00). A day as the end of a whole-days range is in it to its last
// moment; where dates are exact it stands for its first one. Moments between two that the field can
// store are rounded towards the inside. InvalidFields for texts that are of another type, for what
// is required and missing, and if the end is before the beginning.
Result<Interval> IntervalOf(const model::PatternModel::Range& range, const model::TypeModel& type,
                            const Parameters& parameters);

}  // namespace monotable::entities
