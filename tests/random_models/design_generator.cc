#include "random_models/design_generator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace monotable::random_models {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> NamesIn(const Template& text) {
  std::vector<std::string> names;
  for (const Piece& piece : text) {
    if (!piece.attribute.empty()) names.push_back(piece.attribute);
  }
  return names;
}

class DesignGenerator {
 public:
  explicit DesignGenerator(Random* random) : random_(*random) {}

  Design Make() {
    design_.has_type = random_.Chance(75);
    design_.has_version = random_.Chance(80);
    design_.has_tenants = random_.Chance(45);
    for (const char* from : {"OPEN", "BUSY", "DONE"}) {
      auto& allowed = design_.transitions[from];
      for (const char* to : {"OPEN", "BUSY", "DONE"}) {
        if (std::string_view(from) != to && random_.Chance(60)) allowed.emplace_back(to);
      }
    }
    const size_t roots = 1 + random_.Below(3);
    const size_t children = 1 + random_.Below(4);
    for (size_t i = 0; i < roots; ++i) AddRoot();
    for (size_t i = 0; i < children; ++i) AddChild();
    for (size_t i = 0; i < design_.entities.size(); ++i) {
      AddPlainAttributes(&design_.entities[i]);
    }
    for (size_t i = 1; i < design_.entities.size(); ++i) AddReferences(i);
    for (EntityDesign& entity : design_.entities) AddSums(&entity);
    for (EntityDesign& entity : design_.entities) AddFeatures(&entity);
    for (const EntityDesign& entity : design_.entities) AddOperations(entity);
    return std::move(design_);
  }

 private:
  EntityDesign NewEntity() {
    EntityDesign entity;
    entity.name = fmt::format("E{}", design_.entities.size());
    entity.id = fmt::format("k{}", design_.entities.size());
    return entity;
  }

  static void AddText(const std::string& name, bool required, EntityDesign* entity) {
    if (entity->Find(name) != nullptr) return;
    AttributeDesign attribute;
    attribute.name = name;
    attribute.required = required;
    entity->attributes.push_back(std::move(attribute));
  }

  static AttributeDesign& Add(const std::string& name, Kind kind, EntityDesign* entity) {
    AttributeDesign attribute;
    attribute.name = name;
    attribute.kind = kind;
    entity->attributes.push_back(std::move(attribute));
    return entity->attributes.back();
  }

  void AddRoot() {
    EntityDesign entity = NewEntity();
    const std::string& name = entity.name;
    const Piece id{"", entity.id};
    switch (random_.Below(design_.has_tenants ? 5 : 2)) {
      case 0:  // a partition of its own
        entity.hash = {{name + "#", ""}, id};
        entity.range = {{name, ""}};
        break;
      case 1:  // several parents in one partition
        entity.hash = {{"ORG#", ""}, {"", "org"}};
        if (design_.has_tenants) entity.hash.insert(entity.hash.end(), {{"#", ""}, {"", "tenant"}});
        entity.range = {{name + "#", ""}, id};
        AddText("org", true, &entity);
        break;
      case 2:  // a tenant in a partition
        entity.hash = {{"T#", ""}, {"", "tenant"}};
        entity.range = {{name + "#", ""}, id};
        break;
      case 3:
        entity.hash = {{"T#", ""}, {"", "tenant"}, {"#" + name + "#", ""}, id};
        entity.range = {{name, ""}};
        break;
      default:  // the item says its tenant, its key does not
        entity.hash = {{name + "#", ""}, id};
        entity.range = {{"ROOT", ""}};
        break;
    }
    AddText(entity.id, true, &entity);
    if (design_.has_tenants) AddText(std::string(kTenant), true, &entity);
    entity.generated = random_.Chance(15);
    design_.entities.push_back(std::move(entity));
  }

  void AddChild() {
    const EntityDesign parent = random_.Of(design_.entities);
    EntityDesign entity = NewEntity();
    entity.parent = parent.name;
    entity.only_one = random_.Chance(20);
    const std::vector<std::string> identity = parent.KeyAttributes();
    std::vector<std::string> known;
    const bool same_partition = random_.Chance(65);
    if (same_partition) {
      entity.hash = parent.hash;
      known = NamesIn(parent.hash);
      entity.range = {{entity.name, ""}};
    } else {
      entity.hash = {{entity.name + "P", ""}};
      entity.range = {{entity.name, ""}};
    }
    Template& place = same_partition ? entity.range : entity.hash;
    for (const std::string& name : identity) {
      if (Contains(known, name)) continue;
      place.push_back({"#", ""});
      place.push_back({"", name, parent.Find(name)->kind == Kind::kInteger ? 3 : 0});
    }
    for (const std::string& name : identity) {
      AttributeDesign attribute = *parent.Find(name);
      attribute.ref.clear();
      entity.attributes.push_back(std::move(attribute));
    }
    if (!entity.only_one || random_.Chance(50)) {
      const bool number = random_.Chance(30);
      entity.range.push_back({"#", ""});
      entity.range.push_back({"", entity.id, number ? 3 : 0});
      AttributeDesign& id = Add(entity.id, number ? Kind::kInteger : Kind::kText, &entity);
      id.required = true;
    } else {
      entity.id.clear();
    }
    if (design_.has_tenants) AddText(std::string(kTenant), true, &entity);
    design_.entities.push_back(std::move(entity));
  }

