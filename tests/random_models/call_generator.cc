#include "random_models/call_generator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace monotable::random_models {
namespace {

using Texts = std::vector<std::string>;

const Texts kIds = {"a", "ab", "b", "ção", "x/y"};
const Texts kHostileIds = {"", "a#b", "#", "a#ab", "zz", "A"};
const Texts kTenants = {"t", "t1", "t2"};
const Texts kOrgs = {"o", "o1"};
const Texts kNames = {"Ana", "José", "", "x#y", "Ana e José"};
const Texts kStates = {"OPEN", "OPEN", "BUSY", "DONE"};

class CallGenerator {
 public:
  CallGenerator(const Reference& reference, Random* random, int64_t now)
      : reference_(reference), design_(reference.design()), random_(*random), now_(now) {}

  Call Make() {
    Call call;
    const size_t dice = random_.Below(100);
    if (dice < 25) {
      call.kind = Call::Kind::kRaw;
      MakeRaw(&call);
      if (!call.raw.empty()) return call;
      call.kind = Call::Kind::kChanges;
    }
    if (design_.has_tenants && random_.Chance(60)) call.tenant = random_.Of(kTenants);
    tenant_ = call.tenant;
    if (dice < 35 && !design_.operations.empty()) {
      MakeOperation(&call);
      return call;
    }
    const size_t count = random_.Chance(75) ? 1 : 2 + random_.Below(3);
    for (size_t i = 0; i < count; ++i) AddChange(&call);
    // Whether an item that is deleted and made again in one write is a new one is not said
    // anywhere.
    const auto has = [&](auto... kinds) {
      return std::any_of(call.changes.begin(), call.changes.end(),
                         [&](const Change& one) { return ((one.kind == kinds) || ...); });
    };
    if (has(Change::Kind::kDelete) && has(Change::Kind::kCreate, Change::Kind::kReplace)) {
      std::erase_if(call.changes,
                    [](const Change& one) { return one.kind == Change::Kind::kDelete; });
    }
    return call;
  }

 private:
  // An item does not go from one tenant to another here; only who owns the key may write it.
  void KeepTenant(const Key& key, std::string_view name, Attributes* attributes) const {
    const auto found = reference_.state().find(key);
    if (!design_.has_tenants || found == reference_.state().end()) return;
    const Value* tenant = Find(found->second.attributes, kTenant);
    if (tenant != nullptr) (*attributes)[std::string(name)] = *tenant;
  }

  const EntityDesign& AnyEntity() { return random_.Of(design_.entities); }

  const Item* AnyItem(const std::string& entity) {
    std::vector<const Item*> items;
    for (const auto& [key, item] : reference_.state()) {
      if (item.entity != entity) continue;
      const Value* tenant = Find(item.attributes, kTenant);
      const bool own = !tenant_ || tenant == nullptr || *tenant == Value(*tenant_);
      if (own || random_.Chance(15)) items.push_back(&item);
    }
    return items.empty() ? nullptr : random_.Of(items);
  }

  Value AnyValue(const AttributeDesign& attribute) {
    if (attribute.name == kTenant) return random_.Of(kTenants);
    if (attribute.name == "org") return random_.Of(kOrgs);
    switch (attribute.kind) {
      case Kind::kInteger:
        if (attribute.name.starts_with('k')) return static_cast<int64_t>(1 + random_.Below(3));
        return static_cast<int64_t>(random_.Below(25));
      case Kind::kState:
        return random_.Of(kStates);
      case Kind::kInstant:
        return InstantText(now_ - 7200 + static_cast<int64_t>(random_.Below(5)) * 1800);
      case Kind::kText:
        break;
    }
    if (attribute.name == "name") return random_.Of(kNames);
    return random_.Chance(4) ? random_.Of(kHostileIds) : random_.Of(kIds);
  }

  Value AnyReference(const AttributeDesign& attribute) {
    const Item* target = random_.Chance(85) ? AnyItem(attribute.ref) : nullptr;
    if (target == nullptr) return AnyValue(attribute);
    return target->attributes.at(design_.Find(attribute.ref)->id);
  }

  // All attributes of a new item, those of its key as an existing parent has them.
  Attributes NewAttributes(const EntityDesign& entity) {
    Attributes attributes;
    if (!entity.parent.empty() && random_.Chance(90)) {
      if (const Item* parent = AnyItem(entity.parent)) {
        for (const std::string& name : design_.Find(entity.parent)->KeyAttributes()) {
          attributes[name] = parent->attributes.at(name);
        }
        const Value* tenant = Find(parent->attributes, kTenant);
        if (tenant != nullptr) attributes[std::string(kTenant)] = *tenant;
      }
    }
    const std::vector<std::string> keys = entity.KeyAttributes();
    for (const AttributeDesign& attribute : entity.attributes) {
      if (attributes.contains(attribute.name)) continue;
      const bool is_key = std::find(keys.begin(), keys.end(), attribute.name) != keys.end();
      if (is_key && entity.generated && attribute.name == entity.id && random_.Chance(70)) continue;
      if (entity.IsReadOnly(attribute.name) && !random_.Chance(5)) continue;
      if (!is_key && !attribute.required && random_.Chance(35)) continue;
      if (!is_key && attribute.required && random_.Chance(attribute.ref.empty() ? 20 : 3)) continue;
      if (is_key && random_.Chance(1)) continue;
      attributes[attribute.name] =
          attribute.ref.empty() ? AnyValue(attribute) : AnyReference(attribute);
    }
    if (tenant_ && !random_.Chance(4)) attributes[std::string(kTenant)] = *tenant_;
    if (tenant_ && random_.Chance(50)) attributes.erase(std::string(kTenant));
    return attributes;
  }

