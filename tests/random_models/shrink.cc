#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "random_models/trial.h"

// Makes a trial smaller as long as the server and the reference still differ.
namespace monotable::random_models {
namespace {

bool Differs(const Trial& trial) {
  const Verdict verdict = Repeat(trial);
  return !verdict.refused_model && !verdict.difference.empty();
}

// Leaves out as many members of a list as it can, first large parts, then small ones.
template <typename T>
void ShrinkList(std::vector<T>* list, const std::function<bool()>& still_differs) {
  for (size_t part = std::max<size_t>(list->size() / 2, 1); part > 0; part /= 2) {
    for (size_t begin = 0; begin < list->size();) {
      const std::vector<T> whole = *list;
      const size_t end = std::min(begin + part, list->size());
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(begin),
                  list->begin() + static_cast<std::ptrdiff_t>(end));
      if (still_differs()) continue;
      *list = whole;
      begin += part;
    }
  }
}

template <typename Map>
void ShrinkMap(Map* map, const std::function<bool()>& still_differs) {
  const Map whole = *map;
  for (const auto& member : whole) {
    const Map before = *map;
    if constexpr (requires { member.first; }) {
      map->erase(member.first);
    } else {
      map->erase(member);
    }
    if (!still_differs()) *map = before;
  }
}

void ShrinkCalls(Trial* trial) {
  const auto still_differs = [&] { return Differs(*trial); };
  ShrinkList(&trial->calls, still_differs);
  for (Call& call : trial->calls) {
    if (call.changes.size() > 1) ShrinkList(&call.changes, still_differs);
    if (call.raw.size() > 1) ShrinkList(&call.raw, still_differs);
    for (Change& change : call.changes) {
      ShrinkMap(&change.body, still_differs);
      ShrinkMap(&change.removed, still_differs);
      ShrinkMap(&change.added, still_differs);
      const Expectation expectation = std::exchange(change.expectation, Expectation::kNone);
      if (expectation != Expectation::kNone && !still_differs()) change.expectation = expectation;
    }
  }
}

void RemoveEntity(const std::string& name, Design* design) {
  for (const EntityDesign& child : std::vector<EntityDesign>(design->entities)) {
    if (child.parent == name) RemoveEntity(child.name, design);
  }
  std::set<std::string> members;
  for (const MemberDesign& member : design->members) {
    if (member.entity == name) members.insert(member.name);
  }
  std::erase_if(design->entities, [&](const auto& one) { return one.name == name; });
  std::erase_if(design->members,
                [&](const auto& one) { return one.entity == name || one.root == name; });
  std::erase_if(design->operations,
                [&](const auto& one) { return one.entity == name || one.child == name; });
  for (EntityDesign& entity : design->entities) {
    if (entity.restricted_by == name) entity.restricted_by.clear();
    std::erase_if(entity.copies, [&](const auto& one) { return one.source == name; });
    std::erase_if(entity.attributes, [&](const AttributeDesign& one) {
      return one.derive && (one.derive->first == name || members.contains(one.derive->first));
    });
    for (AttributeDesign& attribute : entity.attributes) {
      if (attribute.ref == name) attribute.ref.clear();
    }
    const bool is_root = std::any_of(design->members.begin(), design->members.end(),
                                     [&](const auto& one) { return one.root == entity.name; });
    if (!is_root) entity.cascades = false;
  }
}

// Whether everything that the design names is there.
bool IsWhole(const Design& design) {
  for (const EntityDesign& entity : design.entities) {
    const auto has = [&](const std::string& name) { return entity.Find(name) != nullptr; };
    const auto has_all = [&](const Template& text) {
      return std::all_of(text.begin(), text.end(), [&](const Piece& piece) {
        return piece.attribute.empty() || has(piece.attribute);
      });
    };
    if (!has_all(entity.hash) || !has_all(entity.range)) return false;
    if (design.has_tenants && !has(std::string(kTenant))) return false;
    bool is_whole = true;
    std::set<std::string> found_by;
    for (const IndexKeyDesign& key : entity.indexes) {
      is_whole = is_whole && has_all(key.hash) && has_all(key.range);
      for (const Piece& piece : key.hash) found_by.insert(piece.attribute);
    }
    for (const CopyDesign& copy : entity.copies) {
      is_whole = is_whole && has(copy.attribute) && has(copy.via) &&
                 (!copy.live || found_by.contains(copy.via)) &&
                 (copy.frozen_in.empty() || has("state")) &&
                 design.Find(copy.source)->Find(copy.source_attribute) != nullptr;
    }
    for (const UniqueDesign& unique : entity.unique) is_whole = is_whole && has(unique.attribute);
    for (const EntityDesign& target : design.entities) {
      if (target.restricted_by == entity.name) is_whole = is_whole && found_by.contains(target.id);
    }
    for (const AttributeDesign& attribute : entity.attributes) {
      if (!attribute.ref.empty()) {
        const EntityDesign& target = *design.Find(attribute.ref);
        for (const std::string& name : target.KeyAttributes()) {
          is_whole = is_whole && (name == target.id || has(name));
        }
      }
      if (!attribute.derive) continue;
      const Formula& formula = *attribute.derive;
      if (formula.kind == Formula::Kind::kAdd) {
        is_whole = is_whole && has(formula.first) && has(formula.second);
      } else if (formula.kind != Formula::Kind::kRelated) {
        const MemberDesign* member = design.FindMember(entity.name, formula.first);
        is_whole = is_whole && member != nullptr &&
                   (formula.second.empty() ||
                    design.Find(member->entity)->Find(formula.second) != nullptr);
      } else {
        is_whole = is_whole && design.Find(formula.first)->Find(formula.second) != nullptr;
      }
    }
    if (!is_whole) return false;
  }
  return true;
}

template <typename T>
void AddWithoutOne(const Design& design, const std::function<std::vector<T>&(Design&)>& list,
                   std::vector<Design>* simpler) {
  Design copy = design;
  for (size_t i = list(copy).size(); i-- > 0;) {
    Design without = design;
    std::vector<T>& members = list(without);
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    simpler->push_back(std::move(without));
  }
}

}  // namespace

