#include "entities/audit/item_audit.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/key_check.h"
#include "engine/read.h"
#include "entities/audit/show.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/rules/expiry.h"
#include "entities/rules/expressions.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"
#include "entities/write/copies.h"
#include "text/words.h"

namespace monotable::entities {
namespace {

using Kind = Breach::Kind;
using State = Breach::State;
using Mode = KeyLocks::Mode;
using item::Value;

// What a repair does to an attribute.
std::string Becomes(const Value* value) {
  return value == nullptr ? "It is removed." : fmt::format("It becomes {}.", Show(value));
}

// Whether an error is about the values of an item. Other errors end the audit.
bool IsAboutValues(const Error& error) {
  return ProblemOf(error) != nullptr || error.code() == ErrorCode::kValidation;
}

// A missing item is not an error, and neither is a value that cannot be the key of one.
Result<Slot*> NoneIfProblem(Result<Slot*> found) {
  if (!found && IsAboutValues(found.error())) return static_cast<Slot*>(nullptr);
  return found;
}

bool IsThere(const Slot* slot) {
  return slot != nullptr && slot->current() != nullptr;
}

bool ContainsWord(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) { return text::IsAlphanumeric(c) || c == '_' || c == '.'; };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_part(text[at - 1]);
    if (begins && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

// Whether the attributes of the item, and its members, say all that the rule needs. Others change
// what the rule looks at without a write of the item, so the item need not follow.
bool IsSelfContained(const Entity& entity, const model::Rule& rule) {
  if (ContainsWord(rule.text(), "now")) return false;
  return std::ranges::all_of(rule.paths(), [&](const std::string& path) {
    return entity.model->Find(path.substr(0, path.find('.'))) != nullptr;
  });
}

// The derived attributes that every write of the item or of its members keeps right. A value that
// is made of another one that need not be right need not be right itself.
std::set<std::string_view> KeptAttributes(const Entity& entity) {
  std::set<std::string_view> kept;
  for (const model::AttributeModel& attribute : entity.model->attributes) {
    if (attribute.derive && IsSelfContained(entity, *attribute.derive)) kept.insert(attribute.name);
  }
  for (size_t before = kept.size() + 1; before != kept.size();) {
    before = kept.size();
    std::erase_if(kept, [&](std::string_view name) {
      const auto& paths = entity.model->Find(name)->derive->paths();
      return std::ranges::any_of(paths, [&](const std::string& path) {
        const std::string_view first = std::string_view(path).substr(0, path.find('.'));
        return entity.model->Find(first)->derive && !kept.contains(first);
      });
    });
  }
  return kept;
}

std::string AttributeOf(const FieldProblem& problem) {
  return problem.path.starts_with('/') ? problem.path.substr(1) : problem.path;
}

// The number that a counter has given for an id; nothing if the id is of another form.
std::optional<int64_t> NumberIn(const Entity& entity, const item::Map& attributes) {
  const auto& id = entity.model->id;
  if (!id || id->generate != model::IdModel::Generate::kCounter) return std::nullopt;
  if (!id->scope.empty()) return std::nullopt;
  const Value* value = attributes.Find(id->attribute);
  if (value == nullptr) return std::nullopt;
  int64_t number = 0;
  if (value->is(item::Type::kNumber)) {
    return value->number().ToInt64(&number) ? std::optional(number) : std::nullopt;
  }
  if (!value->is(item::Type::kString)) return std::nullopt;
  std::string digits = value->string();
  if (!id->format.empty()) {
    const auto format = model::Template::Parse(id->format);
    const auto parts = format ? format->Match(value->string()) : std::nullopt;
    if (!parts || parts->size() != 1) return std::nullopt;
    digits = parts->front().text;
  }
  const auto parsed = text::ParseNumber<int64_t>(digits);
  if (!parsed) return std::nullopt;
  const auto spelled = FormatId(entity, id->format, attributes, std::to_string(*parsed));
  return spelled && *spelled == value->string() ? parsed : std::nullopt;
}

}  // namespace

ItemAudit::ItemAudit(const AuditedTable& audited, bool repair, Draft* draft)
    : audited_(audited),
      repair_(repair),
      draft_(*draft),
      plan_{audited.application, nobody_, ids_, *draft} {}

Breach& ItemAudit::Add(Kind kind, State state, std::string attribute, std::string message,
                       std::string remedy) {
  Breach breach;
  breach.kind = kind;
  breach.state = state;
  breach.table_name = audited_.table->name;
  breach.entity = entity_ == nullptr ? "" : entity_->name();
  breach.key = key_;
  breach.attribute = std::move(attribute);
  breach.message = std::move(message);
  breach.remedy = std::move(remedy);
  breaches_.push_back(std::move(breach));
  return breaches_.back();
}

void ItemAudit::GiveUpRepairs(const std::string& why) {
  for (Breach& breach : breaches_) {
    if (breach.state != State::kRepairable) continue;
    breach.state = State::kUndecided;
    breach.remedy = why;
  }
}

bool ItemAudit::has_corrections() const {
  return std::ranges::any_of(draft_.slots(), [](const auto& slot) { return slot->written; });
}

Status ItemAudit::LookAt(std::string_view stored_key) {
  TRY_ASSIGN(const auto image, engine::ReadItem(draft_.reader(), stored_key));
  if (!image) return {};
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(image->bytes));
  key_ = engine::KeyOf(*audited_.table, item);
  const bool internal = IsInternal(audited_.model, key_);
  if (!internal) entity_ = audited_.application.Recognise(audited_.model, item);
  Slot* slot = nullptr;
  if (entity_ != nullptr) {
    TRY_ASSIGN(slot, draft_.Load(*entity_, *image, Mode::kExclusive));
  } else {
    TRY_ASSIGN(slot, draft_.LoadInternal(audited_.first_entity, key_));
  }
  if (!slot->image || slot->image->bytes != image->bytes) {
    return Error(ErrorCode::kTransactionConflict, "The item has changed.");
  }
  if (internal) {
    TRY(LookAtInternal(slot, item));
  } else if (entity_ == nullptr) {
    LookForUnknown(*slot);
  } else if (!IsHidden(*entity_, encoding::ItemView(*image), draft_.now_ms())) {
    TRY(LookAtEntity(slot));
  }
  // All that was looked at counts, not only that it exists.
  for (const auto& seen : draft_.slots()) seen->any_image = false;
  return {};
}

void ItemAudit::LookForUnknown(const Slot& slot) {
  for (const Application* other : audited_.sharing) {
    const model::TableModel& table = *other->FindTable(audited_.table->name);
    if (other->Recognise(table, encoding::ItemView(*slot.image)) != nullptr) return;
  }
  Add(Kind::kUnknownItem, State::kUndecided, "",
      fmt::format("No entity of the model {} has such an item: neither its type nor its key is "
                  "that of an entity.",
                  audited_.application.model().name),
      "Delete the item, give it the type and key of an entity, or add its entity to the model.");
}

// Everything is compared with what the rules would make of the item if it were written now. The
// slot holds that while the item is looked at.
Status ItemAudit::LookAtEntity(Slot* slot) {
  TRY_ASSIGN(const item::Item stored, encoding::DecodeItem(slot->image->bytes));
  NoteNumber(*slot);
  slot->after = *slot->before;
  slot->written = true;
  TRY(CompareCopies(slot));
  TRY(DeriveAgain(slot));
  CheckValues(*slot);
  TRY(CheckReferences(*slot));
  TRY(CheckParent(*slot));
  TRY(CheckOnlyChild(*slot));
  TRY(CheckAssertions(*slot));
  return CompareItem(slot, stored);
}

void ItemAudit::NoteNumber(const Slot& slot) {
  const auto number = NumberIn(*slot.entity, slot.before->attributes);
  if (number) numbers_[slot.entity] = {*number, slot.key};
}

Status ItemAudit::CompareCopies(Slot* slot) {
  for (const model::CopyModel& copy : slot->entity->model->copies) {
    if (!copy.live) continue;
    if (copy.freeze_when) {
      const auto frozen = Test(&plan_, *slot, *copy.freeze_when);
      if (!frozen && !IsAboutValues(frozen.error())) return frozen.error();
      // Nobody knows whether a copy is frozen if the values of the item do not say so.
      if (!frozen || *frozen) continue;
    }
    TRY(CompareCopy(slot, copy));
  }
  return {};
}

Status ItemAudit::CompareCopy(Slot* slot, const model::CopyModel& copy) {
  const Value* value = nullptr;
  item::Map& attributes = slot->after->attributes;
  if (const Value* via = attributes.Find(copy.via); via != nullptr && !via->is(item::Type::kNull)) {
    TRY_ASSIGN(const Slot* source,
               NoneIfProblem(Referenced(&plan_, *slot, *slot->entity->model->Find(copy.via))));
    if (!IsThere(source)) return {};  // the copy is all that is left of the source
    value = FindPath(source->current()->attributes, copy.source_attribute);
    if (AreSame(attributes.Find(copy.attribute), value)) return {};
    TRY_ASSIGN(const bool on_its_way, IsOnItsWay(*source));
    if (on_its_way) return {};
  }
  const Value* own = attributes.Find(copy.attribute);
  if (AreSame(own, value)) return {};
  Add(Kind::kCopy, State::kRepairable, copy.attribute,
      fmt::format("{} is {}, and {}.{} is {}.", copy.attribute, Show(own), copy.source_entity,
                  copy.source_attribute, Show(value)),
      Becomes(value));
  SetOrRemove(copy.attribute, value, &attributes);
  return {};
}

// Whether a job is still bringing the values of the source to its followers.
Result<bool> ItemAudit::IsOnItsWay(const Slot& source) {
  const auto job = CopyJobKey(*source.entity, source.key);
  if (!job) return false;
  TRY_ASSIGN(const Slot* stored, draft_.LoadInternal(*source.entity, *job));
  return stored->image.has_value();
}

Status ItemAudit::DeriveAgain(Slot* slot) {
  const Record before = *slot->after;
  if (Status derived = slot->entity->rules->Apply(Phase::kDerive, &plan_, slot); !derived) {
    if (!IsAboutValues(derived.error())) return derived;
    slot->after = before;
    Add(Kind::kDerived, State::kUndecided, "",
        "A derived value cannot be computed: " + derived.error().message(),
        "Correct the values that it is made of.");
    return {};
  }
  const auto kept = KeptAttributes(*slot->entity);
  for (const model::AttributeModel& attribute : slot->entity->model->attributes) {
    if (!attribute.derive) continue;
    const Value* stored = before.attributes.Find(attribute.name);
    const Value* derived = slot->after->attributes.Find(attribute.name);
    if (!kept.contains(attribute.name)) {
      SetOrRemove(attribute.name, stored, &slot->after->attributes);
    } else if (!AreSame(stored, derived)) {
      Add(Kind::kDerived, State::kRepairable, attribute.name,
          fmt::format("{} is {}, and {} is {}.", attribute.name, Show(stored),
                      attribute.derive->text(), Show(derived)),
          Becomes(derived));
    }
  }
  return {};
}

void ItemAudit::CheckValues(const Slot& slot) {
  const Entity& entity = *slot.entity;
  for (const FieldProblem& problem : CheckAttributes(entity, slot.after->attributes)) {
    const bool unknown = problem.code == "unknown";
    Add(unknown ? Kind::kUnknownAttribute : Kind::kValue, State::kUndecided, AttributeOf(problem),
        problem.message,
        unknown ? "Remove the attribute, or add it to the model."
                : "Give the attribute a value that the model allows.");
  }
  if (entity.model->unknown_attributes != model::UnknownAttributes::kReject) return;
  for (const item::Attribute& attribute : slot.after->extra) {
    Add(Kind::kUnknownAttribute, State::kUndecided, attribute.name,
        fmt::format("{} has no attribute {} in this place.", entity.name(), attribute.name),
        "Remove the attribute, or add it to the model.");
  }
}

Status ItemAudit::CheckReferences(const Slot& slot) {
  for (const model::AttributeModel& attribute : slot.entity->model->attributes) {
    if (attribute.references.empty()) continue;
    const Value* id = slot.after->attributes.Find(attribute.name);
    if (id == nullptr || id->is(item::Type::kNull)) continue;
    TRY_ASSIGN(const Slot* target, NoneIfProblem(Referenced(&plan_, slot, attribute)));
    if (IsThere(target)) continue;
    Add(Kind::kMissingReference, State::kUndecided, attribute.name,
        fmt::format("There is no {} {}.", attribute.references, Show(id)),
        fmt::format("Create the {}, refer to another one, or delete the item.",
                    attribute.references));
  }
  return {};
}

Status ItemAudit::CheckParent(const Slot& slot) {
  const Entity* parent = slot.entity->parent;
  if (parent == nullptr) return {};
  TRY_ASSIGN(const Slot* above, NoneIfProblem(OwnerOf(&plan_, *slot.entity->relations->parent,
                                                      *slot.after, Mode::kShared)));
  if (above == nullptr) return {};
  if (IsThere(above)) {
    CheckTenant(slot, *above);
    return {};
  }
  Add(Kind::kMissingParent, State::kUndecided, "",
      fmt::format("There is no {} with {}, to which the {} would belong.", parent->name(),
                  Show(above->key), slot.entity->name()),
      fmt::format("Create the {}, or delete the item.", parent->name()));
  return {};
}

void ItemAudit::CheckTenant(const Slot& slot, const Slot& parent) {
  const auto& tenancy = audited_.application.model().tenancy;
  if (!tenancy) return;
  const Value* own = slot.after->attributes.Find(tenancy->attribute);
  const Value* its = parent.current()->attributes.Find(tenancy->attribute);
  if (own == nullptr || its == nullptr || *own == *its) return;
  Add(Kind::kOtherTenant, State::kUndecided, "",
      fmt::format("The item is of tenant {}, and its {} is of tenant {}.", Show(own),
                  parent.entity->name(), Show(its)),
      "Decide to which tenant the item belongs, and correct or delete it.");
}

// Of several children, all but the first are too many.
Status ItemAudit::CheckOnlyChild(const Slot& slot) {
  const Entity& entity = *slot.entity;
  if (entity.parent == nullptr || entity.model->cardinality != model::Cardinality::kOne) return {};
  const Relation& relation = *entity.relations->parent;
  const auto owner = relation.OwnerOf(slot.after->attributes);
  const auto values = owner ? relation.ValuesOf(*owner) : std::nullopt;
  if (!values) return {};
  const auto page = FindRelated(draft_.engine(), draft_.reader(), relation, *values);
  if (!page) return IsAboutValues(page.error()) ? Status() : page.error();
  const std::vector<Found>* const found = &page->items;
  if (found->empty() || found->front().item == *slot.image) return {};
  TRY_ASSIGN(const item::Item first,
             engine::KeyOf(*audited_.table, encoding::ItemView(found->front().item)));
  Add(Kind::kSecondChild, State::kUndecided, "",
      fmt::format("The {} may have one {}, and has another one with {}.", entity.parent->name(),
                  entity.name(), Show(first)),
      "Decide which of them is right, and delete the others.");
  return {};
}

Status ItemAudit::CheckAssertions(const Slot& slot) {
  for (const model::AssertModel& rule : slot.entity->model->rules) {
    // Members and other items change without a write of this item.
    if (rule.on_create_only || !rule.assertion.aggregates().empty()) continue;
    if (!IsSelfContained(*slot.entity, rule.assertion)) continue;
    const auto holds = Test(&plan_, slot, rule.assertion);
    if (!holds && !IsAboutValues(holds.error())) return holds.error();
    if (holds && *holds) continue;
    Add(Kind::kAssertion, State::kUndecided, "",
        fmt::format("The rule {} does not hold: {}.", rule.name, rule.assertion.text()),
        "Correct the values that the rule is about.");
  }
  return {};
}

Status ItemAudit::CompareItem(Slot* slot, const item::Item& stored) {
  const Entity& entity = *slot->entity;
  const Record after = *slot->after;
  const auto expected = ItemOf(entity, after);
  if (!expected) {
    const bool explained = std::ranges::any_of(
        breaches_, [](const Breach& breach) { return breach.kind == Kind::kValue; });
    if (!explained) {
      Add(Kind::kKey, State::kUndecided, "", expected.error().message(),
          "Give the attribute a value that can be in a key.");
    }
    GiveUpRepairs("Correct the values of the item first.");
    slot->written = false;
    slot->after.reset();
    return {};
  }
  const model::TableModel& table = *entity.table;
  for (const std::string& name : entity.plumbing) {
    if (table.key.Find(name) != nullptr) continue;
    const Value* is = stored.Find(name);
    const Value* should_be = expected->Find(name);
    if (AreSame(is, should_be)) continue;
    const Kind kind = name == table.type_attribute      ? Kind::kType
                      : name == table.version_attribute ? Kind::kVersion
                      : name == table.ttl_attribute     ? Kind::kExpiry
                                                        : Kind::kIndexKey;
    Add(kind, State::kRepairable, name,
        fmt::format("{} is {}, and the attributes make it {}.", name, Show(is), Show(should_be)),
        Becomes(should_be));
  }
  TRY(CompareKey(slot, *expected));
  Slot* place = slot;
  for (const auto& other : draft_.slots()) {
    if (other->moved_from == slot) place = other.get();
  }
  if (const auto image = NewImage(*place); !image) {
    GiveUpRepairs("The corrected item cannot be stored: " + image.error().message());
  }
  const bool correctable = std::ranges::any_of(
      breaches_, [](const Breach& breach) { return breach.state == State::kRepairable; });
  const bool corrects = repair_ && correctable;
  if (corrects && !table.version_attribute.empty()) ++place->after->version;
  if (!corrects) {
    for (Slot* changed : {slot, place}) {
      changed->written = false;
      changed->after.reset();
      changed->moved_from = nullptr;
      changed->moved_away = false;
    }
  }
  return CompareMarkers(*slot, correctable ? after : *slot->before,
                        corrects ? place->key : slot->key);
}

// An item whose attributes make another key moves to that key, if it is free.
Status ItemAudit::CompareKey(Slot* slot, const item::Item& expected) {
  item::Item key = engine::KeyOf(*audited_.table, expected);
  if (key == slot->key) return {};
  const std::string message =
      fmt::format("The key is {}, and the attributes make it {}.", Show(slot->key), Show(key));
  TRY_ASSIGN(Slot * place, NoneIfProblem(draft_.Load(*slot->entity, key, Mode::kExclusive)));
  if (place == nullptr) {
    Add(Kind::kKey, State::kUndecided, "", message, "Correct the attributes of the key.");
    GiveUpRepairs("Correct the attributes of the key first.");
    return {};
  }
  if (place->image) {
    Add(Kind::kKey, State::kUndecided, "", message,
        "There is an item with that key already. Decide which of the two is right, and correct or "
        "delete the other one.");
    GiveUpRepairs("Correct the key first.");
    return {};
  }
  Add(Kind::kKey, State::kRepairable, "", message, fmt::format("The item moves to {}.", Show(key)));
  place->written = true;
  place->after = std::move(slot->after);
  place->moved_from = slot;
  slot->after.reset();
  slot->moved_away = true;
  return {};
}

}  // namespace monotable::entities