  void AddPlainAttributes(EntityDesign* entity) {
    AttributeDesign& number = Add("num", Kind::kInteger, entity);
    number.required = true;
    number.preset = "0";
    if (random_.Chance(20)) number.max = 20;
    AddText("name", false, entity);
    if (random_.Chance(60)) Add("state", Kind::kState, entity).required = true;
    if (random_.Chance(30)) {
      Add("cap", Kind::kInteger, entity);
      if (random_.Chance(50)) entity->asserts.push_back({"num_in_cap", "num", "cap"});
    }
    if (random_.Chance(20)) {
      Add("twice", Kind::kInteger, entity).derive = Formula{Formula::Kind::kAdd, "num", "num"};
    }
    if (random_.Chance(30)) Add("createdAt", Kind::kInstant, entity).stamp = Stamp::kOnCreate;
    if (random_.Chance(30)) Add("updatedAt", Kind::kInstant, entity).stamp = Stamp::kOnWrite;
    if (random_.Chance(20)) Add("createdBy", Kind::kText, entity).stamp = Stamp::kCallerOnCreate;
  }

  // References lead to earlier entities, so copies cannot go in circles.
  void AddReferences(size_t index) {
    EntityDesign& entity = design_.entities[index];
    const size_t count = random_.Below(3);
    for (size_t i = 0; i < count; ++i) {
      EntityDesign& target = design_.entities[random_.Below(index)];
      if (target.id.empty() || target.name == entity.parent) continue;
      const bool by_its_name = entity.Find(target.id) == nullptr && random_.Chance(70);
      const std::string name = by_its_name ? target.id : fmt::format("r{}", i);
      const std::vector<std::string> needed = target.KeyAttributes();
      const bool names_whole_key =
          std::all_of(needed.begin(), needed.end(), [&](const std::string& one) {
            return one == target.id || entity.Find(one) != nullptr || one == "org";
          });
      if (!names_whole_key || entity.Find(name) != nullptr) continue;
      for (const std::string& one : needed) {
        if (one == "org") AddText("org", true, &entity);
      }
      AttributeDesign& reference = Add(name, target.Find(target.id)->kind, &entity);
      reference.ref = target.name;
      reference.required = random_.Chance(30);
      const bool is_found = AddIndex(name, &entity);
      AddCopies(name, target, is_found, &entity);
      // The pattern of restrict_if asks for the id alone, which must be the key but for the tenant.
      const bool id_is_key = std::all_of(needed.begin(), needed.end(), [&](const auto& one) {
        return one == target.id || one == kTenant;
      });
      // An index of keys alone cannot tell the tenants apart, unless its partition does.
      const bool tells_tenants =
          is_found && (!design_.has_tenants || entity.indexes.back().index != "GSI3" ||
                       Contains(NamesIn(entity.indexes.back().hash), kTenant));
      if (tells_tenants && by_its_name && id_is_key && target.restricted_by.empty() &&
          random_.Chance(40)) {
        target.restricted_by = entity.name;
      }
      if (random_.Chance(20)) {
        Add("rel" + name, Kind::kInteger, &entity).derive =
            Formula{Formula::Kind::kRelated, target.name, "num"};
      }
    }
  }

  // An index by which the items of one reference are found.
  bool AddIndex(const std::string& reference, EntityDesign* entity) {
    for (const char* index : {"GSI1", "GSI3", "GSI2"}) {
      const bool is_taken =
          std::any_of(entity->indexes.begin(), entity->indexes.end(),
                      [&](const IndexKeyDesign& key) { return key.index == index; });
      if (is_taken || random_.Chance(20)) continue;
      IndexKeyDesign key;
      key.index = index;
      if (design_.has_tenants && random_.Chance(50))
        key.hash = {{"T#", ""}, {"", "tenant"}, {"#", ""}};
      key.hash.push_back({fmt::format("{}R#", entity->name), ""});
      key.hash.push_back({"", reference});
      key.range = {{"R#", ""}, {"", entity->KeyAttributes().back()}};
      entity->indexes.push_back(std::move(key));
      return true;
    }
    return false;
  }

  void AddCopies(const std::string& via, const EntityDesign& target, bool may_live,
                 EntityDesign* entity) {
    for (const char* source : {"name", "num", "twice", "copy"}) {
      if (target.Find(source) == nullptr || !random_.Chance(40)) continue;
      CopyDesign copy;
      copy.attribute = fmt::format("{}Of{}", source, via);
      if (std::string_view(source) == "name" && entity->Find("copy") == nullptr)
        copy.attribute = "copy";
      copy.source = target.name;
      copy.source_attribute = source;
      copy.via = via;
      copy.live = may_live && random_.Chance(80);
      if (copy.live && entity->Find("state") != nullptr && random_.Chance(40))
        copy.frozen_in = "DONE";
      Add(copy.attribute, target.Find(source)->kind, entity);
      entity->copies.push_back(std::move(copy));
    }
  }

