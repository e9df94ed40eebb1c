#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/read.h"
#include "entities/read/pattern_run.h"

namespace monotable::entities {
namespace {

using model::PatternModel;
using model::ReadPlan;
using model::ReadStep;

std::string PlanText(const ReadPlan& plan) {
  if (plan.steps.empty()) return "";
  const ReadStep& step = plan.steps.front();
  if (step.action == ReadStep::Action::kGetItem) return "GetItem";
  std::string text = "Query";
  if (!step.index.empty()) text += " " + step.index;
  if (!plan.fan_out_values.empty()) text += fmt::format(" ×{} merged", plan.fan_out_values.size());
  if (plan.steps.size() > 1) text += " + BatchGetItem";
  return text;
}

std::vector<const Entity*> WantedEntities(const Application& application,
                                          const PatternModel& pattern) {
  std::vector<const Entity*> wanted = {application.Find(pattern.entity)};
  if (pattern.kind != PatternModel::Kind::kCollection) return wanted;
  const model::CollectionModel* collection = application.model().FindCollection(pattern.collection);
  for (const auto& member : collection->members) wanted.push_back(application.Find(member.entity));
  return wanted;
}

}  // namespace

PatternReader::PatternReader(engine::Engine& engine, const Application& application,
                             const PatternModel& pattern)
    : engine_(engine),
      pattern_(pattern),
      plan_(std::make_shared<const ReadPlan>(model::PlanPattern(application.model(), pattern))),
      plan_text_(PlanText(*plan_)) {
  if (plan_->steps.empty()) return;
  prepared_ = std::make_shared<const Prepared>(Prepared{
      engine, application, pattern, *plan_, application.Find(pattern.entity),
      PatternKeys(application, pattern, *plan_),
      EntityMatcher(WantedEntities(application, pattern), plan_->steps.front().filter_by_type)});
}

Result<Found> PatternReader::Get(const item::Map& parameters, const Caller& caller,
                                 bool /*consistent*/) const {
  if (!prepared_ || plan_->steps.front().action != ReadStep::Action::kGetItem) return NotServed();
  const Entity& entity = *prepared_->entity;
  TRY_ASSIGN(const Parameters given, Parameters::Of(prepared_->application, parameters, caller));
  TRY_ASSIGN(const Source source, FindSource(engine_, entity.table_name, ""));
  TRY_ASSIGN(const std::string key, prepared_->keys.ItemKeyOf(source, given));
  TRY_ASSIGN(auto item, engine::ReadItem(engine_.store().Latest(), key));
  if (!item) return NotFound(entity.name());
  const encoding::ItemView view(*item);
  if (!HasTypeOf(entity, view) || !MaySee(entity, view, caller) ||
      IsHidden(entity, view, engine_.clock().NowMs())) {
    return NotFound(entity.name());
  }
  return Found{&entity, *std::move(item)};
}

Result<ListResult> PatternReader::List(const ListRequest& request, const Caller& caller) const {
  if (!prepared_) return NotServed();
  const bool is_collection = pattern_.kind == PatternModel::Kind::kCollection;
  auto result = is_collection ? ReadCollection(*prepared_, request, caller)
                              : ReadList(*prepared_, request, caller);
  if (result) result->plan = plan_text_;
  return result;
}

Error PatternReader::NotServed() const {
  if (prepared_) {
    return Problem(ProblemCode::kNoAccessPattern,
                   fmt::format("{} does not read one item by its key.", pattern_.name));
  }
  return Problem(ProblemCode::kNoAccessPattern,
                 fmt::format("The keys do not serve {}: {}.", pattern_.name, plan_->reason));
}

}  // namespace monotable::entities
