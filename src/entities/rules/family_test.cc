#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

// Parents and children. Several parents share a partition, so the partition does not tell whose
// children they are.
namespace monotable::entities {
namespace {

class SharedPartitionTest : public WriteFixture {
 protected:
  SharedPartitionTest() {
    OpenModel(R"yaml(format: stm/1
model: shop
tables:
  main: {name: shop, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Order:
    path: orders
    id: {attribute: order}
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "ORDER#{order}"}}
    attributes: {customer: string!, order: string!, lines: {type: integer, derive: count(rows)}}
    delete: {cascade: collection}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "LINE#{order}#{number:03}"}}
    attributes: {customer: string!, order: string!, number: integer!}
  Note:
    parent: Order
    path: note
    cardinality: one
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: "NOTE#{order}#{number:03}"}}
    attributes: {customer: string!, order: string!, number: integer!}
collections:
  OrderFull: {root: Order, members: {rows: "Line[]"}, partition: "CUSTOMER#{customer}"}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    for (const char* order : {"1", "2"}) {
      EXPECT_TRUE(Write(Change::Kind::kCreate, "Order", Order(order), "{}"));
    }
  }

  static item::Map Order(const std::string& order) {
    return Texts({{"customer", "c"}, {"order", order}});
  }
  Result<WriteAnswer> Add(std::string_view child, const std::string& order, int number) {
    return Write(Change::Kind::kCreate, child, Order(order),
                 R"({"number": )" + std::to_string(number) + "}");
  }
};

TEST_F(SharedPartitionTest, ACascadeLeavesTheChildrenOfOthers) {
  for (const char* order : {"1", "2"}) ASSERT_TRUE(Add("Line", order, 1));
  ASSERT_TRUE(Remove("Order", Order("1"), true));
  EXPECT_EQ(CountItems(), 2u);
  ExpectProblem(Remove("Order", Order("2")), ProblemCode::kRestricted);
}

TEST_F(SharedPartitionTest, ChildrenOfOthersDoNotRestrict) {
  ASSERT_TRUE(Add("Line", "1", 1));
  const auto removed = Remove("Order", Order("2"));
  EXPECT_TRUE(removed) << removed.error().message();
}

TEST_F(SharedPartitionTest, EachParentMayHaveItsOnlyChild) {
  ASSERT_TRUE(Add("Note", "1", 1));
  const auto second = Add("Note", "2", 2);
  ASSERT_TRUE(second) << second.error().message();
  ExpectProblem(Add("Note", "2", 3), ProblemCode::kAlreadyExists);
  EXPECT_EQ(TextOf("Note", Order("1"), "number"), "1");
  EXPECT_EQ(TextOf("Note", Order("2"), "number"), "2");
}

TEST_F(SharedPartitionTest, ParentsCountTheirOwnChildren) {
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(Add("Line", "1", i));
  ASSERT_TRUE(Add("Line", "2", 1));
  EXPECT_EQ(TextOf("Order", Order("1"), "lines"), "3");
  EXPECT_EQ(TextOf("Order", Order("2"), "lines"), "1");
}

