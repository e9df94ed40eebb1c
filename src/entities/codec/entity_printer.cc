#include "entities/codec/entity_printer.h"

#include <algorithm>
#include <utility>

#include "json/json_writer.h"

// What is shown of an entity's items, and how.
namespace monotable::entities {
namespace {

using Form = ValuePlan::Form;
using model::AttributeModel;
using model::TypeKind;
using model::TypeModel;

std::string Opening(std::string_view name) {
  std::string opening = ",";
  json::AppendString(name, &opening);
  opening.push_back(':');
  return opening;
}

ValuePlan::Member MemberOf(std::string_view name, ValuePlan plan) {
  return {std::string(name), Opening(name), std::move(plan)};
}

void Sort(std::vector<ValuePlan::Member>* members) {
  std::sort(members->begin(), members->end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

ValuePlan Skipped() {
  ValuePlan plan;
  plan.form = Form::kSkip;
  return plan;
}

Form FormOf(model::InstantForm stored) {
  switch (stored) {
    case model::InstantForm::kIso:
      return Form::kPlain;
    case model::InstantForm::kBrazilian:
      return Form::kBrazilian;
    case model::InstantForm::kEpoch:
      return Form::kEpoch;
    case model::InstantForm::kEpochMillis:
      return Form::kEpochMillis;
  }
  return Form::kPlain;
}

ValuePlan PlanOf(const AttributeModel& attribute);

// Most types need nothing, and then neither do their members.
ValuePlan PlanOf(const TypeModel& type) {
  ValuePlan plan;
  if (type.kind == TypeKind::kInstant) {
    plan.form = FormOf(type.stored);
  } else if (type.element) {
    ValuePlan element = PlanOf(*type.element);
    if (element.form == Form::kPlain) return plan;
    plan.form = Form::kElements;
    plan.element = std::make_shared<ValuePlan>(std::move(element));
  } else if (type.kind == TypeKind::kObject) {
    bool is_plain = true;
    for (const AttributeModel& attribute : type.attributes) {
      plan.members.push_back(MemberOf(attribute.name, PlanOf(attribute)));
      is_plain = is_plain && plan.members.back().value.form == Form::kPlain;
    }
    if (is_plain) return {};
    plan.form = Form::kObject;
    plan.shows_unknown = true;
    Sort(&plan.members);
  }
  return plan;
}

ValuePlan PlanOf(const AttributeModel& attribute) {
  return attribute.hidden ? Skipped() : PlanOf(attribute.type);
}

}  // namespace

EntityPrinter::EntityPrinter(const Entity& entity)
    : rules_(entity.application->key_rules()), envelope_(entity.model->envelope) {
  const bool keeps = entity.model->unknown_attributes == model::UnknownAttributes::kKeep;
  ValuePlan enveloped;
  enveloped.form = Form::kEnvelope;
  enveloped.shows_unknown = keeps;
  item_.form = Form::kObject;
  item_.shows_unknown = keeps && envelope_.empty();
  for (const AttributeModel& attribute : entity.model->attributes) {
    ValuePlan& place = entity.InEnvelope(attribute.name) ? enveloped : item_;
    place.members.push_back(MemberOf(attribute.name, PlanOf(attribute)));
  }
  for (const std::string& name : entity.plumbing)
    item_.members.push_back(MemberOf(name, Skipped()));
  if (!envelope_.empty()) {
    Sort(&enveloped.members);
    item_.members.push_back(MemberOf(envelope_, std::move(enveloped)));
  }
  Sort(&item_.members);
  for (const model::KeyModel::Part& part : entity.model->primary().parts) {
    Key key{part.attribute, &part.text, {}};
    for (const std::string& name : part.text.attributes()) {
      const bool is_taken = std::any_of(keys_.begin(), keys_.end(), [&name](const Key& other) {
        return std::any_of(other.attributes.begin(), other.attributes.end(),
                           [&name](const auto& one) { return one.attribute->name == name; });
      });
      const AttributeModel* attribute = entity.model->Find(name);
      if (is_taken || attribute == nullptr || attribute->hidden || !entity.IsFromKey(name))
        continue;
      key.attributes.push_back({attribute, Opening(name)});
    }
    if (!key.attributes.empty()) keys_.push_back(std::move(key));
  }
}

}  // namespace monotable::entities
