#include <optional>

#include "deploy/diff/diff_sections.h"
#include "model/type.h"

namespace monotable::deploy {

// Attributes: what clients may and must send, and what they get.

namespace {

// Objects have attributes of their own, which are compared in the same way.
void DiffAttributes(const std::vector<model::AttributeModel>& before,
                    const std::vector<model::AttributeModel>& after, const Changes& changes);

using model::AttributeModel;
using model::SetBy;
using model::TypeKind;
using model::TypeModel;

// Whether the first bound allows everything that the second allows. No bound allows everything.
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

// Whether a type accepts every value that the other accepted, so that no client is refused.
bool TakesAllOf(const TypeModel& after, const TypeModel& before) {
  if (after.kind == TypeKind::kAny) return true;
  if (after.kind != before.kind || after.enum_name != before.enum_name) return false;
  const bool element_fits =
      (after.element == nullptr) == (before.element == nullptr) &&
      (after.element == nullptr || TakesAllOf(*after.element, *before.element));
  // Without a scale, a number may have any number of digits.
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
              wider ? "Everything that was accepted is still accepted."
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
                      : "No client is refused because of it.");
  changes.Compare(before.hidden, after.hidden,
                  after.hidden ? ChangeKind::kBreaking : ChangeKind::kHarmless, "hidden",
                  after.hidden ? "Clients no longer see it." : "Clients see more than before.");
  changes.Compare(DefaultOf(before), DefaultOf(after), ChangeKind::kHarmless, "default",
                  "It applies to new items only.");
  const bool server_sets = after.set != SetBy::kClient;
  if (before.set != after.set) {
    changes.Add(
        server_sets ? ChangeKind::kBreaking : ChangeKind::kHarmless,
        server_sets ? "is filled in by the server in another way" : "is left to clients",
        server_sets ? "The server ignores what clients send for it." : "Clients may send it now.");
  }
  changes.Compare(TextOf(before.derive), TextOf(after.derive), ChangeKind::kRewrite, "derive",
                  "Stored items have the value of the old formula.");
  const bool stricter = !after.references.empty();
  changes.Compare(before.references, after.references,
                  stricter ? ChangeKind::kBreaking : ChangeKind::kHarmless, "references",
                  stricter ? "Values that do not name an existing item are refused."
                           : "Fewer values are refused.");
}

void DiffAttributes(const std::vector<AttributeModel>& before,
                    const std::vector<AttributeModel>& after, const Changes& changes) {
  PairByName(
      before, after, kByName,
      [&](const AttributeModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone",
                                  "Clients no longer get it, and may be refused if they send it.");
      },
      [&](const AttributeModel& added) {
        const bool must_send = added.required && !FilledIn(added);
        changes.Of(added.name)
            .Add(must_send ? ChangeKind::kBreaking : ChangeKind::kHarmless,
                 must_send ? "is new and required" : "is new",
                 must_send ? "Clients that do not send it are refused, and stored "
                             "items lack it."
                           : "Stored items do not have it.");
      },
      [&](const AttributeModel& old, const AttributeModel& now) {
        DiffAttribute(old, now, changes.Of(now.name));
      });
}

// Entities: where their items are, what is checked when they are written.

using model::EntityModel;
using model::KeyModel;