// Several kinds and depths in one partition: ORG#o holds PROJECT#a, TASK#a#1, COMMENT#a#1#x.
class ProjectTreeTest : public WriteFixture {
 protected:
  ProjectTreeTest() {
    OpenModel(R"yaml(format: stm/1
model: tree
defaults: {key_values: {forbid: "#"}}
tables:
  main: {name: tree, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Project:
    path: projects
    id: {attribute: project}
    keys: {primary: {PK: "ORG#{org}", SK: "PROJECT#{project}"}}
    attributes:
      org: string!
      project: string!
      tasks: {type: integer, derive: count(tasks)}
      comments: {type: integer, derive: count(comments)}
    on_key_change: move
    delete: {cascade: collection}
  Task:
    parent: Project
    path: tasks
    id: {attribute: task}
    keys: {primary: {PK: "ORG#{org}", SK: "TASK#{project}#{task}"}}
    attributes:
      org: string!
      project: string!
      task: string!
      code: string
      notes: {type: integer, derive: count(notes)}
    unique: [{name: code, fields: ["{code}"]}]
    delete: {cascade: collection}
  Comment:
    parent: Task
    path: comments
    id: {attribute: comment}
    keys: {primary: {PK: "ORG#{org}", SK: "COMMENT#{project}#{task}#{comment}"}}
    attributes: {org: string!, project: string!, task: string!, comment: string!}
collections:
  ProjectFull:
    root: Project
    members: {tasks: "Task[]", comments: "Comment[]"}
    partition: "ORG#{org}"
  TaskFull: {root: Task, members: {notes: "Comment[]"}, partition: "ORG#{org}"}
patterns:
  - {name: projectFull, collection: ProjectFull, by: [org, project]}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    for (const char* project : {"a", "ab"}) {
      Expect(Write(Change::Kind::kCreate, "Project", Project(project), "{}"));
      for (const char* task : {"1", "12"}) {
        Expect(Write(Change::Kind::kCreate, "Task", Task(project, task), "{}"));
        Expect(Write(Change::Kind::kCreate, "Comment", Comment(project, task, "x"), "{}"));
      }
    }
  }

  static void Expect(const Result<WriteAnswer>& answer) {
    EXPECT_TRUE(answer) << answer.error().message();
  }
  static item::Map Project(const std::string& project) {
    return Texts({{"org", "o"}, {"project", project}});
  }
  static item::Map Task(const std::string& project, const std::string& task) {
    return Texts({{"org", "o"}, {"project", project}, {"task", task}});
  }
  static item::Map Comment(const std::string& project, const std::string& task,
                           const std::string& comment) {
    return Texts({{"org", "o"}, {"project", project}, {"task", task}, {"comment", comment}});
  }
};

TEST_F(ProjectTreeTest, EachRootCountsItsOwnMembersAtEveryDepth) {
  for (const char* project : {"a", "ab"}) {
    EXPECT_EQ(TextOf("Project", Project(project), "tasks"), "2");
    EXPECT_EQ(TextOf("Project", Project(project), "comments"), "2");
    EXPECT_EQ(TextOf("Task", Task(project, "1"), "notes"), "1");
    EXPECT_EQ(TextOf("Task", Task(project, "12"), "notes"), "1");
  }
}

TEST_F(ProjectTreeTest, ACascadeTakesOnlyTheTreeBelow) {
  Expect(Remove("Task", Task("a", "1"), true));
  EXPECT_EQ(TextOf("Project", Project("a"), "comments"), "1");
  Expect(Remove("Project", Project("a"), true));
  EXPECT_EQ(CountItems(), 5u);
  EXPECT_TRUE(Get("Comment", Comment("ab", "12", "x")));
  ExpectProblem(Remove("Project", Project("ab")), ProblemCode::kRestricted);
}

TEST_F(ProjectTreeTest, ACollectionHoldsItsOwnMembers) {
  const PatternReader reader(engine(), application(),
                             *application().model().FindPattern("projectFull"));
  ListRequest request;
  request.parameters = Project("a");
  const auto page = reader.List(request, Caller());
  ASSERT_TRUE(page) << page.error().message();
  ASSERT_EQ(page->items.size(), 5u);
  EXPECT_EQ(page->items[0].entity->name(), "Project");
  for (const Found& one : page->items) EXPECT_EQ(Of(one, "project"), "a");
}

TEST_F(ProjectTreeTest, AParentThatMovesTakesItsTreeAlong) {
  Expect(Patch("Task", Task("a", "1"), R"({"code": "C1"})"));
  const size_t items = CountItems();
  Expect(Patch("Project", Project("a"), R"({"project": "b"})"));
  EXPECT_EQ(CountItems(), items);
  EXPECT_FALSE(Get("Project", Project("a")));
  EXPECT_FALSE(Get("Comment", Comment("a", "1", "x")));
  EXPECT_TRUE(Get("Comment", Comment("b", "12", "x")));
  EXPECT_EQ(TextOf("Task", Task("b", "1"), "code"), "C1");
  EXPECT_EQ(TextOf("Project", Project("b"), "tasks"), "2");
  EXPECT_EQ(TextOf("Project", Project("b"), "comments"), "2");
  EXPECT_EQ(TextOf("Project", Project("ab"), "tasks"), "2");
  // The marker went along, so the value is still taken, and by the item that moved.
  ExpectProblem(Patch("Task", Task("ab", "1"), R"({"code": "C1"})"), ProblemCode::kNotUnique);
  Expect(Patch("Task", Task("b", "1"), R"({"code": null})"));
  Expect(Patch("Task", Task("ab", "1"), R"({"code": "C1"})"));
}

TEST_F(ProjectTreeTest, AParentDoesNotMoveOntoAnotherOne) {
  ExpectProblem(Patch("Project", Project("a"), R"({"project": "ab"})"),
                ProblemCode::kAlreadyExists);
  EXPECT_TRUE(Get("Comment", Comment("a", "1", "x")));
}

TEST_F(ProjectTreeTest, AParentWithTooManyChildrenStays) {
  for (int i = 0; i < 1000; ++i) {
    item::Item item = Task("a", "n" + std::to_string(i));
    item.Set("PK", S("ORG#o"));
    item.Set("SK", S("TASK#a#n" + std::to_string(i)));
    item.Set("type", S("Task"));
    PutItem("tree", item);
  }
  ExpectProblem(Patch("Project", Project("a"), R"({"project": "b"})"), ProblemCode::kKeyChange);
  EXPECT_TRUE(Get("Project", Project("a")));
}

// A parent that is found by an attribute of the child, through an index.
class IndexedChildrenTest : public WriteFixture {
 protected:
  IndexedChildrenTest() {
    OpenModel(R"yaml(format: stm/1
model: shop
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    indexes: {GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}}
entities:
  Order:
    path: orders
    id: {attribute: id}
    keys: {primary: {PK: "ORDER#{id}", SK: ORDER}}
    attributes: {id: string!, total: {type: integer, derive: sum(lines.price)}}
  Line:
    parent: Order
    path: lines
    id: {attribute: id}
    keys:
      primary: {PK: "LINE#{id}", SK: LINE}
      GSI1: {GSI1PK: "ORDER#{orderId}", GSI1SK: "LINE#{id}"}
    attributes: {id: string!, orderId: {type: string, required: true, ref: Order}, price: integer!}
collections:
  OrderFull: {root: Order, members: {lines: "Line[]"}, partition: "ORDER#{id}"}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    for (const char* id : {R"({"id": "1"})", R"({"id": "2"})"}) EXPECT_TRUE(Create("Order", id));
  }
};

TEST_F(IndexedChildrenTest, AChildThatNamesAnotherParentGoesOver) {
  ExpectProblem(Create("Line", R"({"id": "a", "orderId": "9", "price": 5})"),
                ProblemCode::kMissingReference);
  ASSERT_TRUE(Create("Line", R"({"id": "a", "orderId": "1", "price": 5})"));
  EXPECT_EQ(TextOf("Order", Texts({{"id", "1"}}), "total"), "5");
  const auto moved = Patch("Line", Texts({{"id", "a"}}), R"({"orderId": "2"})");
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(TextOf("Order", Texts({{"id", "1"}}), "total"), "0");
  EXPECT_EQ(TextOf("Order", Texts({{"id", "2"}}), "total"), "5");
  EXPECT_TRUE(Remove("Order", Texts({{"id", "1"}})));
  ExpectProblem(Remove("Order", Texts({{"id", "2"}})), ProblemCode::kRestricted);
}

}  // namespace
}  // namespace monotable::entities
