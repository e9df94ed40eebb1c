#pragma once

#include <optional>
#include <string>
#include <vector>

#include "entities/application.h"
#include "entities/read/pattern_reader.h"
#include "entities/read/read_source.h"
#include "error/result.h"
#include "item/value.h"
#include "model/model.h"
#include "model/plan/read_plan.h"

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

// From a pattern's plan and the parameters of a request to where in the store the entries are. What
// does not depend on the parameters is worked out once. Immutable and thread-safe.
class PatternKeys {
 public:
  // The plan serves the pattern, and outlives this.
  PatternKeys(const Application& application, const model::PatternModel& pattern,
              const model::ReadPlan& plan);

  struct Ranges {
    std::vector<engine::QueryRange> branches;  // one, or one for each value of a fan-out
    // What the range asks of items beyond their keys, where the keys say less than the field: a
    // month of a day.
    std::vector<std::vector<Filter>> filters;
  };
  Result<Ranges> RangesOf(const Source& source, const Parameters& parameters) const;

  // The stored key of the one item that a GetItem reads.
  Result<std::string> ItemKeyOf(const Source& source, const Parameters& parameters) const;

 private:
  // Where the pattern's range is in the sort key.
  struct Field {
    model::TypeModel type;
    model::Template text;       // the sort key up to and with the field
    std::string text_after;     // literal text that follows it
    bool is_truncated = false;  // the key says less than the field
  };

  static std::optional<Field> FieldOf(const Application& application,
                                      const model::PatternModel& pattern,
                                      const model::ReadStep& step);
  const model::ReadStep& step() const { return plan_.steps.front(); }
  std::vector<model::Template> ShardTemplates() const;

  Result<std::string> HashText(const Parameters& parameters, size_t branch) const;
  Status ApplySort(const Parameters& parameters, Partition* partition) const;
  Status ApplyInterval(const Interval& interval, const Parameters& parameters,
                       Partition* partition) const;
  std::vector<std::vector<Filter>> FiltersOf(const Interval& interval) const;

  const model::PatternModel& pattern_;
  const model::ReadPlan& plan_;
  const std::optional<Field> field_;
  model::Template prefix_;                     // of the sort key, before the field
  const std::vector<model::Template> shards_;  // partition keys of a sharded fan-out
};

}  // namespace monotable::entities