std::string Shown(const KeyModel& key) {
  std::vector<std::string> parts;
  for (const KeyModel::Part& part : key.parts) {
    parts.push_back(fmt::format("{} = {}", part.attribute, part.text.text()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Shown(const model::UniqueModel& unique) {
  std::vector<std::string> parts;
  for (const model::Template& field : unique.fields) parts.push_back(field.text());
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!unique.scope.empty()) text += fmt::format(" within {}", fmt::join(unique.scope, ", "));
  return text;
}

std::string Shown(const std::optional<model::TtlModel>& ttl) {
  if (!ttl) return "";
  std::string text = fmt::format("{} s after {}", ttl->after_seconds, ttl->base);
  if (ttl->when) text += " when " + ttl->when->text();
  return text;
}

void DiffKeys(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  const auto name_of = [](const KeyModel& key) {
    return key.index.empty() ? std::string("primary") : key.index;
  };
  PairByName(
      before.keys, after.keys, name_of,
      [&](const KeyModel& gone) {
        changes.Of(name_of(gone))
            .Add(ChangeKind::kRewrite, "is gone",
                 "Stored items stay in the index until they are rewritten.");
      },
      [&](const KeyModel& added) {
        changes.Of(name_of(added))
            .Add(ChangeKind::kRewrite, fmt::format("is new ({})", Shown(added)),
                 "Stored items are not in the index until they are rewritten.");
      },
      [&](const KeyModel& old, const KeyModel& now) {
        const Changes key = changes.Of(name_of(now));
        key.Compare(Shown(old), Shown(now), ChangeKind::kRewrite, "template",
                    now.index.empty() ? "Stored items are under their old keys, where reads no "
                                        "longer look."
                                      : "Stored items are in the index under their old keys.");
        key.Compare(TextOf(old.when), TextOf(now.when), ChangeKind::kRewrite, "when",
                    "The old condition decided which stored items are in the index.");
      });
}

void DiffUnique(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  PairByName(
      before.unique, after.unique, kByName,
      [&](const model::UniqueModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kHarmless, "is gone", "Fewer writes are refused.");
      },
      [&](const model::UniqueModel& added) {
        changes.Of(added.name)
            .Add(ChangeKind::kRewrite, fmt::format("is new ({})", Shown(added)),
                 "Stored items are not compared until they are rewritten.");
      },
      [&](const model::UniqueModel& old, const model::UniqueModel& now) {
        changes.Of(now.name).Compare(Shown(old), Shown(now), ChangeKind::kRewrite, "fields",
                                     "Stored items are compared by the old fields.");
      });
}

void DiffCopies(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  const auto source = [](const model::CopyModel& copy) {
    return fmt::format("{}.{} by {}", copy.source_entity, copy.source_attribute, copy.via);
  };
  PairByName(
      before.copies, after.copies, [](const model::CopyModel& copy) { return copy.attribute; },
      [&](const model::CopyModel& gone) {
        changes.Of(gone.attribute)
            .Add(ChangeKind::kHarmless, "is no longer a copy",
                 "Stored items keep what was copied.");
      },
      [&](const model::CopyModel& added) {
        changes.Of(added.attribute)
            .Add(ChangeKind::kRewrite, fmt::format("is a copy of {}", source(added)),
                 "Stored items do not have the copy yet.");
      },
      [&](const model::CopyModel& old, const model::CopyModel& now) {
        const Changes copy = changes.Of(now.attribute);
        copy.Compare(source(old), source(now), ChangeKind::kRewrite, "source",
                     "Stored items have the value of the old source.");
        copy.Compare(old.live, now.live, ChangeKind::kHarmless, "live",
                     "It applies from the next change of the source.");
        copy.Compare(TextOf(old.freeze_when), TextOf(now.freeze_when), ChangeKind::kHarmless,
                     "freeze_when", "It applies from the next change of the source.");
      });
}

void DiffRules(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  PairByName(
      before.rules, after.rules, kByName,
      [&](const model::AssertModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kHarmless, "is gone", "Fewer writes are refused.");
      },
      [&](const model::AssertModel& added) {
        changes.Of(added.name)
            .Add(ChangeKind::kBreaking, fmt::format("is new ({})", added.assertion.text()),
                 "Writes that break it are refused.");
      },
      [&](const model::AssertModel& old, const model::AssertModel& now) {
        const Changes rule = changes.Of(now.name);
        rule.Compare(old.assertion.text(), now.assertion.text(), ChangeKind::kBreaking, "that",
                     "Writes that were accepted may be refused.");
        rule.Compare(old.on_create_only, now.on_create_only,
                     now.on_create_only ? ChangeKind::kHarmless : ChangeKind::kBreaking,
                     "on create only",
                     now.on_create_only ? "Fewer writes are refused."
                                        : "Updates that were accepted may be refused.");
      });
}

// Compares what is checked or done when items are written, except asserts.
void DiffBehaviour(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  changes.Compare(Shown(before.ttl), Shown(after.ttl), ChangeKind::kRewrite, "ttl",
                  "Stored items expire by the old rule.");
  const bool hid = before.ttl && before.ttl->hide_expired;
  const bool hides = after.ttl && after.ttl->hide_expired;
  changes.Compare(hid, hides, ChangeKind::kHarmless, "hide_expired",
                  "Items that have expired are deleted soon in any case.");
  const bool moved = before.on_key_change == model::KeyChange::kMove;
  const bool moves = after.on_key_change == model::KeyChange::kMove;
  changes.Compare(moved, moves, moves ? ChangeKind::kHarmless : ChangeKind::kBreaking,
                  "moves when its key changes",
                  moves ? "Fewer writes are refused." : "Writes that change the key are refused.");
  const bool restricts = !after.restrict_delete_if.empty();
  changes.Compare(
      before.restrict_delete_if, after.restrict_delete_if,
      restricts ? ChangeKind::kBreaking : ChangeKind::kHarmless, "restrict_delete_if",
      restricts ? "Deletes that were accepted may be refused." : "Fewer deletes are refused.");
  changes.Compare(before.cascade_collection, after.cascade_collection, ChangeKind::kBreaking,
                  "deletes its collection", "A delete now deletes other items than before.");
  const bool rejects = after.unknown_attributes == model::UnknownAttributes::kReject;
  if (before.unknown_attributes != after.unknown_attributes) {
    changes.Add(rejects ? ChangeKind::kBreaking : ChangeKind::kHarmless,
                "treats unknown attributes in another way",
                rejects ? "Clients that send unknown attributes are refused."
                        : "Fewer writes are refused.");
  }
}

}  // namespace

