#include "model/model.h"

#include <memory>

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

EnumModel Status(EnumModel::Transitions transitions) {
  EnumModel model;
  model.values = {{"DRAFT", "", ""}, {"SENT", "", ""}, {"GONE", "", ""}};
  model.transitions = transitions;
  model.listed = {{"DRAFT", {"SENT"}}};
  return model;
}

TEST(EnumModel, AllowsWhatIsListed) {
  const EnumModel model = Status(EnumModel::Transitions::kListed);
  EXPECT_TRUE(model.Allows("DRAFT", "SENT"));
  EXPECT_TRUE(model.Allows("SENT", "SENT"));
  EXPECT_FALSE(model.Allows("DRAFT", "GONE"));
  EXPECT_FALSE(model.Allows("SENT", "DRAFT"));
  EXPECT_TRUE(model.AllowedFrom("GONE").empty());
}

TEST(EnumModel, AllowsAllIfItListsNothing) {
  for (const auto transitions : {EnumModel::Transitions::kAny, EnumModel::Transitions::kNone}) {
    const EnumModel model = Status(transitions);
    EXPECT_TRUE(model.Allows("GONE", "DRAFT"));
    EXPECT_EQ(model.AllowedFrom("SENT"), (std::vector<std::string>{"DRAFT", "GONE"}));
  }
}

TEST(EntityModel, FollowsPathsThroughObjectsAndMaps) {
  AttributeModel city;
  city.name = "City";
  TypeModel address;
  address.kind = TypeKind::kObject;
  address.attributes = {city};
  TypeModel by_name;
  by_name.kind = TypeKind::kMap;
  by_name.element = std::make_shared<const TypeModel>(address);
  TypeModel any;
  any.kind = TypeKind::kAny;
  EntityModel entity;
  entity.attributes.resize(3);
  entity.attributes[0].name = "Address";
  entity.attributes[0].type = address;
  entity.attributes[1].name = "Offices";
  entity.attributes[1].type = by_name;
  entity.attributes[2].name = "Free";
  entity.attributes[2].type = any;

  EXPECT_EQ(entity.FindPath("Address")->kind, TypeKind::kObject);
  EXPECT_EQ(entity.FindPath("Address.City")->kind, TypeKind::kString);
  EXPECT_EQ(entity.FindPath("Offices.Lisbon")->kind, TypeKind::kObject);
  EXPECT_EQ(entity.FindPath("Offices.Lisbon.City")->kind, TypeKind::kString);
  EXPECT_EQ(entity.FindPath("Free.a.b")->kind, TypeKind::kAny);
  for (const char* path :
       {"", "City", "Address.Street", "Address.City.x", "Offices.Lisbon.Street"}) {
    EXPECT_EQ(entity.FindPath(path), nullptr) << path;
  }
}

TEST(Model, FindsPatternsByNameOrId) {
  Model model;
  model.patterns.resize(2);
  model.patterns[0].name = "unnumbered";
  model.patterns[1].id = "AP1";
  model.patterns[1].name = "getSale";
  EXPECT_EQ(model.FindPattern("AP1"), &model.patterns[1]);
  EXPECT_EQ(model.FindPattern("getSale"), &model.patterns[1]);
  EXPECT_EQ(model.FindPattern(""), nullptr);
}

}  // namespace
}  // namespace monotable::model