  // Sums of children that share the partition of their parent.
  void AddSums(EntityDesign* entity) {
    for (const EntityDesign& child : design_.entities) {
      if (child.parent != entity->name || TextOf(child.hash) != TextOf(entity->hash)) continue;
      const std::string member = "m" + child.name;
      design_.members.push_back({member, entity->name, child.name});
      if (random_.Chance(60)) {
        Add("sum" + child.name, Kind::kInteger, entity).derive =
            Formula{Formula::Kind::kSum, member, "num"};
      }
      if (random_.Chance(40)) {
        Add("cnt" + child.name, Kind::kInteger, entity).derive =
            Formula{Formula::Kind::kCount, member, ""};
      }
      // A sum of sums.
      for (const AttributeDesign& below : child.attributes) {
        if (!below.name.starts_with("sum") || !random_.Chance(70)) continue;
        const std::string of = below.name;
        Add("sum" + child.name + of, Kind::kInteger, entity).derive =
            Formula{Formula::Kind::kSum, member, of};
      }
    }
  }

  void AddFeatures(EntityDesign* entity) {
    const bool has_state = entity->Find("state") != nullptr;
    const bool is_root = std::any_of(design_.members.begin(), design_.members.end(),
                                     [&](const auto& one) { return one.root == entity->name; });
    if (is_root) entity->cascades = random_.Chance(60);
    entity->moves = random_.Chance(25);
    entity->envelope = has_state && random_.Chance(15);
    if (random_.Chance(15) && !entity->id.empty()) entity->from_key = {entity->id};
    if (random_.Chance(40)) {
      AddText("code", false, entity);
      UniqueDesign unique{"code" + entity->name, "code", {}};
      if (design_.has_tenants && random_.Chance(60)) unique.scope.emplace_back(kTenant);
      if (entity->Find("org") != nullptr && random_.Chance(40)) unique.scope.emplace_back("org");
      entity->unique.push_back(std::move(unique));
    }
    if (random_.Chance(25)) {
      Add("at", Kind::kInstant, entity);
      TtlDesign ttl{"at", 3600, "", false};
      if (has_state && random_.Chance(50)) ttl.in_state = "DONE";
      // An expired item is in a state of its own, which only items without relations are in here.
      ttl.hides = !design_.HasChildren(entity->name) && entity->parent.empty() &&
                  entity->unique.empty() && random_.Chance(50);
      entity->ttl = ttl;
    }
    if (has_state && random_.Chance(30)) {
      IndexKeyDesign key;
      key.index = "GSI2";
      key.hash = {{entity->name + "S#", ""}, {"", "state"}};
      key.range = {{"S#", ""}, {"", entity->KeyAttributes().back()}};
      if (random_.Chance(50)) key.in_state = "OPEN";
      const bool is_taken = std::any_of(entity->indexes.begin(), entity->indexes.end(),
                                        [](const auto& one) { return one.index == "GSI2"; });
      if (!is_taken) entity->indexes.push_back(std::move(key));
    }
  }

  void AddOperations(const EntityDesign& entity) {
    OperationDesign operation;
    operation.entity = entity.name;
    operation.name = "change" + entity.name;
    operation.number = "num";
    if (entity.Find("state") != nullptr && random_.Chance(50)) operation.state = "DONE";
    if (random_.Chance(40)) design_.operations.push_back(operation);
    operation.name = "delete" + entity.name;
    operation.kind = OperationDesign::Kind::kDelete;
    if (random_.Chance(20)) design_.operations.push_back(operation);
    operation.name = "put" + entity.name;
    operation.kind = OperationDesign::Kind::kPutAll;
    for (const EntityDesign& child : design_.entities) {
      if (child.parent != entity.name || child.only_one || !random_.Chance(50)) continue;
      operation.child = child.name;
      design_.operations.push_back(operation);
      break;
    }
  }

  Random& random_;
  Design design_;
};

}  // namespace

Design MakeDesign(Random* random) {
  return DesignGenerator(random).Make();
}

std::optional<Design> MakeAmbiguous(Design design, Random* random) {
  // A child that does not say which of the parents in its partition it belongs to.
  std::vector<EntityDesign*> children;
  for (EntityDesign& entity : design.entities) {
    if (entity.parent.empty() || design.HasChildren(entity.name)) continue;
    const EntityDesign& parent = *design.Find(entity.parent);
    if (NamesIn(parent.range).empty() || TextOf(parent.hash) != TextOf(entity.hash)) continue;
    if (entity.id.empty()) continue;
    children.push_back(&entity);
  }
  if (children.empty()) return std::nullopt;
  EntityDesign& child = *random->Of(children);
  const EntityDesign parent = *design.Find(child.parent);
  const std::string lost = NamesIn(parent.range).back();
  child.range = {{child.name + "#", ""}, {"", child.id, child.range.back().width}};
  std::erase_if(child.attributes, [&](const auto& one) { return one.name == lost; });
  std::erase_if(design.operations, [&](const auto& one) {
    return one.entity == child.name || one.child == child.name;
  });
  return design;
}

}  // namespace monotable::random_models
