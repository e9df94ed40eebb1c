#include "random_models/reference.h"

#include <algorithm>

// The changes of a write, one after the other: what a client may ask for, and where it goes.
namespace monotable::random_models {
namespace {

constexpr std::string_view kEnvelope = "data.";

bool FitsKind(Kind kind, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  switch (kind) {
    case Kind::kInteger:
      return text == nullptr;
    case Kind::kState:
      return text != nullptr && (*text == "OPEN" || *text == "BUSY" || *text == "DONE");
    case Kind::kInstant:
      return text != nullptr && InstantSeconds(*text).has_value();
    case Kind::kText:
      break;
  }
  return text != nullptr;
}

bool CanBeInKeys(const EntityDesign& entity, const Attributes& attributes) {
  const auto is_bad = [&](const Template& text) {
    for (const Piece& piece : text) {
      if (piece.attribute.empty()) continue;
      const Template alone = {piece};
      if (Render(alone, attributes).outcome == Rendered::Outcome::kBad) return true;
    }
    return false;
  };
  if (is_bad(entity.hash) || is_bad(entity.range)) return false;
  return std::none_of(entity.indexes.begin(), entity.indexes.end(), [&](const auto& key) {
    return key.in_state.empty() && (is_bad(key.hash) || is_bad(key.range));
  });
}

bool IsPlumbing(const Design& design, std::string_view name) {
  if (name == "type") return design.has_type;
  if (name == "_v") return design.has_version;
  return name == "PK" || name == "SK" || name == "ttl" || name.starts_with("GSI");
}

}  // namespace

std::pair<Rendered, Key> Reference::KeyOf(const EntityDesign& entity,
                                          const Attributes& attributes) {
  const Rendered hash = Render(entity.hash, attributes);
  const Rendered range = Render(entity.range, attributes);
  Rendered worse = hash.outcome == Rendered::Outcome::kText ? range : hash;
  return {std::move(worse), {hash.text, range.text}};
}

std::optional<Reference::Parsed> Reference::Parse(const Stored& stored) const {
  const std::string hash = TextOf(stored.at("PK"));
  const std::string range = TextOf(stored.at("SK"));
  const Value* type = design_.has_type ? Find(stored, "type") : nullptr;
  const EntityDesign* entity = nullptr;
  for (const EntityDesign& candidate : design_.entities) {
    const bool fits = type != nullptr
                          ? *type == Value(candidate.name)
                          : Match(candidate.hash, hash) && Match(candidate.range, range);
    if (fits && entity == nullptr) entity = &candidate;
  }
  if (entity == nullptr) return std::nullopt;
  Parsed parsed;
  parsed.item.entity = entity->name;
  for (const auto& [name, value] : stored) {
    if (name == "_v" && design_.has_version) parsed.item.version = std::get<int64_t>(value);
    if (IsPlumbing(design_, name) || (entity->envelope && name == "data")) continue;
    const bool inside = entity->envelope && name.starts_with(kEnvelope);
    const std::string own = inside ? name.substr(kEnvelope.size()) : name;
    const bool belongs_inside = entity->envelope && own != "state";
    if (entity->Find(own) == nullptr || inside != belongs_inside) {
      parsed.unknown.insert(name);
    } else {
      parsed.item.attributes[own] = value;
    }
  }
  for (const auto& [text, made] : {std::pair(entity->hash, hash), {entity->range, range}}) {
    const auto found = Match(text, made);
    if (!found) continue;
    for (const auto& [name, value] : *found) {
      if (!entity->IsFromKey(name) || parsed.item.attributes.contains(name)) continue;
      const bool number = entity->Find(name)->kind == Kind::kInteger;
      parsed.item.attributes[name] = number ? Value(std::stoll(value)) : Value(value);
    }
  }
  return parsed;
}

Stored Reference::StoredOf(const Item& item) const {
  const EntityDesign& entity = *design_.Find(item.entity);
  const Key key = KeyOf(entity, item.attributes).second;
  Stored stored = {{"PK", key.hash}, {"SK", key.range}};
  for (const auto& [name, value] : item.attributes) {
    if (entity.IsFromKey(name)) continue;
    const bool inside = entity.envelope && name != "state";
    stored[inside ? std::string(kEnvelope) + name : name] = value;
  }
  const Value* state = Find(item.attributes, "state");
  const auto is_in = [&](const std::string& wanted) {
    return wanted.empty() || (state != nullptr && *state == Value(wanted));
  };
  for (const IndexKeyDesign& index : entity.indexes) {
    if (!is_in(index.in_state)) continue;
    const Rendered hash = Render(index.hash, item.attributes);
    const Rendered range = Render(index.range, item.attributes);
    if (hash.outcome != Rendered::Outcome::kText || range.outcome != Rendered::Outcome::kText) {
      continue;
    }
    stored[index.index + "PK"] = hash.text;
    stored[index.index + "SK"] = range.text;
  }
  if (design_.has_type) stored["type"] = entity.name;
  if (design_.has_version) stored["_v"] = item.version;
  if (entity.ttl && is_in(entity.ttl->in_state)) {
    const Value* base = Find(item.attributes, entity.ttl->base);
    if (base != nullptr) stored["ttl"] = *InstantSeconds(TextOf(*base)) + entity.ttl->seconds;
  }
  return stored;
}

Refusals Reference::Apply(const Call& call, const std::vector<Attributes>& made, int64_t now) {
  const std::string caller = call.kind == Call::Kind::kRaw ? "" : "ana";
  Draft draft(design_, state_, now, caller, call.tenant);
  switch (call.kind) {
    case Call::Kind::kChanges:
      for (size_t i = 0; i < call.changes.size(); ++i) {
        draft.Add(call.changes[i], i < made.size() ? &made[i] : nullptr);
      }
      break;
    case Call::Kind::kOperation:
      draft.AddOperation(*design_.FindOperation(call.operation), call, made);
      break;
    case Call::Kind::kRaw:
      for (const RawWrite& write : call.raw) draft.AddRaw(write, *this);
      break;
  }
  draft.Settle();
  if (draft.refusals().empty()) state_ = draft.TakeResult();
  return draft.refusals();
}

const Item* Draft::Before(const Key& key) const {
  const auto found = before_.find(key);
  return found == before_.end() || fresh_.contains(key) ? nullptr : &found->second;
}

const Item* Draft::Old(const Key& key) const {
  const auto moved = moved_from_.find(key);
  return moved == moved_from_.end() ? Before(key) : Old(moved->second);
}

const Item* Draft::Now(const Key& key) const {
  const auto found = after_.find(key);
  return found == after_.end() ? nullptr : &found->second;
}

// The attributes of a body. The server ignores those that it sets itself.
std::optional<Attributes> Draft::Decode(const EntityDesign& entity, const Attributes& body) {
  Attributes decoded;
  for (const auto& [name, value] : body) {
    if (entity.IsReadOnly(name)) continue;
    const AttributeDesign* attribute = entity.Find(name);
    if (attribute == nullptr || !FitsKind(attribute->kind, value)) {
      Refuse("invalid");
      return std::nullopt;
    }
    const auto* number = std::get_if<int64_t>(&value);
    if (number != nullptr && attribute->max && *number > *attribute->max) {
      Refuse("invalid");
      return std::nullopt;
    }
    decoded[name] = value;
  }
  if (CanBeInKeys(entity, decoded)) return decoded;
  Refuse("invalid");
  return std::nullopt;
}

// A caller with a tenant names no other.
bool Draft::Inject(Attributes* attributes) {
  if (!tenant_ || !design_.has_tenants) return true;
  const auto [found, is_new] = attributes->emplace(kTenant, *tenant_);
  if (found->second == Value(*tenant_)) return true;
  Refuse("forbidden");
  return false;
}

// A body may repeat what the path says, but not say something else.
bool Draft::AddRoute(const Attributes& key, Attributes* attributes) {
  for (const auto& [name, value] : key) {
    const auto [found, is_new] = attributes->emplace(name, value);
    if (found->second == value) continue;
    Refuse("invalid");
    return false;
  }
  return true;
}

void Draft::FillDefaults(const EntityDesign& entity, Attributes* attributes) const {
  for (const AttributeDesign& attribute : entity.attributes) {
    if (attributes->contains(attribute.name)) continue;
    if (attribute.preset) {
      (*attributes)[attribute.name] = attribute.kind == Kind::kInteger
                                          ? Value(int64_t{std::stoll(*attribute.preset)})
                                          : Value(*attribute.preset);
    } else if (attribute.kind == Kind::kState) {
      (*attributes)[attribute.name] = "OPEN";
    }
  }
}

void Draft::StampItem(const EntityDesign& entity, const Item* old, bool raw,
                      Attributes* attributes) const {
  for (const AttributeDesign& attribute : entity.attributes) {
    if (attribute.stamp == Stamp::kNone) continue;
    if (raw && attributes->contains(attribute.name)) continue;
    const bool on_create = attribute.stamp != Stamp::kOnWrite;
    if (on_create && old != nullptr) {
      const Value* value = Find(old->attributes, attribute.name);
      if (value != nullptr) (*attributes)[attribute.name] = *value;
      continue;
    }
    if (on_create && attributes->contains(attribute.name)) continue;
    if (attribute.stamp == Stamp::kCallerOnCreate) {
      if (!caller_.empty()) (*attributes)[attribute.name] = caller_;
    } else {
      (*attributes)[attribute.name] = InstantText(now_);
    }
  }
}

// The key that the attributes make.
std::optional<Key> Draft::Place(const EntityDesign& entity, const Attributes& attributes) {
  auto [rendered, key] = Reference::KeyOf(entity, attributes);
  if (rendered.outcome == Rendered::Outcome::kText) return key;
  Refuse("invalid");
  return std::nullopt;
}

std::optional<Key> Draft::FindExisting(const EntityDesign& entity, const Attributes& key,
                                       bool say) {
  auto [rendered, found] = Reference::KeyOf(entity, key);
  if (rendered.outcome == Rendered::Outcome::kBad ||
      (rendered.outcome == Rendered::Outcome::kMissing && !entity.only_one)) {
    Refuse("invalid");
    return std::nullopt;
  }
  std::optional<Key> place;
  if (rendered.outcome == Rendered::Outcome::kText) {
    place = found;
  } else {
    // The only child of the parent that the key names.
    const std::vector<std::string> names = design_.Find(entity.parent)->KeyAttributes();
    for (const auto& [candidate, candidate_item] : after_) {
      const Item& item = candidate_item;
      if (item.entity != entity.name || IsExpired(item)) continue;
      const bool fits = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const Value* wanted = Find(key, name);
        return wanted != nullptr && *wanted == item.attributes.at(name);
      });
      const Value* tenant = Find(item.attributes, kTenant);
      if (fits && (!tenant_ || tenant == nullptr || *tenant == Value(*tenant_))) place = candidate;
    }
  }
  const Item* item = place ? Now(*place) : nullptr;
  const Value* tenant = item == nullptr ? nullptr : Find(item->attributes, kTenant);
  const bool hidden =
      item == nullptr || item->entity != entity.name ||
      (IsExpired(*item) && !touched_.contains(*place)) ||
      (tenant_ && design_.has_tenants && tenant != nullptr && *tenant != Value(*tenant_));
  if (!hidden) return place;
  if (say) Refuse("not_found");
  return std::nullopt;
}

