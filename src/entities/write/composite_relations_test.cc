#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "entities/guard.h"
#include "entities/write/write_fixture.h"

// Relations over composite keys, tenants and levels, where random models (tests/random_models) have
// differed from their reference.
namespace monotable::entities {
namespace {

class CompositeRelationsTest : public WriteFixture {
 protected:
  CompositeRelationsTest() {
    OpenModel(R"yaml(format: stm/1
model: works
tables:
  main:
    name: works
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    rules: enforce
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
tenancy: {attribute: tenant, claim: tenant_id}
entities:
  Project:
    path: projects
    id: {attribute: project}
    keys: {primary: {PK: "T#{tenant}#ORG#{org}", SK: "PROJECT#{project}"}}
    attributes:
      tenant: string!
      org: string!
      project: string!
      name: string
      tasks: {type: integer, derive: count(all)}
      updatedAt: {type: instant, set: on_write}
    delete: {cascade: collection, restrict_if: uses}
  Task:
    parent: Project
    path: tasks
    id: {attribute: task}
    keys: {primary: {PK: "T#{tenant}#ORG#{org}", SK: "TASK#{project}#{task}"}}
    attributes: {tenant: string!, org: string!, project: string!, task: string!, title: string}
    delete: {cascade: collection}
  Comment:
    parent: Task
    path: comments
    keys: {primary: {PK: "T#{tenant}#ORG#{org}", SK: "COMMENT#{project}#{task}#{number:03}"}}
    attributes:
      tenant: string!
      org: string!
      project: string!
      task: string!
      number: integer!
  Lead:
    parent: Project
    path: lead
    cardinality: one
    keys: {primary: {PK: "T#{tenant}#ORG#{org}", SK: "LEAD#{project}#{person}"}}
    attributes: {tenant: string!, org: string!, project: string!, person: string!}
  Use:
    path: uses
    id: {attribute: use}
    keys:
      primary: {PK: "USE#{use}", SK: USE}
      GSI1: {GSI1PK: "PROJECT#{project}", GSI1SK: "{use}"}
    attributes:
      tenant: string!
      use: string!
      org: string!
      project: {type: string, ref: Project}
      projectName: string
    copies:
      - {set: projectName, from: Project.name, via: project}
collections:
  ProjectFull: {root: Project, members: {all: "Task[]"}, partition: "T#{tenant}#ORG#{org}"}
  TaskFull: {root: Task, members: {comments: "Comment[]"}, partition: "T#{tenant}#ORG#{org}"}
patterns:
  - {name: uses, list: Use, index: GSI1, where: "GSI1PK = PROJECT#{project}"}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    guard_ = std::make_unique<Guard>(engine(), executor());
    guard_->Add(application(), writer());
  }

  static item::Map Project(const std::string& org, const std::string& tenant = "t") {
    return Texts({{"tenant", tenant}, {"org", org}, {"project", "p"}});
  }
  void CreateProject(const std::string& org, const std::string& name,
                     const std::string& tenant = "t") {
    const auto created = Write(Change::Kind::kCreate, "Project", Project(org, tenant),
                               R"({"name": ")" + name + "\"}");
    ASSERT_TRUE(created) << created.error().message();
  }
  Result<WriteAnswer> CreateUse(const std::string& org, const std::string& tenant) {
    return Create("Use", R"({"use": "u", "project": "p", "org": ")" + org + R"(", "tenant": ")" +
                             tenant + "\"}");
  }
  Status RawUpdateTitle(const std::string& title) {
    item::Item item = *Stored("Task", TaskKey());
    item.Set("title", S(title));
    return Put(catalog().Find("works"), item);
  }
  static item::Map TaskKey() {
    item::Map key = Project("o");
    key.Set("task", S("x"));
    return key;
  }

