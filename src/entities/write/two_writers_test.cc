#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "encoding/ordered_key.h"
#include "entities/write/write_fixture.h"

// Two servers with one store: their writers know nothing of each other's locks.
namespace monotable::entities {
namespace {

// A store that calls a function before it takes the next update.
class InterruptedStore : public storage::Store {
 public:
  explicit InterruptedStore(std::unique_ptr<storage::Store> store) : store_(std::move(store)) {}

  const storage::Reader& Latest() const override { return store_->Latest(); }
  std::unique_ptr<storage::Reader> Snapshot() const override { return store_->Snapshot(); }
  uint64_t LastSequence() const override { return store_->LastSequence(); }
  void Submit(std::unique_ptr<storage::Update> update) override {
    if (const auto call = TakeInterruption()) call();
    store_->Submit(std::move(update));
  }
  Result<std::unique_ptr<storage::BulkWrite>> StartBulkWrite() override {
    return store_->StartBulkWrite();
  }
  Result<std::unique_ptr<storage::Reader>> Checkpoint(const std::string& folder) override {
    return store_->Checkpoint(folder);
  }
  uint64_t ApproximateBytes() const override { return store_->ApproximateBytes(); }

  using Interruption = std::function<void()>;
  void InterruptNext(Interruption call) {
    const std::lock_guard lock(mutex_);
    before_submit_ = std::move(call);
  }
  Interruption TakeInterruption() {
    const std::lock_guard lock(mutex_);
    return std::exchange(before_submit_, nullptr);
  }

 private:
  std::mutex mutex_;
  Interruption before_submit_;  // guarded by mutex_
  const std::unique_ptr<storage::Store> store_;
};

class TwoWriters : public WriteFixture {
 protected:
  TwoWriters() {
    CloseEngine();
    auto interrupted = std::make_unique<InterruptedStore>(std::move(store_));
    interrupted_ = interrupted.get();
    store_ = std::move(interrupted);
    OpenEngine();
  }

  void StartWriters() {
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    other_ = std::make_unique<Writer>(engine(), executor(), application());
  }

  static Result<WriteAnswer> Apply(Writer& writer, Change change) {
    std::vector<Change> changes;
    changes.push_back(std::move(change));
    std::promise<Result<WriteAnswer>> done;
    writer.Apply(std::move(changes), {}, std::nullopt,
                 [&done](Result<WriteAnswer> result) { done.set_value(std::move(result)); });
    return done.get_future().get();
  }
  // The other writer makes its change when the first one has planned its own.
  void Interrupt(Change change_of_other) {
    interrupted_->InterruptNext([this, change = std::move(change_of_other)] {
      const auto answer = Apply(*other_, change);
      EXPECT_TRUE(answer) << answer.error().message();
    });
  }

  InterruptedStore* interrupted_ = nullptr;
  std::unique_ptr<Writer> other_;
};

class TwoWritersOfOrders : public TwoWriters {
 protected:
  TwoWritersOfOrders() {
    OpenDesign("orders");
    StartWriters();
  }

  static item::Map Order(int number) {
    return Texts({{"cnpj", "12.345.678/0001-99"},
                  {"order_id", "ORD-20260101-" + std::to_string(1000 + number)}});
  }
  void CreateOrder(int number) {
    const auto order = Write(Change::Kind::kCreate, "Order", Order(number),
                             R"({"company_name": "A", "order_date": "2026-01-01T10:00:00Z"})");
    ASSERT_TRUE(order) << order.error().message();
  }
  Change Item(int number, const std::string& product) {
    return *ChangeOf(Change::Kind::kCreate, "OrderItem", Order(number),
                     R"({"product_id": ")" + product + R"(", "quantity": 1})");
  }
  Change Customer(int number, const std::string& cpf) {
    return *ChangeOf(Change::Kind::kCreate, "OrderCustomer", Order(number),
                     R"({"first_name": "A", "last_name": "B", "cpf": ")" + cpf + R"("})");
  }
  Change Deletion(int number, bool cascade) {
    Change change = *ChangeOf(Change::Kind::kDelete, "Order", Order(number), "");
    change.cascade = cascade;
    return change;
  }

  Result<WriteAnswer> ApplyAfter(Change change, Change change_of_other) {
    Interrupt(std::move(change_of_other));
    auto answer = Apply(writer(), std::move(change));
    EXPECT_EQ(interrupted_->TakeInterruption(), nullptr) << "the change was not submitted";
    return answer;
  }