// If-Match and If-None-Match speak of the item as it was before the write.
bool Draft::Expected(Expectation expectation, const Key& key, bool is_new) {
  if (expectation == Expectation::kNone) return true;
  const bool exists = !is_new && Before(key) != nullptr;
  const bool holds = expectation == Expectation::kAbsent
                         ? !exists
                         : exists && expectation != Expectation::kOtherVersion;
  if (!holds) Refuse("version_mismatch");
  return holds;
}

std::optional<Key> Draft::PutNew(const EntityDesign& entity, Attributes attributes,
                                 const Attributes* made) {
  if (entity.generated && !attributes.contains(entity.id)) {
    attributes[entity.id] = made != nullptr
                                ? made->at(entity.id)
                                : Value("(new id " + std::to_string(touched_.size()) + ")");
  }
  const auto key = Place(entity, attributes);
  if (!key) return std::nullopt;
  const Item* item = Now(*key);
  if (item != nullptr && IsExpired(*item) && !touched_.contains(*key)) {
    fresh_.insert(*key);
    item = nullptr;
  }
  if (item != nullptr) {
    Refuse("already_exists");
    return std::nullopt;
  }
  after_[*key] = {entity.name, std::move(attributes), 0};
  touched_.insert(*key);
  return key;
}

std::optional<Key> Draft::Rewrite(const Key& key, Attributes attributes) {
  const EntityDesign& entity = *design_.Find(after_.at(key).entity);
  const auto place = Place(entity, attributes);
  if (!place) return std::nullopt;
  if (*place == key) {
    after_.at(key).attributes = std::move(attributes);
    touched_.insert(key);
    return key;
  }
  if (!entity.moves) {
    Refuse("key_change");
    return std::nullopt;
  }
  if (Now(*place) != nullptr) {
    Refuse("already_exists");
    return std::nullopt;
  }
  after_[*place] = {entity.name, std::move(attributes), after_.at(key).version};
  after_.erase(key);
  moved_from_[*place] = key;
  touched_.insert(key);
  touched_.insert(*place);
  return place;
}

