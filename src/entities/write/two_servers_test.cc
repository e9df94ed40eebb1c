#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "entities/read/find_entities.h"
#include "entities/write/copies.h"
#include "entities/write/lease.h"
#include "entities/write/unique_values.h"
#include "entities/write/write_fixture.h"
#include "storage/rocksdb/rocksdb_store.h"

// Two servers on one store, each with its own writer and executor: every rule holds, and background
// work is done once.
namespace monotable::entities {
namespace {

constexpr std::string_view kShop = R"yaml(format: stm/1
model: shop
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
entities:
  Customer:
    path: customers
    id: {attribute: customer}
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: CUSTOMER}}
    attributes: {customer: {type: string, required: true, max: 64}, name: string!, email: string}
    unique:
      - {name: email, fields: ["{email}"]}
    delete: {restrict_if: ordersOfCustomer}
  Order:
    path: orders
    id: {attribute: number, generate: counter, format: "N{n:04}"}
    keys:
      primary: {PK: "ORDER#{number}", SK: ORDER}
      GSI1: {GSI1PK: "CUSTOMER#{customer}", GSI1SK: "ORDER#{number}"}
    attributes:
      number: string!
      customer: {type: string, required: true, max: 64, ref: Customer}
      customerName: string
      total: {type: decimal, scale: 2, derive: "sum(lines.price)"}
    copies:
      - {set: customerName, from: Customer.name, via: customer, mode: live}
    delete: {cascade: collection}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{number}", SK: "LINE#{line:03}"}}
    attributes: {number: string!, line: integer!, price: decimal!}
  Note:
    parent: Order
    path: note
    cardinality: one
    keys: {primary: {PK: "ORDER#{number}", SK: "NOTE#{kind}"}}
    attributes: {number: string!, kind: string!}
collections:
  OrderFull: {root: Order, members: {lines: "Line[]"}, partition: "ORDER#{number}"}
patterns:
  - name: ordersOfCustomer
    list: Order
    index: GSI1
    where: "GSI1PK = CUSTOMER#{customer} and GSI1SK begins_with ORDER#"
    route: "GET /customers/{customer}/orders"
)yaml";

