#include "entities/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/key_check.h"
#include "entities/write/raw_plan.h"
#include "entities/write/write_fixture.h"
#include "expression/update.h"

namespace monotable::entities {
namespace {

using testing::HasSubstr;

// Raw DynamoDB writes on tables whose model is enforced.
class GuardTest : public WriteFixture {
 protected:
  static constexpr std::string_view kShop = R"yaml(format: stm/1
model: shop
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    rules: RULES
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
enums:
  State: {values: [OPEN, CLOSED], initial: OPEN, transitions: {OPEN: [CLOSED], CLOSED: []}}
entities:
  Customer:
    path: customers
    id: {attribute: id}
    keys: {primary: {PK: "CUSTOMER#{id}", SK: CUSTOMER}}
    attributes: {id: string!, name: string!, email: string}
    unique:
      - {name: email, fields: ["{email}"]}
  Order:
    path: orders
    id: {attribute: id}
    keys:
      primary: {PK: "ORDER#{id}", SK: ORDER}
      GSI1: {GSI1PK: "STATE#{state}", GSI1SK: "{id}"}
    attributes:
      id: string!
      customer: {type: string, ref: Customer}
      state: State!
      total: {type: decimal, scale: 2, derive: "sum(lines.price)"}
      likes: {type: integer, change: by_operation}
      origin: {type: string, change: never}
      note: string
    frozen:
      - {name: closed, when: "state == CLOSED", except: [state, total]}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{id}", SK: "LINE#{number:03}"}}
    attributes: {id: string!, number: integer!, price: decimal!}
collections:
  OrderFull: {root: Order, members: {lines: "Line[]"}, partition: "ORDER#{id}"}
)yaml";

  // The same for a batch of puts.
  std::string RawBatch(const std::vector<item::Item>& items) {
    engine::WriteRequest request;
    request.independent = true;
    for (const item::Item& item : items) request.items.push_back(PutOf(item));
    return Submit(std::move(request));
  }

  void OpenShop(const std::string& mode) { OpenShop(mode, executor()); }
  void OpenShop(const std::string& mode, work::Executor& executor) {
    std::string text(kShop);
    text.replace(text.find("RULES"), 5, mode);
    OpenModel(text);
    writer_ = std::make_unique<Writer>(engine(), executor, application());
    guard_ = std::make_unique<Guard>(engine(), executor);
    guard_->Add(application(), writer());
    engine().SetWriteGuard(guard_.get());
  }

  ~GuardTest() override { engine().SetWriteGuard(nullptr); }

  // Empty if it was done, the message otherwise.
  std::string Submit(std::vector<engine::ItemWrite> writes) {
    engine::WriteRequest request;
    request.items = std::move(writes);
    return Submit(std::move(request));
  }
  std::string Submit(engine::WriteRequest request) {
    const size_t count = request.items.size();
    std::promise<std::string> done;
    engine::SubmitWrite(engine(), std::move(request),
                        [&](engine::WriteRequest& submitted, Result<engine::WriteOutcome> outcome) {
                          EXPECT_EQ(submitted.items.size(), count);
                          std::string message = outcome ? "" : outcome.error().message();
                          if (outcome) {
                            EXPECT_EQ(outcome->items.size(), count);
                            for (const auto& item : outcome->items) {
                              if (item.error) message = item.error->message();
                            }
                          }
                          done.set_value(message);
                        });
    return done.get_future().get();
  }
  engine::ItemWrite PutOf(const item::Item& item) {
    engine::ItemWrite write;
    write.table = catalog().Find("shop");
    write.table_name = "shop";
    write.key = engine::KeyOf(*write.table, item);
    write.put = encoding::EncodeItem(item);
    return write;
  }
  std::string RawPut(const item::Item& item) {
    std::vector<engine::ItemWrite> writes;
    writes.push_back(PutOf(item));
    return Submit(std::move(writes));
  }
  std::string RawUpdate(const item::Item& key, const std::string& expression, item::Value value) {
    engine::ItemWrite write = PutOf(key);
    write.action = engine::WriteAction::kUpdate;
    write.substitutions =
        expression::Substitutions(expression::Substitutions::Names{{"#s", "state"}},
                                  expression::Substitutions::Values{{":v", std::move(value)}});
    auto update = expression::ParseUpdate(expression, write.substitutions);
    EXPECT_TRUE(update);
    write.update = std::move(*update);
    std::vector<engine::ItemWrite> writes;
    writes.push_back(std::move(write));
    return Submit(std::move(writes));
  }
  std::string RawDelete(const item::Item& key) {
    engine::ItemWrite write = PutOf(key);
    write.action = engine::WriteAction::kDelete;
    std::vector<engine::ItemWrite> writes;
    writes.push_back(std::move(write));
    return Submit(std::move(writes));
  }