void Draft::Create(const Change& change, const Attributes* made) {
  const EntityDesign& entity = *design_.Find(change.entity);
  auto decoded = Decode(entity, change.body);
  if (!decoded) return;
  Attributes attributes = *std::move(decoded);
  if (!AddRoute(change.key, &attributes) || !Inject(&attributes)) return;
  if (change.kind == Change::Kind::kReplace) {
    Attributes key = change.key;
    if (!Inject(&key)) return;
    const size_t refusals = refusals_.size();
    const auto existing = FindExisting(entity, entity.only_one ? key : attributes, false);
    if (refusals_.size() != refusals) return;
    if (existing) {
      if (!Expected(change.expectation, *existing, false)) return;
      FillDefaults(entity, &attributes);
      for (const auto& [name, value] : after_.at(*existing).attributes) {
        if (entity.IsReadOnly(name)) attributes[name] = value;
      }
      Rewrite(*existing, std::move(attributes));
      return;
    }
  }
  FillDefaults(entity, &attributes);
  StampItem(entity, nullptr, false, &attributes);
  const auto key = PutNew(entity, std::move(attributes), made);
  if (key) Expected(change.expectation, *key, true);
}

void Draft::Update(const Change& change) {
  const EntityDesign& entity = *design_.Find(change.entity);
  const auto decoded = Decode(entity, change.body);
  Attributes key = change.key;
  if (!decoded || !Inject(&key)) return;
  const auto place = FindExisting(entity, key, true);
  if (!place || !Expected(change.expectation, *place, false)) return;
  Attributes attributes = after_.at(*place).attributes;
  for (const auto& [name, value] : *decoded) attributes[name] = value;
  for (const std::string& name : change.removed) attributes.erase(name);
  for (const auto& [name, number] : change.added) {
    const Value* old = Find(attributes, name);
    attributes[name] = (old == nullptr ? 0 : std::get<int64_t>(*old)) + number;
  }
  if (Inject(&attributes)) Rewrite(*place, std::move(attributes));
}