  // The key of an item that probably exists.
  Attributes AnyKey(const EntityDesign& entity) {
    const Item* item = random_.Chance(92) ? AnyItem(entity.name) : nullptr;
    Attributes key;
    for (const std::string& name : entity.KeyAttributes()) {
      key[name] = item != nullptr ? item->attributes.at(name) : AnyValue(*entity.Find(name));
    }
    if (tenant_ && random_.Chance(95)) key.erase(std::string(kTenant));
    if (entity.only_one && !entity.id.empty() && random_.Chance(60)) key.erase(entity.id);
    return key;
  }

  Expectation AnyExpectation(const EntityDesign& entity, const Attributes& key) {
    if (random_.Chance(75)) return Expectation::kNone;
    if (random_.Chance(20)) return Expectation::kPresent;
    const bool is_whole = entity.id.empty() || key.contains(entity.id);
    if (!design_.has_version || !is_whole) return Expectation::kNone;
    return random_.Chance(75) ? Expectation::kCurrentVersion : Expectation::kOtherVersion;
  }

  void AddChange(Call* call) {
    const EntityDesign& entity = AnyEntity();
    Change change;
    change.entity = entity.name;
    const size_t dice = random_.Below(100);
    const bool is_empty = reference_.state().size() < 8;
    if (dice < (is_empty ? 60 : 38)) {
      change.kind = Change::Kind::kCreate;
      change.body = NewAttributes(entity);
    } else if (dice < 48) {
      change.kind = Change::Kind::kReplace;
      change.key = AnyKey(entity);
      change.body = NewAttributes(entity);
      for (const std::string& name : entity.KeyAttributes()) {
        const bool is_moved = entity.only_one && name == entity.id && random_.Chance(20);
        if (!is_moved) change.body.erase(name);
      }
      if (entity.only_one && !entity.id.empty() && !change.key.contains(entity.id) &&
          !change.body.contains(entity.id)) {
        change.body[entity.id] = AnyValue(*entity.Find(entity.id));
      }
      change.body.erase(std::string(kTenant));
      if (design_.has_tenants && !call->tenant && !change.key.contains(kTenant)) {
        change.body[std::string(kTenant)] = random_.Of(kTenants);
        KeepTenant(Reference::KeyOf(entity, change.key).second, kTenant, &change.body);
        if (entity.only_one) change.body.erase(std::string(kTenant));
      }
      change.expectation =
          random_.Chance(8) ? Expectation::kAbsent : AnyExpectation(entity, change.key);
    } else if (dice < 78) {
      change.kind = Change::Kind::kUpdate;
      change.key = AnyKey(entity);
      change.expectation = AnyExpectation(entity, change.key);
      FillPatch(entity, &change);
    } else if (dice < 96) {
      change.kind = Change::Kind::kDelete;
      change.key = AnyKey(entity);
      change.cascade = random_.Chance(50);
      change.expectation = AnyExpectation(entity, change.key);
    } else {
      change.kind = Change::Kind::kCheck;
      change.key = AnyKey(entity);
      change.expectation = AnyExpectation(entity, change.key);
    }
    call->changes.push_back(std::move(change));
  }

  void FillPatch(const EntityDesign& entity, Change* change) {
    const std::vector<std::string> keys = entity.KeyAttributes();
    for (const AttributeDesign& attribute : entity.attributes) {
      const bool is_key = std::find(keys.begin(), keys.end(), attribute.name) != keys.end();
      if (attribute.name == kTenant && !random_.Chance(tenant_ ? 2 : 0)) continue;
      if (is_key && !random_.Chance(entity.moves ? 20 : 3)) continue;
      if (!is_key && !random_.Chance(30)) continue;
      if (entity.IsReadOnly(attribute.name) && !random_.Chance(10)) continue;
      if (attribute.name == "num" && random_.Chance(50)) {
        change->added[attribute.name] = static_cast<int64_t>(random_.Below(7)) - 2;
      } else if (!attribute.required && !entity.IsReadOnly(attribute.name) && random_.Chance(20)) {
        change->removed.insert(attribute.name);
      } else {
        change->body[attribute.name] =
            attribute.ref.empty() ? AnyValue(attribute) : AnyReference(attribute);
      }
    }
  }

