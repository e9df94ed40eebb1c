#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

// Followers that have followers, sources and followers that move, and a table that can hold no job.
namespace monotable::entities {
namespace {

constexpr std::string_view kTowns = R"yaml(format: stm/1
model: towns
tables:
  main:
    name: towns
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: Kind
    version_attribute: Version
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: keys}
  flat:
    name: flat
    keys: {hash: "PK S"}
    type_attribute: Kind
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S"}
entities:
  City:
    table: main
    path: cities
    id: {attribute: CityId}
    keys:
      primary: {PK: "CITY#{CityId}", SK: "CITY#{Country}"}
    attributes:
      CityId: {type: string, required: true, max: 64}
      Country: {type: string, required: true, max: 64}
      Name: {type: string, max: 64}
    on_key_change: move
  Person:
    table: main
    path: persons
    id: {attribute: PersonId}
    keys:
      primary: {PK: "PERSON#{PersonId}", SK: "PERSON#{Street}"}
      GSI1: {GSI1PK: "CITY#{CityId}", GSI1SK: "PERSON#{PersonId}"}
    attributes:
      PersonId: {type: string, required: true, max: 64}
      Street: {type: string, required: true, max: 64}
      CityId: {type: string, required: true, max: 64, ref: City}
      CityName: string
    copies:
      - {set: CityName, from: City.Name, via: CityId, mode: live}
    on_key_change: move
  Pet:
    table: main
    path: pets
    id: {attribute: PetId}
    keys:
      primary: {PK: "PET#{PetId}", SK: "PET"}
      GSI1: {GSI1PK: "OWNER#{PersonId}", GSI1SK: "PET#{PetId}"}
    attributes:
      PetId: {type: string, required: true, max: 64}
      PersonId: {type: string, required: true, max: 64, ref: Person}
      CityName: string
    copies:
      - {set: CityName, from: Person.CityName, via: PersonId, mode: live}
  Region:
    table: flat
    path: regions
    id: {attribute: RegionId}
    keys:
      primary: {PK: "REGION#{RegionId}"}
    attributes:
      RegionId: {type: string, required: true, max: 64}
      Name: {type: string, max: 64}
  Town:
    table: flat
    path: towns
    id: {attribute: TownId}
    keys:
      primary: {PK: "TOWN#{TownId}"}
      GSI1: {GSI1PK: "REGION#{RegionId}", GSI1SK: "TOWN#{TownId}"}
    attributes:
      TownId: {type: string, required: true, max: 64}
      RegionId: {type: string, required: true, max: 64, ref: Region}
      RegionName: string
    copies:
      - {set: RegionName, from: Region.Name, via: RegionId, mode: live}
)yaml";

constexpr int kPersons = 2200;

class CopyChainTest : public WriteFixture {
 protected:
  CopyChainTest() {
    OpenModel(std::string(kTowns));
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    PutRecord("City", Texts({{"CityId", "C"}, {"Country", "BR"}, {"Name", "Old"}}));
    for (int i = 0; i < kPersons; ++i) {
      item::Map person = Person(i, "A");
      person.Set("CityId", S("C"));
      person.Set("CityName", S("Old"));
      PutRecord("Person", std::move(person));
    }
  }

  static std::string IdOf(int number) { return fmt::format("P{:04}", number); }
  static item::Map Person(int number, const std::string& street) {
    return Texts({{"PersonId", IdOf(number)}, {"Street", street}});
  }
  static item::Map City(const std::string& country) {
    return Texts({{"CityId", "C"}, {"Country", country}});
  }
};

TEST_F(CopyChainTest, FollowersOfFollowersFollow) {
  for (int i = 0; i < kPersons; i += 100) {
    PutRecord("Pet", Texts({{"PetId", IdOf(i)}, {"PersonId", IdOf(i)}, {"CityName", "Old"}}));
  }
  const size_t items = CountItems();
  const auto renamed = Patch("City", City("BR"), R"({"Name": "New"})");
  ASSERT_TRUE(renamed) << renamed.error().message();
  writer().WaitForJobs();
  for (int i = 0; i < kPersons; ++i) {
    ASSERT_EQ(TextOf("Person", Person(i, "A"), "CityName"), "New") << i;
  }
  for (int i = 0; i < kPersons; i += 100) {
    ASSERT_EQ(TextOf("Pet", Texts({{"PetId", IdOf(i)}}), "CityName"), "New") << i;
  }
  EXPECT_EQ(CountItems(), items);  // no job is left
}

TEST_F(CopyChainTest, ASourceThatMovesTakesItsJobAlong) {
  const size_t items = CountItems();
  ASSERT_TRUE(Patch("City", City("BR"), R"({"Name": "New"})"));
  const auto moved = Patch("City", City("BR"), R"({"Country": "AR"})");
  ASSERT_TRUE(moved) << moved.error().message();
  writer().WaitForJobs();
  for (int i = 0; i < kPersons; ++i) {
    ASSERT_EQ(TextOf("Person", Person(i, "A"), "CityName"), "New") << i;
  }
  EXPECT_EQ(CountItems(), items);
}

TEST_F(CopyChainTest, AFollowerThatMovesMeanwhileFollows) {
  ASSERT_TRUE(Patch("City", City("BR"), R"({"Name": "New"})"));
  for (int i = kPersons - 100; i < kPersons; ++i) {
    const auto moved = Patch("Person", Person(i, "A"), R"({"Street": "B"})");
    ASSERT_TRUE(moved) << moved.error().message();
  }
  writer().WaitForJobs();
  for (int i = 0; i < kPersons; ++i) {
    const std::string street = i < kPersons - 100 ? "A" : "B";
    ASSERT_EQ(TextOf("Person", Person(i, street), "CityName"), "New") << i;
  }
}

TEST_F(CopyChainTest, ATableWithoutASortKeyChangesAllAtOnce) {
  PutRecord("Region", Texts({{"RegionId", "R"}, {"Name", "Old"}}));
  for (int i = 0; i < 1200; ++i) {
    PutRecord("Town", Texts({{"TownId", IdOf(i)}, {"RegionId", "R"}, {"RegionName", "Old"}}));
  }
  const auto renamed = Patch("Region", Texts({{"RegionId", "R"}}), R"({"Name": "New"})");
  ASSERT_TRUE(renamed) << renamed.error().message();
  EXPECT_FALSE(writer().HasJobs());
  for (int i = 0; i < 1200; ++i) {
    ASSERT_EQ(TextOf("Town", Texts({{"TownId", IdOf(i)}}), "RegionName"), "New") << i;
  }
}

}  // namespace
}  // namespace monotable::entities