void Draft::Remove(const Key& key, bool cascade) {
  touched_.insert(key);
  after_.erase(key);
  if (cascade) cascading_.insert(key);
}

void Draft::Add(const Change& change, const Attributes* made) {
  switch (change.kind) {
    case Change::Kind::kCreate:
    case Change::Kind::kReplace:
      return Create(change, made);
    case Change::Kind::kUpdate:
      return Update(change);
    case Change::Kind::kDelete:
    case Change::Kind::kCheck:
      break;
  }
  Attributes key = change.key;
  if (!Inject(&key)) return;
  const auto place = FindExisting(*design_.Find(change.entity), key, true);
  if (!place || !Expected(change.expectation, *place, false)) return;
  if (change.kind == Change::Kind::kDelete) Remove(*place, change.cascade);
}

void Draft::AddOperation(const OperationDesign& operation, const Call& call,
                         const std::vector<Attributes>& made) {
  const EntityDesign& entity = *design_.Find(operation.entity);
  if (operation.kind != OperationDesign::Kind::kPutAll) {
    Attributes key = call.parameters;
    if (!Inject(&key)) return;
    const auto place = FindExisting(entity, key, true);
    if (!place) return;
    if (operation.kind == OperationDesign::Kind::kDelete) return Remove(*place, false);
    Attributes attributes = after_.at(*place).attributes;
    int64_t number = 0;  // a missing number counts from zero
    if (const Value* old = Find(attributes, operation.number)) number = std::get<int64_t>(*old);
    attributes[operation.number] = number + 1;
    if (!operation.state.empty()) attributes["state"] = operation.state;
    Rewrite(*place, std::move(attributes));
    return;
  }
  std::vector<std::optional<Attributes>> decoded;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    decoded.push_back(Decode(i == 0 ? entity : *design_.Find(operation.child), call.inputs[i]));
  }
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const EntityDesign& put = i == 0 ? entity : *design_.Find(operation.child);
    std::optional<Attributes>& attributes = decoded[i];
    if (!attributes || !Inject(&*attributes)) return;
    // What the key lacks comes from the items of earlier steps.
    for (const std::string& name : put.KeyAttributes()) {
      if (attributes->contains(name)) continue;
      for (const Key& key : results_) {
        const Item* item = Now(key);
        const Value* value = item == nullptr ? nullptr : Find(item->attributes, name);
        if (value == nullptr) continue;
        (*attributes)[name] = *value;
        break;
      }
    }
    FillDefaults(put, &*attributes);
    StampItem(put, nullptr, false, &*attributes);
    const auto key = PutNew(put, *std::move(attributes), i < made.size() ? &made[i] : nullptr);
    if (!key) return;
    results_.push_back(*key);
  }
}