  void MakeOperation(Call* call) {
    const OperationDesign& operation = random_.Of(design_.operations);
    const EntityDesign& entity = *design_.Find(operation.entity);
    call->kind = Call::Kind::kOperation;
    call->operation = operation.name;
    if (operation.kind != OperationDesign::Kind::kPutAll) {
      call->parameters = AnyKey(entity);
      return;
    }
    call->inputs.push_back(NewAttributes(entity));
    const EntityDesign& child = *design_.Find(operation.child);
    const size_t count = random_.Below(4);
    for (size_t i = 0; i < count; ++i) {
      Attributes attributes = NewAttributes(child);
      for (const std::string& name : entity.KeyAttributes()) {
        if (random_.Chance(95)) attributes.erase(name);
      }
      call->inputs.push_back(std::move(attributes));
    }
  }

  std::string Path(const EntityDesign& entity, const std::string& name) const {
    return entity.envelope && name != "state" ? "data." + name : name;
  }

  std::optional<RawWrite> MakeRawWrite() {
    const EntityDesign& entity = AnyEntity();
    RawWrite write;
    const Item* item = random_.Chance(75) ? AnyItem(entity.name) : nullptr;
    if (item != nullptr) {
      write.key = Reference::KeyOf(entity, item->attributes).second;
      const size_t dice = random_.Below(100);
      if (dice < 25) {
        write.kind = RawWrite::Kind::kDelete;
        return write;
      }
      const bool update = dice < 65;
      write.kind = update ? RawWrite::Kind::kUpdate : RawWrite::Kind::kPut;
      if (!update) write.item = reference_.StoredOf(*item);
      for (const AttributeDesign& attribute : entity.attributes) {
        const bool is_key =
            entity.IsFromKey(attribute.name) || Find(item->attributes, attribute.name) == nullptr;
        const auto keys = entity.KeyAttributes();
        const bool in_key = std::find(keys.begin(), keys.end(), attribute.name) != keys.end();
        if (attribute.name == kTenant || (in_key && !random_.Chance(2)) ||
            (is_key && entity.IsFromKey(attribute.name)) || !random_.Chance(25)) {
          continue;
        }
        const std::string path = Path(entity, attribute.name);
        if (random_.Chance(attribute.required ? 2 : 15)) {
          if (update) {
            write.removed.insert(path);
          } else {
            write.item.erase(path);
          }
        } else if (!entity.IsReadOnly(attribute.name) || random_.Chance(20)) {
          write.item[path] = attribute.ref.empty() ? AnyValue(attribute) : AnyReference(attribute);
        }
      }
    } else {
      Item made{entity.name, NewAttributes(entity), 0};
      if (Reference::KeyOf(entity, made.attributes).first.outcome != Rendered::Outcome::kText) {
        return std::nullopt;
      }
      if (random_.Chance(85)) {
        for (const AttributeDesign& attribute : entity.attributes) {
          if (attribute.required && !made.attributes.contains(attribute.name)) {
            made.attributes[attribute.name] =
                attribute.ref.empty() ? AnyValue(attribute) : AnyReference(attribute);
          }
        }
      }
      KeepTenant(Reference::KeyOf(entity, made.attributes).second, kTenant, &made.attributes);
      write.item = reference_.StoredOf(made);
      write.item.erase("_v");
      write.key = Reference::KeyOf(entity, made.attributes).second;
    }
    if (write.kind == RawWrite::Kind::kPut) {
      if (random_.Chance(3)) write.item["bogus"] = "x";
      if (random_.Chance(10))
        std::erase_if(write.item, [](const auto& one) { return one.first.starts_with("GSI"); });
      if (random_.Chance(1)) write.item["type"] = "Nothing";
      if (random_.Chance(1)) write.key.hash = "MONOTABLE#UNIQUE#x";
      if (random_.Chance(2)) write.key.range += "b";
      write.item["PK"] = write.key.hash;
      write.item["SK"] = write.key.range;
    }
    return write;
  }

  void MakeRaw(Call* call) {
    const size_t count = random_.Chance(75) ? 1 : 2 + random_.Below(2);
    call->batch = count > 1 && random_.Chance(50);
    for (size_t i = 0; i < count; ++i) {
      auto write = MakeRawWrite();
      if (!write) continue;
      // DynamoDB refuses two writes of one item in a request.
      const bool is_twice = std::any_of(call->raw.begin(), call->raw.end(),
                                        [&](const auto& one) { return one.key == write->key; });
      if (!is_twice) call->raw.push_back(*std::move(write));
    }
  }

  const Reference& reference_;
  const Design& design_;
  Random& random_;
  const int64_t now_;
  std::optional<std::string> tenant_;
};

}  // namespace

Call MakeCall(const Reference& reference, Random* random, int64_t now_seconds) {
  return CallGenerator(reference, random, now_seconds).Make();
}

}  // namespace monotable::random_models
