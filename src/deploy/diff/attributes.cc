#include <optional>

#include "deploy/diff/sections.h"
#include "model/type_text.h"

// Attributes: what clients may and must send, and what they get.
namespace monotable::deploy {
namespace {

using model::AttributeModel;
using model::SetBy;
using model::TypeKind;
using model::TypeModel;

// Whether the first bound lets through all that the second does; none lets through everything.
template <typename Bound>
bool AtMost(const std::optional<Bound>& after, const std::optional<Bound>& before) {
  if (!after) return true;
  return before && !(*before < *after);
}
template <typename Bound>
bool AtLeast(const std::optional<Bound>& after, const std::optional<Bound>& before) {
  if (!after) return true;
  return before && !(*after < *before);
}

// Whether a type takes every value that the other took, so that no client is refused.
bool TakesAllOf(const TypeModel& after, const TypeModel& before) {
  if (after.kind == TypeKind::kAny) return true;
  if (after.kind != before.kind || after.enum_name != before.enum_name) return false;
  const bool element_fits =
      (after.element == nullptr) == (before.element == nullptr) &&
      (after.element == nullptr || TakesAllOf(*after.element, *before.element));
  // No scale: as many digits as a number has.
  const bool scale_fits = AtLeast(after.scale, before.scale);
  return AtMost(after.min_length, before.min_length) &&
         AtLeast(after.max_length, before.max_length) &&
         (after.pattern.empty() || after.pattern == before.pattern) &&
         (after.format.empty() || after.format == before.format) &&
         AtMost(after.minimum, before.minimum) && AtLeast(after.maximum, before.maximum) &&
         after.precision >= before.precision && scale_fits && element_fits;
}

bool IsStoredOtherwise(const TypeModel& before, const TypeModel& after) {
  if (before.kind != TypeKind::kInstant || after.kind != TypeKind::kInstant) return false;
  return before.stored != after.stored || before.milliseconds != after.milliseconds;
}

void DiffType(const TypeModel& before, const TypeModel& after, const Changes& changes) {
  if (IsStoredOtherwise(before, after)) {
    changes.Add(ChangeKind::kRewrite, "is stored in another form",
                "Stored items have the old form, and so have keys that are made of it.");
  }
  if (!before.attributes.empty() || !after.attributes.empty()) {
    DiffAttributes(before.attributes, after.attributes, changes);
  }
  const std::string old_text = model::DescribeType(before);
  const std::string new_text = model::DescribeType(after);
  const bool same = old_text == new_text && TakesAllOf(after, before) && TakesAllOf(before, after);
  if (same || IsStoredOtherwise(before, after)) return;
  const bool wider = TakesAllOf(after, before);
  changes.Add(wider ? ChangeKind::kHarmless : ChangeKind::kBreaking,
              old_text == new_text ? "has other constraints"
                                   : fmt::format("type: {} → {}", old_text, new_text),
              wider ? "It takes all that it took."
                    : "Values that were accepted are refused, and stored items may have them.");
}

bool FilledIn(const AttributeModel& attribute) {
  return attribute.set != SetBy::kClient || attribute.default_value.has_value() ||
         !attribute.default_from.empty() || attribute.derive.has_value();
}

std::string DefaultOf(const AttributeModel& attribute) {
  if (attribute.default_value) return attribute.default_value->text;
  return attribute.default_from;
}

void DiffAttribute(const AttributeModel& before, const AttributeModel& after,
                   const Changes& changes) {
  DiffType(before.type, after.type, changes);
  const bool must_send = after.required && !FilledIn(after);
  changes.Compare(before.required, after.required,
                  must_send ? ChangeKind::kBreaking : ChangeKind::kHarmless, "required",
                  must_send
                      ? "Clients that do not send it are refused, and stored items may lack it."
                      : "No client is refused for it.");
  changes.Compare(before.hidden, after.hidden,
                  after.hidden ? ChangeKind::kBreaking : ChangeKind::kHarmless, "hidden",
                  after.hidden ? "Clients no longer see it." : "Clients see more than before.");
  changes.Compare(DefaultOf(before), DefaultOf(after), ChangeKind::kHarmless, "default",
                  "It counts for new items only.");
  const bool server_sets = after.set != SetBy::kClient;
  if (before.set != after.set) {
    changes.Add(
        server_sets ? ChangeKind::kBreaking : ChangeKind::kHarmless,
        server_sets ? "is filled in otherwise by the server" : "is left to clients",
        server_sets ? "What clients send for it is not heeded." : "Clients may send it now.");
  }
  changes.Compare(TextOf(before.derive), TextOf(after.derive), ChangeKind::kRewrite, "derive",
                  "Stored items have what the old formula gave.");
  const bool stricter = !after.references.empty();
  changes.Compare(before.references, after.references,
                  stricter ? ChangeKind::kBreaking : ChangeKind::kHarmless, "references",
                  stricter ? "Values that name nothing are refused." : "Fewer values are refused.");
}

}  // namespace

void DiffAttributes(const std::vector<AttributeModel>& before,
                    const std::vector<AttributeModel>& after, const Changes& changes) {
  PairByName(
      before, after, kByName,
      [&](const AttributeModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone",
                                  "Clients get it no longer, and may be refused if they send it.");
      },
      [&](const AttributeModel& added) {
        const bool must_send = added.required && !FilledIn(added);
        changes.Of(added.name)
            .Add(must_send ? ChangeKind::kBreaking : ChangeKind::kHarmless,
                 must_send ? "is new and required" : "is new",
                 must_send ? "Clients that do not send it are refused, and stored "
                             "items lack it."
                           : "Stored items go without it.");
      },
      [&](const AttributeModel& old, const AttributeModel& now) {
        DiffAttribute(old, now, changes.Of(now.name));
      });
}

}  // namespace monotable::deploy