  static item::Item OrderItem() {
    return Texts(
        {{"PK", "ORDER#1"}, {"SK", "ORDER"}, {"type", "Order"}, {"id", "1"}, {"state", "OPEN"}});
  }
  static item::Item OrderKey() { return Texts({{"PK", "ORDER#1"}, {"SK", "ORDER"}}); }
  static item::Item CustomerItem(const std::string& id, const std::string& email) {
    return Texts({{"PK", "CUSTOMER#" + id},
                  {"SK", "CUSTOMER"},
                  {"type", "Customer"},
                  {"id", id},
                  {"name", "N"},
                  {"email", email}});
  }

  std::unique_ptr<Guard> guard_;
};

TEST_F(GuardTest, EnforcedKeysFollowTheItem) {
  OpenShop("enforce");
  EXPECT_EQ(RawPut(OrderItem()), "");
  EXPECT_EQ(Stored("Order", Texts({{"id", "1"}}))->Find("GSI1PK")->string(), "STATE#OPEN");
  EXPECT_EQ(RawUpdate(OrderKey(), "SET #s = :v", S("CLOSED")), "");
  const auto item = Stored("Order", Texts({{"id", "1"}}));
  EXPECT_EQ(item->Find("GSI1PK")->string(), "STATE#CLOSED");
  EXPECT_EQ(item->Find("_v")->number().ToString(), "2");
  EXPECT_THAT(RawUpdate(OrderKey(), "SET #s = :v", S("OPEN")),
              HasSubstr("CLOSED cannot become OPEN"));
  EXPECT_EQ(TextOf("Order", Texts({{"id", "1"}}), "state"), "CLOSED");
}

TEST_F(GuardTest, EnforcedAttributesThatDoNotChange) {
  OpenShop("enforce");
  item::Item order = OrderItem();
  order.Set("likes", N(5));
  EXPECT_THAT(RawPut(order), HasSubstr("likes is set by operations only"));
  order.Remove("likes");
  order.Set("origin", S("São Paulo"));
  EXPECT_EQ(RawPut(order), "");
  EXPECT_THAT(RawUpdate(OrderKey(), "ADD likes :v", N(1)),
              HasSubstr("likes is changed by operations only"));
  EXPECT_THAT(RawUpdate(OrderKey(), "SET origin = :v", S("Rio")),
              HasSubstr("origin cannot change"));
  EXPECT_EQ(RawUpdate(OrderKey(), "SET #s = :v", S("CLOSED")), "");
  EXPECT_THAT(RawUpdate(OrderKey(), "SET note = :v", S("Ana")), HasSubstr("frozen"));
  EXPECT_THAT(RawDelete(OrderKey()), HasSubstr("frozen"));
}

TEST_F(GuardTest, EnforcedTypesKeysAndEntities) {
  OpenShop("enforce");
  item::Item wrong_type = OrderItem();
  wrong_type.Set("state", N(1));
  EXPECT_THAT(RawPut(wrong_type), HasSubstr("/state"));
  item::Item wrong_key = OrderItem();
  wrong_key.Set("id", S("2"));
  EXPECT_THAT(RawPut(wrong_key), HasSubstr("PK is not what the attributes of Order make it"));
  EXPECT_THAT(RawPut(Texts({{"PK", "X"}, {"SK", "Y"}})), HasSubstr("no entity of the model shop"));
  EXPECT_THAT(RawPut(Texts({{"PK", "MONOTABLE#X"}, {"SK", "MONOTABLE#"}})),
              HasSubstr("belong to the model"));
  item::Item unknown = OrderItem();
  unknown.Set("colour", S("red"));
  EXPECT_THAT(RawPut(unknown), HasSubstr("colour"));
  EXPECT_EQ(CountItems(), 0u);
}

TEST_F(GuardTest, EnforcedUniqueReferencesAndSums) {
  OpenShop("enforce");
  EXPECT_EQ(RawPut(CustomerItem("a", "x@y.z")), "");
  EXPECT_THAT(RawPut(CustomerItem("b", "x@y.z")), HasSubstr("Another Customer has the same email"));
  EXPECT_EQ(RawDelete(Texts({{"PK", "CUSTOMER#a"}, {"SK", "CUSTOMER"}})), "");
  EXPECT_EQ(RawPut(CustomerItem("b", "x@y.z")), "");

  item::Item order = OrderItem();
  order.Set("customer", S("nobody"));
  EXPECT_THAT(RawPut(order), HasSubstr("There is no Customer of this id"));
  EXPECT_EQ(RawPut(OrderItem()), "");
  item::Item line = Texts({{"PK", "ORDER#1"}, {"SK", "LINE#001"}, {"type", "Line"}, {"id", "1"}});
  line.Set("number", N(1));
  line.Set("price", N(7));
  EXPECT_EQ(RawPut(line), "");
  EXPECT_EQ(TextOf("Order", Texts({{"id", "1"}}), "total"), "7");
  EXPECT_THAT(RawDelete(OrderKey()), HasSubstr("still has its Line"));
}

TEST_F(GuardTest, EnforcedTransactionIsPlannedAsAWhole) {
  OpenShop("enforce");
  item::Item line = Texts({{"PK", "ORDER#1"}, {"SK", "LINE#001"}, {"type", "Line"}, {"id", "1"}});
  line.Set("number", N(1));
  line.Set("price", N(7));
  // A line needs its order, which is in the same transaction.
  std::vector<engine::ItemWrite> writes;
  writes.push_back(PutOf(line));
  writes.push_back(PutOf(OrderItem()));
  EXPECT_EQ(Submit(std::move(writes)), "");
  EXPECT_EQ(TextOf("Order", Texts({{"id", "1"}}), "total"), "7");
}

TEST_F(GuardTest, WarningsLetEverythingPass) {
  OpenShop("warn");
  item::Item wrong = OrderItem();
  wrong.Set("state", N(1));
  EXPECT_EQ(RawPut(wrong), "");
  EXPECT_EQ(RawPut(Texts({{"PK", "X"}, {"SK", "Y"}})), "");
  guard_.reset();  // waits for its thread
  engine().SetWriteGuard(nullptr);
  EXPECT_EQ(CountItems(), 2u);
}

TEST_F(GuardTest, WarningsAreCounted) {
  OpenShop("warn");
  EXPECT_EQ(RawPut(Texts({{"PK", "X"}, {"SK", "Y"}})), "");
  while (guard_->breaches() == 0) std::this_thread::yield();
  EXPECT_EQ(guard_->breaches(), 1);
}

// The warning is the refusal that the same write gets where the rules are enforced.
TEST_F(GuardTest, AWarningSaysWhatTheRefusalSays) {
  item::Item orphan = Texts({{"PK", "ORDER#9"}, {"SK", "LINE#001"}, {"type", "Line"}, {"id", "9"}});
  orphan.Set("number", N(1));
  orphan.Set("price", N(7));
  item::Item referring = OrderItem();
  referring.Set("customer", S("nobody"));
  item::Item unknown = OrderItem();
  unknown.Set("colour", S("red"));
  OpenShop("enforce");
  const auto warning = [&](const item::Item& item) {
    const auto said = CheckWritten(engine(), application(), application().model().tables[0],
                                   std::nullopt, encoding::EncodeItem(item));
    return said.empty() ? std::string("(none)") : said.front();
  };
  for (const item::Item& item : {orphan, referring, unknown, Texts({{"PK", "X"}, {"SK", "Y"}}),
                                 Texts({{"PK", "MONOTABLE#X"}, {"SK", "MONOTABLE#"}})}) {
    const std::string refusal = RawPut(item);
    EXPECT_NE(refusal, "");
    EXPECT_EQ(warning(item), refusal);
  }
  EXPECT_EQ(CountItems(), 0u);
}

TEST_F(GuardTest, AWarningNamesWhatDoesNotFollow) {
  OpenShop("warn");
  const model::TableModel& table = application().model().tables[0];
  item::Item order = OrderItem();
  EXPECT_EQ(RawPut(order), "");
  const auto check = [&](const item::Item& item) {
    return CheckWritten(engine(), application(), table, std::nullopt, encoding::EncodeItem(item));
  };
  const auto of_order = check(order);
  ASSERT_FALSE(of_order.empty());
  EXPECT_THAT(testing::PrintToString(of_order), HasSubstr("GSI1PK does not follow"));
  item::Item line = Texts({{"PK", "ORDER#1"}, {"SK", "LINE#001"}, {"type", "Line"}, {"id", "1"}});
  line.Set("number", N(1));
  line.Set("price", N(7));
  EXPECT_EQ(RawPut(line), "");
  EXPECT_THAT(testing::PrintToString(check(line)), HasSubstr("the Order ORDER%231#ORDER does not"));
  const auto deleted =
      CheckWritten(engine(), application(), table, encoding::EncodeItem(order), std::nullopt);
  ASSERT_EQ(deleted.size(), 1u);
  EXPECT_THAT(deleted[0], HasSubstr("still has its Line"));
  const size_t items = CountItems();
  EXPECT_EQ(items, 2u) << "nothing is written";
}

TEST_F(GuardTest, OffDoesNotLook) {
  OpenShop("off");
  EXPECT_FALSE(guard_->Covers(*catalog().Find("shop")));
  EXPECT_EQ(RawPut(Texts({{"PK", "X"}, {"SK", "Y"}})), "");
}

// A batch that is too much at once is written item by item, unless rules tie the items together.
TEST_F(GuardTest, ABatchStaysTogetherWithWhatTheRulesAdd) {
  OpenShop("enforce");
  engine().SetExecutor(&executor());
  std::vector<item::Item> customers;
  for (const char* id : {"1", "2", "3"}) {
    customers.push_back(Texts({{"PK", std::string("CUSTOMER#") + id},
                               {"SK", "CUSTOMER"},
                               {"type", "Customer"},
                               {"id", id},
                               {"name", std::string(300'000, 'n')},
                               {"email", std::string(id) + "@x"}}));
  }
  const uint64_t before = store().LastSequence();
  EXPECT_EQ(RawBatch(customers), "");
  EXPECT_EQ(store().LastSequence(), before + 1);
  EXPECT_EQ(CountItems(), 6u);
  engine().SetExecutor(nullptr);
}

// The thread that submits may be one that serves connections. It must neither plan nor wait.
TEST_F(GuardTest, EnforcedWritesArePlannedInTheQueueOfTheExecutor) {
  work::Executor narrow({.running = 1, .threads = 1, .continuation_threads = 1, .max_queued = 1});
  OpenShop("enforce", narrow);
  std::promise<void> begun;
  std::promise<void> end;
  ASSERT_TRUE(narrow.Post([&] {
    begun.set_value();
    end.get_future().wait();
  }));
  begun.get_future().wait();
  std::vector<std::future<bool>> accepted;
  for (int i = 0; i < 3; ++i) {
    engine::WriteRequest request;
    request.items.push_back(PutOf(OrderItem()));
    auto done = std::make_shared<std::promise<bool>>();
    accepted.push_back(done->get_future());
    engine::SubmitWrite(
        engine(), std::move(request),
        [done](const engine::WriteRequest&, const Result<engine::WriteOutcome>& outcome) {
          if (!outcome) EXPECT_EQ(outcome.error().code(), ErrorCode::kThrottling);
          done->set_value(outcome.has_value());
        });
  }
  // One waits in the queue, and the queue is full for the others.
  EXPECT_FALSE(accepted[1].get());
  EXPECT_FALSE(accepted[2].get());
  EXPECT_EQ(CountItems(), 0u);
  end.set_value();
  EXPECT_TRUE(accepted[0].get());
  EXPECT_EQ(CountItems(), 1u);
  guard_->Stop();
  engine().SetWriteGuard(nullptr);
  guard_.reset();
  writer_.reset();
}

}  // namespace
}  // namespace monotable::entities
