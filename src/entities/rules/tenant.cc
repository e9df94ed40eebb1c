#include "entities/rules/tenant.h"

#include "entities/problem.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

Error BelongsToAnother() {
  return Problem(ProblemCode::kForbidden, "This belongs to another tenant.");
}

// Tenants: a caller with a tenant writes only items of that tenant.
//
// Reads and locks: nothing. Changes: the tenant attribute of a new item. Refuses: an item that
// comes to another tenant. An item of another tenant is not found in the first place, see
// FindExisting.
class TenantRule final : public WriteRule {
 public:
  explicit TenantRule(std::string attribute) : attribute_(std::move(attribute)) {}

  std::vector<Phase> phases() const override { return {Phase::kFill, Phase::kCheck}; }

  Status Fill(Plan* plan, const Filling& filling) const override {
    return InjectTenant(*plan, filling.entity, filling.attributes);
  }

  // An operation may have set the attribute.
  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    if (!plan->caller.tenant) return {};
    const item::Value* now = slot->after->attributes.Find(attribute_);
    const Record* old_record = slot->old_record();
    const item::Value* before =
        old_record == nullptr ? nullptr : old_record->attributes.Find(attribute_);
    if (now == nullptr || (before != nullptr && *before == *now)) return {};
    if (IsOfAnotherTenant(*plan, *slot->after)) return BelongsToAnother();
    return {};
  }

 private:
  const std::string attribute_;
};

}  // namespace

Status InjectTenant(const Plan& plan, const Entity& entity, item::Map* attributes) {
  const auto& tenancy = plan.application.model().tenancy;
  if (!tenancy || !plan.caller.tenant) return {};
  if (entity.model->Find(tenancy->attribute) == nullptr) return {};
  item::Value own(*plan.caller.tenant);
  const item::Value* given = attributes->Find(tenancy->attribute);
  if (given != nullptr && !(*given == own)) return BelongsToAnother();
  attributes->Set(tenancy->attribute, std::move(own));
  return {};
}

bool IsOfAnotherTenant(const Plan& plan, const Record& record) {
  const auto& tenancy = plan.application.model().tenancy;
  if (!tenancy || !plan.caller.tenant) return false;
  const item::Value* owner = record.attributes.Find(tenancy->attribute);
  return owner != nullptr && !(*owner == item::Value(*plan.caller.tenant));
}

std::unique_ptr<WriteRule> MakeTenantRule(const Entity& entity) {
  const auto& tenancy = entity.application->model().tenancy;
  if (!tenancy || entity.model->Find(tenancy->attribute) == nullptr) return nullptr;
  return std::make_unique<TenantRule>(tenancy->attribute);
}

}  // namespace monotable::entities