  std::unique_ptr<Guard> guard_;
};

TEST_F(CompositeRelationsTest, AReferenceIsCheckedAgainWhenAnotherPartOfItsKeyChanges) {
  CreateProject("o", "one");
  CreateProject("o1", "two");
  ASSERT_TRUE(CreateUse("o", "t"));
  EXPECT_EQ(TextOf("Use", Texts({{"use", "u"}}), "projectName"), "one");
  ExpectProblem(Patch("Use", Texts({{"use", "u"}}), R"({"org": "o2"})"),
                ProblemCode::kMissingReference);
  ASSERT_TRUE(Patch("Use", Texts({{"use", "u"}}), R"({"org": "o1"})"));
  EXPECT_EQ(TextOf("Use", Texts({{"use", "u"}}), "projectName"), "two");
}

TEST_F(CompositeRelationsTest, ItemsOfOtherTenantsDoNotRestrict) {
  CreateProject("o", "one", "t");
  CreateProject("o", "one", "t1");
  ASSERT_TRUE(CreateUse("o", "t1"));
  ExpectProblem(Remove("Project", Project("o", "t1")), ProblemCode::kRestricted);
  const auto removed = Remove("Project", Project("o", "t"));
  EXPECT_TRUE(removed) << removed.error().message();
}

TEST_F(CompositeRelationsTest, ACascadeReachesBelowAnItemThatTheSameWriteChanges) {
  CreateProject("o", "one");
  ASSERT_TRUE(Write(Change::Kind::kCreate, "Task", TaskKey(), "{}"));
  ASSERT_TRUE(Write(Change::Kind::kCreate, "Comment", TaskKey(), R"({"number": 1})"));
  std::vector<Change> changes;
  changes.push_back(*ChangeOf(Change::Kind::kUpdate, "Task", TaskKey(), R"({"title": "x"})"));
  changes.push_back(*ChangeOf(Change::Kind::kDelete, "Project", Project("o"), ""));
  changes.back().cascade = true;
  const auto done = Apply(std::move(changes));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(CountItems(), 0u);
}

TEST_F(CompositeRelationsTest, AnOnlyChildIsFoundByItsParentWithinATransaction) {
  CreateProject("o", "one");
  CreateProject("o1", "two");
  std::vector<Change> changes;
  changes.push_back(*ChangeOf(Change::Kind::kCreate, "Lead", Project("o"), R"({"person": "a"})"));
  changes.push_back(*ChangeOf(Change::Kind::kDelete, "Lead", Project("o1"), ""));
  ExpectProblem(Apply(std::move(changes)), ProblemCode::kNotFound);
}

TEST_F(CompositeRelationsTest, ARawWriteLeavesItsParentAloneUnlessItChanges) {
  CreateProject("o", "one");
  ASSERT_TRUE(Write(Change::Kind::kCreate, "Task", TaskKey(), "{}"));
  const std::string stamp = TextOf("Project", Project("o"), "updatedAt");
  clock_.now_ms += 5000;
  engine().SetWriteGuard(guard_.get());
  ASSERT_TRUE(RawUpdateTitle("x"));
  EXPECT_EQ(Get("Project", Project("o"))->version, 2);
  ASSERT_TRUE(Delete(catalog().Find("works"), Texts({{"PK", "T#t#ORG#o"}, {"SK", "TASK#p#x"}})));
  engine().SetWriteGuard(nullptr);
  EXPECT_EQ(Get("Project", Project("o"))->version, 3);
  EXPECT_NE(TextOf("Project", Project("o"), "updatedAt"), stamp);
}

// Items that one transaction changes together.
class TogetherTest : public WriteFixture {
 protected:
  TogetherTest() {
    OpenModel(R"yaml(format: stm/1
model: together
tables:
  main:
    name: together
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
entities:
  Source:
    path: sources
    id: {attribute: source}
    keys: {primary: {PK: "SOURCE#{source}", SK: SOURCE}}
    attributes:
      source: string!
      number: {type: integer, default: 0}
      twice: {type: integer, derive: "number + number"}
  Follower:
    path: followers
    id: {attribute: follower}
    keys:
      primary: {PK: "FOLLOWER#{follower}", SK: FOLLOWER}
      GSI1: {GSI1PK: "SOURCE#{source}", GSI1SK: "FOLLOWER#{follower}"}
    attributes: {follower: string!, source: {type: string, ref: Source}, twice: integer}
    copies: [{set: twice, from: Source.twice, via: source}]
  Badge:
    path: badges
    id: {attribute: badge}
    keys: {primary: {PK: "BADGE#{badge}", SK: BADGE}}
    attributes: {badge: string!, code: string}
    unique: [{name: code, fields: ["{code}"]}]
    on_key_change: move
  Holder:
    parent: Badge
    path: holders
    id: {attribute: holder}
    keys: {primary: {PK: "BADGE#{badge}", SK: "HOLDER#{holder}"}}
    attributes: {badge: string!, holder: string!}
  Day:
    parent: Holder
    path: days
    keys: {primary: {PK: "DAYS#{badge}#{holder}", SK: "DAY#{day}"}}
    attributes: {badge: string!, holder: string!, day: string!}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
  }
};

TEST_F(TogetherTest, AFollowerTakesWhatItsNewSourceBecomes) {
  ASSERT_TRUE(Create("Source", R"({"source": "s"})"));
  ASSERT_TRUE(Create("Follower", R"({"follower": "f"})"));
  std::vector<Change> changes;
  changes.push_back(*ChangeOf(Change::Kind::kUpdate, "Follower", Texts({{"follower", "f"}}),
                              R"({"source": "s"})"));
  changes.push_back(
      *ChangeOf(Change::Kind::kUpdate, "Source", Texts({{"source", "s"}}), R"({"number": 10})"));
  const auto done = Apply(std::move(changes));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(TextOf("Follower", Texts({{"follower", "f"}}), "twice"), "20");
}

TEST_F(TogetherTest, AChildDoesNotComeToAParentThatMovesAway) {
  ASSERT_TRUE(Create("Badge", R"({"badge": "a"})"));
  const item::Map holder = Texts({{"badge", "a"}, {"holder", "h"}});
  ASSERT_TRUE(Write(Change::Kind::kCreate, "Holder", holder, "{}"));
  std::vector<Change> changes;
  changes.push_back(*ChangeOf(Change::Kind::kCreate, "Day", holder, R"({"day": "d"})"));
  changes.push_back(
      *ChangeOf(Change::Kind::kUpdate, "Badge", Texts({{"badge", "a"}}), R"({"badge": "b"})"));
  ExpectProblem(Apply(std::move(changes)), ProblemCode::kMissingReference);
  EXPECT_EQ(CountItems(), 2u);
}

TEST_F(TogetherTest, AnItemAtAKeyThatAnotherLeavesHasItsMarker) {
  ASSERT_TRUE(Create("Badge", R"({"badge": "a", "code": "x"})"));
  std::vector<Change> changes;
  changes.push_back(
      *ChangeOf(Change::Kind::kUpdate, "Badge", Texts({{"badge", "a"}}), R"({"badge": "b"})"));
  changes.push_back(
      *ChangeOf(Change::Kind::kCreate, "Badge", {}, R"({"badge": "a", "code": "y"})"));
  const auto done = Apply(std::move(changes));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(CountItems(), 4u);
  for (const char* code : {"x", "y"}) {
    ExpectProblem(Create("Badge", std::string(R"({"badge": "c", "code": ")") + code + "\"}"),
                  ProblemCode::kNotUnique);
  }
}

TEST_F(TogetherTest, AMoveToTheKeyOfADeletedItemLeavesNoMarkerOfIt) {
  ASSERT_TRUE(Create("Badge", R"({"badge": "a"})"));
  ASSERT_TRUE(Create("Badge", R"({"badge": "b", "code": "x"})"));
  ASSERT_EQ(CountItems(), 3u);
  std::vector<Change> changes;
  changes.push_back(*ChangeOf(Change::Kind::kDelete, "Badge", Texts({{"badge", "b"}}), ""));
  changes.push_back(
      *ChangeOf(Change::Kind::kUpdate, "Badge", Texts({{"badge", "a"}}), R"({"badge": "b"})"));
  const auto done = Apply(std::move(changes));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(CountItems(), 1u);
}

}  // namespace
}  // namespace monotable::entities
