#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/guard.h"
#include "entities/write/write_fixture.h"
#include "expression/update.h"

// Many writers at once: nothing is lost, nothing is doubled, and every rule holds afterwards.
namespace monotable::entities {
namespace {

void InThreads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

class ConcurrentSales : public WriteFixture {
 protected:
  ConcurrentSales() { Open("sales"); }

  static std::string Buyer(int number) {
    return R"({"Name": "B", "Document": "11.222.333/000)" + std::to_string(number % 10) +
           R"(-44"})";
  }
  static item::Map SaleKey(const std::string& id) { return Texts({{"SaleId", id}}); }
  static constexpr std::string_view kSale =
      R"({"BuyerId": "BUYER001", "ProducerId": "PRODUCER001", "PaymentTerms": "CASH",
          "SaleDate": "2026-03-01T10:00:00Z"})";
  static std::string Line(int number) {
    return R"({"LineNumber": )" + std::to_string(number) +
           R"(, "ProductCode": "A", "ProductName": "A", "Quantity": 1, "Unit": "KG",
              "UnitPrice": 1})";
  }
  static ProblemCode CodeOf(const Error& error) {
    const ProblemDetail* problem = ProblemOf(error);
    EXPECT_NE(problem, nullptr) << error.message();
    return problem == nullptr ? ProblemCode::kInvalid : problem->code;
  }
};

TEST_F(ConcurrentSales, OneOfManyGetsAUniqueValue) {
  std::atomic<int> created = 0;
  InThreads(8, [&](int) {
    for (int value = 0; value < 10; ++value) {
      const auto answer = Create("Buyer", Buyer(value));
      if (answer) {
        ++created;
      } else {
        EXPECT_EQ(CodeOf(answer.error()), ProblemCode::kNotUnique) << answer.error().message();
      }
    }
  });
  EXPECT_EQ(created, 10);
}

TEST_F(ConcurrentSales, GeneratedIdsAreNeverGivenTwice) {
  std::mutex mutex;
  std::set<std::string> ids;
  InThreads(4, [&](int) {
    for (int i = 0; i < 25; ++i) {
      const auto answer = Create("Sale", kSale);
      ASSERT_TRUE(answer) << answer.error().message();
      const std::lock_guard lock(mutex);
      ids.insert(answer->changes[0].key.Find("SaleId")->string());
    }
  });
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(ConcurrentSales, OfTwoStatusChangesOneIsLegal) {
  for (int round = 0; round < 20; ++round) {
    const auto sale = Create("Sale", kSale);
    ASSERT_TRUE(sale);
    const item::Map key = sale->changes[0].key;
    ASSERT_TRUE(Patch("Sale", key, R"({"Status": "CONFIRMED"})"));
    // Each is legal after CONFIRMED; CANCELLED is legal after INVOICED too, but not before it.
    std::atomic<int> invoiced = 0;
    std::atomic<int> cancelled = 0;
    InThreads(2, [&](int i) {
      const auto answer =
          Patch("Sale", key, i == 0 ? R"({"Status": "INVOICED"})" : R"({"Status": "CANCELLED"})");
      if (answer) ++(i == 0 ? invoiced : cancelled);
    });
    EXPECT_EQ(cancelled, 1);
    EXPECT_EQ(TextOf("Sale", key, "Status"), "CANCELLED");
    EXPECT_EQ(Get("Sale", key)->version, 3 + invoiced);
  }
}

TEST_F(ConcurrentSales, LinesOfManyWritersAddUp) {
  const auto sale = Create("Sale", kSale);
  ASSERT_TRUE(sale);
  const item::Map key = sale->changes[0].key;
  InThreads(6, [&](int thread) {
    for (int i = 0; i < 10; ++i) {
      const auto answer = Write(Change::Kind::kCreate, "SaleLine", key, Line(thread * 10 + i + 1));
      ASSERT_TRUE(answer) << answer.error().message();
    }
  });
  EXPECT_EQ(TextOf("Sale", key, "Total"), "60");
  EXPECT_EQ(Get("Sale", key)->version, 61);
}

TEST_F(ConcurrentSales, SalesCreatedDuringRenamesHaveTheLastName) {
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::vector<item::Map> sales;
  std::thread creator([&] {
    while (!stop) {
      const auto sale = Create("Sale", kSale);
      ASSERT_TRUE(sale) << sale.error().message();
      const std::lock_guard lock(mutex);
      sales.push_back(sale->changes[0].key);
    }
  });
  const auto sold = [&] {
    const std::lock_guard lock(mutex);
    return sales.size();
  };
  int last = -1;
  for (int i = 0; i < 30 || sold() < 10; ++i) {
    last = i;
    const auto renamed = Patch("Buyer", Texts({{"BuyerId", "BUYER001"}}),
                               R"({"Name": "Name )" + std::to_string(i) + R"("})");
    ASSERT_TRUE(renamed) << renamed.error().message();
  }
  stop = true;
  creator.join();
  for (const item::Map& key : sales) {
    EXPECT_EQ(TextOf("Sale", key, "BuyerName"), "Name " + std::to_string(last));
  }
}

TEST_F(ConcurrentSales, NoSaleOutlivesItsBuyer) {
  for (int round = 0; round < 20; ++round) {
    const auto buyer = Create("Buyer", Buyer(round % 10));
    ASSERT_TRUE(buyer) << buyer.error().message();
    const std::string id = buyer->changes[0].key.Find("BuyerId")->string();
    bool sold = false;
    bool removed = false;
    InThreads(2, [&](int i) {
      if (i == 0) {
        sold = Create("Sale", R"({"BuyerId": ")" + id + R"(", "ProducerId": "PRODUCER001",
                      "PaymentTerms": "CASH", "SaleDate": "2026-03-01T10:00:00Z"})")
                   .has_value();
      } else {
        removed = Remove("Buyer", buyer->changes[0].key).has_value();
      }
    });
    EXPECT_NE(sold, removed) << "round " << round;
    if (!removed) {
      ASSERT_TRUE(
          Patch("Buyer", buyer->changes[0].key,
                R"({"Document": "99.222.333/00)" + std::to_string(10 + round) + R"(-44"})"));
    }
  }
}