void DiffEntity(const EntityModel& before, const EntityModel& after, const Changes& changes) {
  const char* const elsewhere = "Stored items are elsewhere or have another form.";
  changes.Compare(before.table, after.table, ChangeKind::kRewrite, "table", elsewhere);
  changes.Compare(before.type_value, after.type_value, ChangeKind::kRewrite, "type value",
                  elsewhere);
  changes.Compare(before.envelope, after.envelope, ChangeKind::kRewrite, "envelope", elsewhere);
  changes.Compare(before.outside_envelope, after.outside_envelope, ChangeKind::kRewrite,
                  "outside the envelope", elsewhere);
  changes.Compare(before.from_key, after.from_key, ChangeKind::kRewrite, "from_key", elsewhere);
  const char* const routes = "URLs contain it.";
  changes.Compare(before.path, after.path, ChangeKind::kBreaking, "path", routes);
  changes.Compare(before.parent, after.parent, ChangeKind::kBreaking, "parent", routes);
  changes.Compare(before.cardinality == model::Cardinality::kOne,
                  after.cardinality == model::Cardinality::kOne, ChangeKind::kBreaking,
                  "only one for each parent", routes);
  const model::IdModel none;
  const model::IdModel& old_id = before.id ? *before.id : none;
  const model::IdModel& new_id = after.id ? *after.id : none;
  changes.Compare(old_id.attribute, new_id.attribute, ChangeKind::kBreaking, "id", routes);
  changes.Compare(old_id.format, new_id.format, ChangeKind::kHarmless, "id format",
                  "It applies to new items only.");
  DiffKeys(before, after, changes.Of("keys"));
  DiffAttributes(before.attributes, after.attributes, changes.Of("attributes"));
  DiffUnique(before, after, changes.Of("unique"));
  DiffCopies(before, after, changes.Of("copies"));
  DiffRules(before, after, changes.Of("assert"));
  DiffBehaviour(before, after, changes);
}

}  // namespace monotable::deploy