  // The items of an order, the order included.
  size_t CountOf(int number) {
    const Entity& entity = EntityOf("Order");
    auto key = PrimaryKey(entity, Order(number));
    const engine::TablePtr table = catalog().Find(entity.table_name);
    const item::Value* const hash[] = {(*key)->Find("PK")};
    const std::string prefix = encoding::PartitionPrefix(table->id, encoding::kTableItems, hash);
    return CountKeys({prefix, encoding::PrefixEnd(prefix)});
  }
};

TEST_F(TwoWritersOfOrders, AChildThatCameMeanwhileKeepsItsParent) {
  CreateOrder(1);
  ExpectProblem(ApplyAfter(Deletion(1, false), Item(1, "A")), ProblemCode::kRestricted);
  EXPECT_EQ(CountOf(1), 2u);
}

TEST_F(TwoWritersOfOrders, AChildThatCameMeanwhileIsDeletedWithItsCollection) {
  CreateOrder(1);
  ASSERT_TRUE(Apply(writer(), Item(1, "A")));
  const auto deleted = ApplyAfter(Deletion(1, true), Item(1, "B"));
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_EQ(CountOf(1), 0u);
}

TEST_F(TwoWritersOfOrders, AParentThatWentMeanwhileGetsNoChild) {
  CreateOrder(1);
  ExpectProblem(ApplyAfter(Item(1, "A"), Deletion(1, false)), ProblemCode::kMissingReference);
  EXPECT_EQ(CountOf(1), 0u);
}

TEST_F(TwoWritersOfOrders, ThereIsOnlyOneChildOfCardinalityOne) {
  CreateOrder(1);
  ExpectProblem(ApplyAfter(Customer(1, "111.111.111-11"), Customer(1, "222.222.222-22")),
                ProblemCode::kAlreadyExists);
  EXPECT_EQ(CountOf(1), 2u);
}

// A raw write that no rule binds, because the table does not enforce them.
TEST_F(TwoWritersOfOrders, ARawChildThatCameMeanwhileKeepsItsParent) {
  CreateOrder(1);
  interrupted_->InterruptNext([this] {
    item::Map child = Order(1);
    child.Set("product_id", S("A"));
    child.Set("item_status", S("AguardandoEstoque"));
    PutRecord("OrderItem", std::move(child));
  });
  ExpectProblem(Apply(writer(), Deletion(1, false)), ProblemCode::kRestricted);
  EXPECT_EQ(CountOf(1), 2u);
}

TEST_F(TwoWritersOfOrders, AChildDoesNotMoveToAParentThatIsNotThere) {
  CreateOrder(1);
  const auto status = Write(Change::Kind::kCreate, "OrderStatus", Order(1), "{}");
  ASSERT_TRUE(status) << status.error().message();
  const std::string body = R"({"order_id": ")" + Order(2).Find("order_id")->string() + R"("})";
  ExpectProblem(Patch("OrderStatus", Order(1), body), ProblemCode::kMissingReference);
  CreateOrder(2);
  const auto moved = Patch("OrderStatus", Order(1), body);
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(CountOf(1), 1u);
  EXPECT_EQ(CountOf(2), 2u);
}

TEST_F(TwoWritersOfOrders, AChildThatMovesToAParentKeepsIt) {
  CreateOrder(1);
  CreateOrder(2);
  ASSERT_TRUE(Write(Change::Kind::kCreate, "OrderStatus", Order(1), "{}"));
  const std::string body = R"({"order_id": ")" + Order(2).Find("order_id")->string() + R"("})";
  auto move = ChangeOf(Change::Kind::kUpdate, "OrderStatus", Order(1), body);
  ASSERT_TRUE(move);
  ExpectProblem(ApplyAfter(Deletion(2, false), std::move(*move)), ProblemCode::kRestricted);
  EXPECT_EQ(CountOf(1), 1u);
  EXPECT_EQ(CountOf(2), 2u);
}

// The same without a script: both writers delete orders and add children as they like.
TEST_F(TwoWritersOfOrders, NoChildOutlivesItsParent) {
  constexpr int kOrders = 20;
  for (int i = 0; i < kOrders; ++i) CreateOrder(i);
  std::vector<std::thread> threads;
  for (Writer* adds : {writer_.get(), other_.get()}) {
    Writer& deletes = adds == writer_.get() ? *other_ : writer();
    threads.emplace_back([&, adds] {
      for (int i = 0; i < kOrders; ++i) {
        static_cast<void>(Apply(*adds, Item(i, adds == writer_.get() ? "A" : "B")));
        static_cast<void>(
            Apply(*adds, Customer(i, adds == writer_.get() ? "111.111.111-11" : "222.222.222-22")));
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kOrders; ++i) static_cast<void>(Apply(deletes, Deletion(i, i % 2 == 0)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kOrders; ++i) {
    const bool there = Get("Order", Order(i)).has_value();
    EXPECT_LE(CountOf(i), there ? 4u : 0u) << i;  // the order, two items, one customer
  }
}

class TwoWritersOfSales : public TwoWriters {
 protected:
  TwoWritersOfSales() {
    OpenDesign("sales");
    StartWriters();
    EXPECT_TRUE(writer().AdoptExisting());
    const auto buyer = Create("Buyer", R"({"Name": "B", "Document": "11.222.333/0001-44"})");
    EXPECT_TRUE(buyer) << buyer.error().message();
    buyer_ = buyer->changes[0].key;
  }

  Change Sale() {
    return *ChangeOf(Change::Kind::kCreate, "Sale", {},
                     R"({"BuyerId": ")" + buyer_.Find("BuyerId")->string() +
                         R"(", "ProducerId": "PRODUCER001", "PaymentTerms": "CASH",
                            "SaleDate": "2026-03-01T10:00:00Z"})");
  }

  item::Map buyer_;
};

TEST_F(TwoWritersOfSales, ASaleThatCameMeanwhileKeepsItsBuyer) {
  // Ids of sales are counted, which is a write of its own; so the id is there before.
  Change sale = Sale();
  sale.attributes.Set("SaleId", S("SALE900"));
  Interrupt(std::move(sale));
  ExpectProblem(Remove("Buyer", buyer_), ProblemCode::kRestricted);
  EXPECT_TRUE(Get("Buyer", buyer_));
}

TEST_F(TwoWritersOfSales, ASaleThatCameMeanwhileGetsTheNewName) {
  Change sale = Sale();
  sale.attributes.Set("SaleId", S("SALE900"));
  Interrupt(std::move(sale));
  const auto renamed = Patch("Buyer", buyer_, R"({"Name": "C"})");
  ASSERT_TRUE(renamed) << renamed.error().message();
  EXPECT_EQ(TextOf("Sale", Texts({{"SaleId", "SALE900"}}), "BuyerName"), "C");
}

// Parents that move with their children, which share a partition with others.
class TwoWritersOfProjects : public TwoWriters {
 protected:
  TwoWritersOfProjects() {
    OpenModel(R"yaml(format: stm/1
model: tree
tables:
  main: {name: tree, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Project:
    path: projects
    id: {attribute: project}
    keys: {primary: {PK: "ORG#{org}", SK: "PROJECT#{project}"}}
    attributes: {org: string!, project: string!, tasks: {type: integer, derive: count(tasks)}}
    on_key_change: move
  Task:
    parent: Project
    path: tasks
    id: {attribute: task}
    keys: {primary: {PK: "ORG#{org}", SK: "TASK#{project}#{task}"}}
    attributes: {org: string!, project: string!, task: string!}
collections:
  ProjectFull: {root: Project, members: {tasks: "Task[]"}, partition: "ORG#{org}"}
)yaml");
    StartWriters();
    EXPECT_TRUE(Write(Change::Kind::kCreate, "Project", Project("a"), "{}"));
  }

  static item::Map Project(const std::string& project) {
    return Texts({{"org", "o"}, {"project", project}});
  }
  Change Task() {
    return *ChangeOf(Change::Kind::kCreate, "Task", Project("a"), R"({"task": "1"})");
  }
  Change Move() {
    return *ChangeOf(Change::Kind::kUpdate, "Project", Project("a"), R"({"project": "b"})");
  }
};

TEST_F(TwoWritersOfProjects, AChildThatCameMeanwhileMovesWithItsParent) {
  Interrupt(Task());
  const auto moved = Apply(writer(), Move());
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(CountItems(), 2u);
  EXPECT_EQ(TextOf("Project", Project("b"), "tasks"), "1");
  EXPECT_TRUE(Get("Task", Texts({{"org", "o"}, {"project", "b"}, {"task", "1"}})));
}

TEST_F(TwoWritersOfProjects, AParentThatMovedMeanwhileGetsNoChildAtItsOldPlace) {
  Interrupt(Move());
  ExpectProblem(Apply(writer(), Task()), ProblemCode::kMissingReference);
  EXPECT_EQ(CountItems(), 1u);
}

// A raw delete on a table whose rules are enforced.
TEST_F(TwoWriters, AChildThatCameMeanwhileKeepsItsParentFromARawDelete) {
  OpenModel(R"yaml(format: stm/1
model: shop
tables:
  main: {name: shop, keys: {hash: "PK S", range: "SK S"}, type_attribute: type, rules: enforce}
entities:
  Order:
    path: orders
    id: {attribute: id}
    keys: {primary: {PK: "ORDER#{id}", SK: ORDER}}
    attributes: {id: string!}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{id}", SK: "LINE#{number:03}"}}
    attributes: {id: string!, number: integer!}
)yaml");
  StartWriters();
  ASSERT_TRUE(Create("Order", R"({"id": "1"})"));
  Interrupt(*ChangeOf(Change::Kind::kCreate, "Line", Texts({{"id", "1"}}), R"({"number": 1})"));
  engine::WriteRequest request;
  engine::ItemWrite& write = request.items.emplace_back();
  write.table = catalog().Find("shop");
  write.table_name = "shop";
  write.action = engine::WriteAction::kDelete;
  write.key = Texts({{"PK", "ORDER#1"}, {"SK", "ORDER"}});
  std::promise<bool> refused;
  writer().Guard(std::move(request),
                 [&](const engine::WriteRequest&, const Result<engine::WriteOutcome>& outcome) {
                   refused.set_value(outcome && outcome->refused());
                 });
  EXPECT_TRUE(refused.get_future().get());
  EXPECT_EQ(CountItems(), 2u);
}

}  // namespace
}  // namespace monotable::entities