std::vector<Design> SimplerDesigns(const Design& design) {
  std::vector<Design> simpler;
  for (const EntityDesign& entity : design.entities) {
    Design without = design;
    RemoveEntity(entity.name, &without);
    if (!without.entities.empty()) simpler.push_back(std::move(without));
  }
  const auto change = [&](const std::function<void(Design&)>& how) {
    Design changed = design;
    how(changed);
    if (YamlOf(changed) != YamlOf(design)) simpler.push_back(std::move(changed));
  };
  change([](Design& one) { one.operations.clear(); });
  change([](Design& one) { one.has_type = true; });
  change([](Design& one) { one.has_version = false; });
  for (size_t i = 0; i < design.entities.size(); ++i) {
    change([i](Design& one) { one.entities[i].ttl.reset(); });
    change([i](Design& one) { one.entities[i].from_key.clear(); });
    change([i](Design& one) { one.entities[i].envelope = false; });
    change([i](Design& one) { one.entities[i].moves = false; });
    change([i](Design& one) { one.entities[i].cascades = false; });
    change([i](Design& one) { one.entities[i].restricted_by.clear(); });
    change([i](Design& one) { one.entities[i].generated = false; });
    change([i](Design& one) { one.entities[i].only_one = false; });
    AddWithoutOne<CopyDesign>(
        design, [i](Design & one) -> auto& { return one.entities[i].copies; }, &simpler);
    AddWithoutOne<UniqueDesign>(
        design, [i](Design & one) -> auto& { return one.entities[i].unique; }, &simpler);
    AddWithoutOne<AssertDesign>(
        design, [i](Design & one) -> auto& { return one.entities[i].asserts; }, &simpler);
    AddWithoutOne<IndexKeyDesign>(
        design, [i](Design & one) -> auto& { return one.entities[i].indexes; }, &simpler);
    AddWithoutOne<AttributeDesign>(
        design, [i](Design & one) -> auto& { return one.entities[i].attributes; }, &simpler);
  }
  AddWithoutOne<MemberDesign>(
      design, [](Design & one) -> auto& { return one.members; }, &simpler);
  std::erase_if(simpler, [](const Design& one) { return !IsWhole(one); });
  return simpler;
}

Trial Shrink(Trial trial) {
  ShrinkCalls(&trial);
  for (bool again = true; std::exchange(again, false);) {
    for (Design& simpler : SimplerDesigns(trial.design)) {
      Trial candidate{simpler, {}, trial.folder};
      for (const Call& call : trial.calls) {
        bool fits =
            call.kind != Call::Kind::kOperation || simpler.FindOperation(call.operation) != nullptr;
        for (const EntityDesign& entity : trial.design.entities) {
          if (simpler.Find(entity.name) == nullptr && Mentions(trial.design, call, entity.name)) {
            fits = false;
          }
        }
        if (fits) candidate.calls.push_back(call);
      }
      if (candidate.calls.empty() || !Differs(candidate)) continue;
      trial = std::move(candidate);
      again = true;
      break;
    }
  }
  ShrinkCalls(&trial);
  return trial;
}

}  // namespace monotable::random_models