class ConcurrentOrders : public WriteFixture {
 protected:
  ConcurrentOrders() { Open("orders"); }
  item::Map Order() const {
    return Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0001"}});
  }
};

TEST_F(ConcurrentOrders, AMoveAgainstAnUpdateLosesNothing) {
  const size_t items = CountItems();
  for (int round = 0; round < 20; ++round) {
    const std::string city = round % 2 == 0 ? "Recife" : "São Paulo";
    bool moved = false;
    bool changed = false;
    InThreads(2, [&](int i) {
      if (i == 0) {
        moved = Patch("Shipping", Order(), R"({"city": ")" + city + R"("})").has_value();
      } else {
        changed = Patch("Shipping", Order(), R"({"shipping_cost": )" + std::to_string(round) + "}")
                      .has_value();
      }
    });
    EXPECT_TRUE(moved);
    EXPECT_TRUE(changed);
    EXPECT_EQ(TextOf("Shipping", Order(), "city"), city);
    EXPECT_EQ(TextOf("Shipping", Order(), "shipping_cost"), std::to_string(round));
    EXPECT_EQ(CountItems(), items);
  }
}

TEST_F(ConcurrentOrders, ThereIsNeverASecondStatus) {
  const item::Map key = Order();
  const size_t items = CountItems();
  InThreads(4, [&](int i) {
    const auto answer = Patch("OrderStatus", key,
                              i % 2 == 0 ? R"({"order_status": "AguardandoEstoque"})"
                                         : R"({"order_status": "AguardandoSeparacao"})");
    if (!answer) {
      const ProblemDetail* problem = ProblemOf(answer.error());
      ASSERT_NE(problem, nullptr) << answer.error().message();
      EXPECT_EQ(problem->code, ProblemCode::kIllegalTransition) << answer.error().message();
    }
  });
  EXPECT_EQ(CountItems(), items);
}

// Raw writers that the model does not bind, against writers that it does.
TEST_F(ConcurrentSales, RawWritesInBetweenAreSeen) {
  const auto sale = Create("Sale", kSale);
  ASSERT_TRUE(sale);
  const item::Map key = sale->changes[0].key;
  const item::Item raw_key =
      Texts({{"PK", "SALE#" + key.Find("SaleId")->string()}, {"SK", "#METADATA#sale"}});
  InThreads(2, [&](int thread) {
    for (int i = 0; i < 100; ++i) {
      if (thread == 0) {
        const auto answer = Patch("Sale", key, R"({"$add": {"Quantity": 1}})");
        ASSERT_TRUE(answer) << answer.error().message();
        continue;
      }
      engine::ItemWrite write;
      write.table = catalog().Find("SalesTable-dev");
      write.table_name = "SalesTable-dev";
      write.action = engine::WriteAction::kUpdate;
      write.key = raw_key;
      write.substitutions = expression::Substitutions(
          std::nullopt, expression::Substitutions::Values{{":one", N(1)}});
      auto update = expression::ParseUpdate("ADD Touches :one", write.substitutions);
      ASSERT_TRUE(update);
      write.update = std::move(*update);
      engine::WriteRequest request;
      request.items.push_back(std::move(write));
      std::promise<bool> done;
      engine::SubmitWrite(engine(), std::move(request),
                          [&done](engine::WriteRequest&, Result<engine::WriteOutcome> outcome) {
                            done.set_value(outcome && !outcome->refused());
                          });
      ASSERT_TRUE(done.get_future().get());
    }
  });
  const auto item = Stored("Sale", key);
  EXPECT_EQ(item->Find("Quantity")->number().ToString(), "100");
  EXPECT_EQ(item->Find("Touches")->number().ToString(), "100");
}

}  // namespace
}  // namespace monotable::entities