// A write of the DynamoDB API says what the table is to hold. The key must follow from the
// attributes, and nothing is filled in that the model could not know by itself.
void Draft::AddRaw(const RawWrite& write, const Reference& reference) {
  const Item* old = Before(write.key);
  if (write.key.hash.starts_with("MONOTABLE#")) return Refuse("invalid");
  if (write.kind == RawWrite::Kind::kDelete) {
    if (old != nullptr) {
      raw_.insert(write.key);
      Remove(write.key, false);
    }
    return;
  }
  Stored stored = write.item;
  if (write.kind == RawWrite::Kind::kUpdate) {
    const bool has_envelope = old != nullptr && design_.Find(old->entity)->envelope;
    for (const std::string& name : write.removed) {
      if (name.starts_with(kEnvelope) && !has_envelope) return Refuse("invalid");
    }
    // Nothing can be removed from an item that is not there, and that makes none.
    if (old == nullptr && write.item.empty() && !write.removed.empty()) return;
    stored = old == nullptr ? Stored() : reference.StoredOf(*old);
    const EntityDesign* entity = old == nullptr ? nullptr : design_.Find(old->entity);
    for (const auto& [name, value] : write.item) {
      // A member of a map that is not there cannot be set.
      if (name.starts_with(kEnvelope) && (entity == nullptr || !entity->envelope)) {
        return Refuse("invalid");
      }
      stored[name] = value;
    }
    for (const std::string& name : write.removed) stored.erase(name);
    stored["PK"] = write.key.hash;
    stored["SK"] = write.key.range;
  }
  auto parsed = reference.Parse(stored);
  if (!parsed) return Refuse("invalid");
  const EntityDesign& entity = *design_.Find(parsed->item.entity);
  if (!parsed->unknown.empty()) Refuse("invalid");
  auto [rendered, key] = Reference::KeyOf(entity, parsed->item.attributes);
  if (rendered.outcome != Rendered::Outcome::kText || key != write.key) return Refuse("invalid");
  if (!CanBeInKeys(entity, parsed->item.attributes)) Refuse("invalid");
  // The version of an item that was here goes on, whatever the client says.
  if (old != nullptr) parsed->item.version = old->version;
  after_[key] = std::move(parsed->item);
  touched_.insert(key);
  raw_.insert(key);
}

}  // namespace monotable::random_models