class TwoServers : public WriteFixture, public testing::WithParamInterface<const char*> {
 protected:
  TwoServers() {
    if (std::string(GetParam()) == "RocksDB") {
      CloseEngine();
      folder_ = std::filesystem::temp_directory_path() /
                fmt::format("monotable-two-servers-{}", std::random_device()());
      auto opened = storage::OpenRocksDbStore(folder_, {.durability = storage::Durability::kRelaxed,
                                                        .now = [this] { return clock_.NowMs(); }});
      if (!opened) ADD_FAILURE() << opened.error().message();
      store_ = *std::move(opened);
      OpenEngine();
    }
    OpenModel(std::string(kShop), {"", {}, 5});
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    other_ = std::make_unique<Writer>(engine(), other_executor_, application());
  }
  ~TwoServers() override {
    writer_.reset();
    other_.reset();
    CloseEngine();
    store_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  static item::Map Customer(int number) {
    return Texts({{"customer", fmt::format("çã/{}", number)}});
  }
  static std::string NameOf(const item::Map& customer) {
    return customer.Find("customer")->string();
  }

  Result<WriteAnswer> Do(Writer& writer, const Result<Change>& change) {
    if (!change) return change.error();
    std::promise<Result<WriteAnswer>> done;
    writer.Apply({*change}, {}, std::nullopt,
                 [&done](Result<WriteAnswer> answer) { done.set_value(std::move(answer)); });
    return done.get_future().get();
  }
  Result<WriteAnswer> CreateOrder(Writer& writer, int customer) {
    return Do(writer, ChangeOf(Change::Kind::kCreate, "Order", {},
                               R"({"customer": ")" + NameOf(Customer(customer)) + R"("})"));
  }

  // Every item of an entity in the table.
  std::vector<Record> All(std::string_view name) {
    std::vector<Record> records;
    const engine::TablePtr table = catalog().Find("shop");
    const auto cursor = store().Latest().Scan(
        encoding::ItemsRange(table->id, encoding::kTableItems), storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      const auto item = encoding::DecodeItem(cursor->value());
      const Entity* entity = application().Recognise(*EntityOf("Order").table, *item);
      if (entity == nullptr) {
        EXPECT_TRUE(item->Find("PK")->string().starts_with(kInternalPrefix));
        if (name == "marker" && item->Find("PK")->string().starts_with("MONOTABLE#UNIQUE#")) {
          records.push_back({*item, {}, 0});
        }
      } else if (entity->name() == name) {
        records.push_back(*RecordOf(*entity, *item));
      }
    }
    return records;
  }

  void ExpectEveryRule() {
    std::map<std::string, std::string> names;
    size_t emails = 0;
    for (const Record& customer : All("Customer")) {
      names[customer.attributes.Find("customer")->string()] =
          customer.attributes.Find("name")->string();
      if (customer.attributes.Find("email") != nullptr) ++emails;
    }
    std::map<std::string, int> totals;
    std::map<std::string, int> notes;
    for (const Record& order : All("Order")) {
      const std::string number = order.attributes.Find("number")->string();
      const std::string customer = order.attributes.Find("customer")->string();
      ASSERT_TRUE(names.contains(customer)) << number << " refers to nobody";
      EXPECT_EQ(order.attributes.Find("customerName")->string(), names[customer]) << number;
      totals[number] = 0;
    }
    for (const Record& line : All("Line")) {
      const std::string number = line.attributes.Find("number")->string();
      ASSERT_TRUE(totals.contains(number)) << "a line without its order " << number;
      totals[number] += std::stoi(line.attributes.Find("price")->number().ToString());
    }
    for (const Record& note : All("Note")) {
      const std::string number = note.attributes.Find("number")->string();
      ASSERT_TRUE(totals.contains(number)) << "a note without its order " << number;
      EXPECT_EQ(++notes[number], 1) << number;
    }
    for (const Record& order : All("Order")) {
      const std::string number = order.attributes.Find("number")->string();
      const item::Value* total = order.attributes.Find("total");
      EXPECT_EQ(total == nullptr ? "0" : total->number().ToString(), std::to_string(totals[number]))
          << number;
    }
    EXPECT_EQ(All("marker").size(), emails);
  }

  std::filesystem::path folder_;
  work::Executor other_executor_;
  std::unique_ptr<Writer> other_;
};

// Each thread creates, changes, deletes and renames at random, half of them on the other server.
TEST_P(TwoServers, KeepEveryRule) {
  constexpr int kCustomers = 4;
  constexpr int kRounds = 60;
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  for (int i = 0; i < kCustomers; ++i) {
    item::Map customer = Customer(i);
    ASSERT_TRUE(
        Do(writer(), ChangeOf(Change::Kind::kReplace, "Customer", customer, R"({"name": "A"})")));
  }
  std::mutex mutex;
  std::set<std::string> numbers;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Writer& writer = thread % 2 == 0 ? *writer_ : *other_;
      std::mt19937 random(seed + static_cast<unsigned>(thread));
      const auto below = [&random](unsigned limit) { return static_cast<int>(random() % limit); };
      for (int round = 0; round < kRounds; ++round) {
        const int customer = below(kCustomers);
        const item::Map order = Texts({{"number", fmt::format("N{:04}", 1 + below(40))}});
        switch (below(8)) {
          case 0:
          case 1: {
            const auto created = CreateOrder(writer, customer);
            if (!created) break;
            const std::lock_guard lock(mutex);
            EXPECT_TRUE(numbers.insert(created->changes[0].key.Find("number")->string()).second);
            break;
          }
          case 2:
            static_cast<void>(Do(writer, ChangeOf(Change::Kind::kCreate, "Line", order,
                                                  fmt::format(R"({{"line": {}, "price": {}}})",
                                                              below(5), 1 + below(9)))));
            break;
          case 3: {
            item::Map line = order;
            line.Set("line", N(below(5)));
            static_cast<void>(Do(writer, ChangeOf(Change::Kind::kDelete, "Line", line, "")));
            break;
          }
          case 4:
            static_cast<void>(Do(writer, ChangeOf(Change::Kind::kCreate, "Note", order,
                                                  fmt::format(R"({{"kind": "{}"}})", below(3)))));
            break;
          case 5: {
            auto deleted = ChangeOf(Change::Kind::kDelete, "Order", order, "");
            deleted->cascade = true;
            static_cast<void>(Do(writer, deleted));
            break;
          }
          case 6:
            static_cast<void>(Do(
                writer,
                ChangeOf(Change::Kind::kUpdate, "Customer", Customer(customer),
                         fmt::format(R"({{"name": "B{}", "email": "{}@x"}})", round, below(3)))));
            break;
          default:
            if (below(2) == 0) {
              static_cast<void>(
                  Do(writer, ChangeOf(Change::Kind::kDelete, "Customer", Customer(customer), "")));
            } else {
              static_cast<void>(Do(writer, ChangeOf(Change::Kind::kReplace, "Customer",
                                                    Customer(customer), R"({"name": "C"})")));
            }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // What one server leaves because the other has it is found again when the lease ends.
  for (int i = 0; i < 3; ++i) {
    writer().WaitForJobs();
    other_->WaitForJobs();
    clock_.now_ms += kLeaseMs + 1;
    ASSERT_TRUE(writer().ResumeJobs());
  }
  writer().WaitForJobs();
  ExpectEveryRule();
}

TEST_P(TwoServers, AJobBelongsToOneUntilItsLeaseEnds) {
  ASSERT_TRUE(Do(writer(),
                 ChangeOf(Change::Kind::kReplace, "Customer", Customer(1), R"({"name": "Old"})")));
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(CreateOrder(writer(), 1));
  // A server that died after it renamed the customer and had begun to copy.
  const item::Item source = **PrimaryKey(EntityOf("Customer"), Customer(1));
  item::Item job = CopyJobItem({&EntityOf("Customer"), source, "", "1"});
  SetLease({"dead", clock_.now_ms + kLeaseMs}, &job);
  PutItem("shop", job);
  item::Map renamed = Customer(1);
  renamed.Set("name", S("New"));
  PutRecord("Customer", std::move(renamed));

  ASSERT_TRUE(writer().ResumeJobs());
  ASSERT_TRUE(other_->ResumeJobs());
  writer().WaitForJobs();
  other_->WaitForJobs();
  for (const Record& order : All("Order")) {
    EXPECT_EQ(order.attributes.Find("customerName")->string(), "Old");
  }
  clock_.now_ms += kLeaseMs;
  ASSERT_TRUE(other_->ResumeJobs());
  ASSERT_TRUE(writer().ResumeJobs());
  other_->WaitForJobs();
  writer().WaitForJobs();
  for (const Record& order : All("Order")) {
    EXPECT_EQ(order.attributes.Find("customerName")->string(), "New");
    EXPECT_EQ(order.version, 2);  // by one of the two
  }
}

TEST_P(TwoServers, BothMayAdoptATableAtOnce) {
  for (int i = 0; i < 50; ++i) {
    item::Map customer = Customer(i);
    customer.Set("name", S("A"));
    customer.Set("email", S(fmt::format("{}@x", i)));
    PutRecord("Customer", std::move(customer));
  }
  std::thread one([&] { EXPECT_TRUE(AdoptUniqueValues(engine(), application())); });
  std::thread other([&] { EXPECT_TRUE(AdoptUniqueValues(engine(), application())); });
  one.join();
  other.join();
  ExpectEveryRule();
}

INSTANTIATE_TEST_SUITE_P(Stores, TwoServers, testing::Values("Memory", "RocksDB"));

}  // namespace
}  // namespace monotable::entities
