#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SalesWrites : public WriteFixture {
 protected:
  SalesWrites() { Open("sales"); }

  static std::string Buyer(std::string_view name, std::string_view document) {
    return R"({"Name": ")" + std::string(name) + R"(", "Document": ")" + std::string(document) +
           R"(", "PaymentTerms": "30_DAYS"})";
  }
  static constexpr std::string_view kSale =
      R"({"sale": {"BuyerId": "BUYER001", "ProducerId": "PRODUCER001",
                   "SaleDate": "2026-03-01T10:00:00Z"},
          "lines": [{"LineNumber": 1, "ProductCode": "A", "ProductName": "Café", "Quantity": 2.5,
                     "Unit": "KG", "UnitPrice": 10.01, "Discount": 0.5},
                    {"LineNumber": 2, "ProductCode": "B", "ProductName": "Soja", "Quantity": 3,
                     "Unit": "KG", "UnitPrice": 1, "Tax": 0.25}]})";
  item::Map Sale(std::string_view id) { return Texts({{"SaleId", std::string(id)}}); }
  // A new sale with two lines, and its id.
  std::string NewSale() {
    const auto answer = Call("createSale", {}, kSale);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer->changes[0].key.Find("SaleId")->string();
  }
};

TEST_F(SalesWrites, CreateMakesIdDefaultsStampsKeysAndVersion) {
  const auto answer = Create("Buyer", Buyer("Álvaro & Filhos", "11.222.333/0001-44"), {"ana", {}});
  ASSERT_TRUE(answer) << answer.error().message();
  // BUYER001 is a sample.
  const item::Map key = Texts({{"BuyerId", "BUYER002"}});
  EXPECT_EQ(answer->changes[0].key, key);
  EXPECT_TRUE(answer->changes[0].created);
  const auto item = Stored("Buyer", key);
  ASSERT_TRUE(item);
  EXPECT_EQ(item->Find("PK")->string(), "BUYER#BUYER002");
  EXPECT_EQ(item->Find("SK")->string(), "#METADATA#buyer");
  EXPECT_EQ(item->Find("GSI1PK")->string(), "BUYERS");
  EXPECT_EQ(item->Find("GSI1SK")->string(), "BUYER#Álvaro & Filhos");
  EXPECT_EQ(item->Find("EntityType")->string(), "Buyer");
  EXPECT_EQ(item->Find("_v")->number().ToString(), "1");
  EXPECT_EQ(item->Find("Status")->string(), "ACTIVE");
  EXPECT_EQ(item->Find("DocumentType")->string(), "CNPJ");
  EXPECT_EQ(item->Find("TaxId")->string(), "11.222.333/0001-44");
  EXPECT_EQ(item->Find("CreatedBy")->string(), "ana");
  EXPECT_EQ(item->Find("CreatedAt")->string(), "2027-01-15T08:00:00Z");
}

TEST_F(SalesWrites, OperationCreatesSaleWithLinesTotalsAndCopies) {
  const std::string id = NewSale();
  EXPECT_EQ(id, "SALE002");
  // 2.5 × 10.01 is 25.025, half even to 25.02.
  EXPECT_EQ(TextOf(
                "SaleLine",
                [&] {
                  item::Map key = Sale(id);
                  key.Set("LineNumber", N(1));
                  return key;
                }(),
                "Subtotal"),
            "25.02");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Subtotal"), "28.02");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Discount"), "0.5");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Tax"), "0.25");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Total"), "27.77");
  EXPECT_EQ(TextOf("Sale", Sale(id), "BuyerName"), "ACME Corporation");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Status"), "DRAFT");
  EXPECT_EQ(TextOf("Sale", Sale(id), "PaymentTerms"),
            TextOf("Buyer", Texts({{"BuyerId", "BUYER001"}}), "PaymentTerms"));
  EXPECT_EQ(Stored("Sale", Sale(id))->Find("GSI3PK")->string(), "STATUS#DRAFT");
}

TEST_F(SalesWrites, LinesAndHeaderChangeTogether) {
  const std::string id = NewSale();
  item::Map line = Sale(id);
  line.Set("LineNumber", N(2));
  ASSERT_TRUE(Patch("SaleLine", line, R"({"Quantity": 10})"));
  EXPECT_EQ(TextOf("Sale", Sale(id), "Subtotal"), "35.02");
  ASSERT_TRUE(Remove("SaleLine", line));
  EXPECT_EQ(TextOf("Sale", Sale(id), "Subtotal"), "25.02");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Tax"), "0");
  EXPECT_EQ(Get("Sale", Sale(id))->version, 3);
}

TEST_F(SalesWrites, StatusMovesTheSaleInItsIndexAndOnlyAlongTransitions) {
  const std::string id = NewSale();
  ASSERT_TRUE(Patch("Sale", Sale(id), R"({"Status": "CONFIRMED"})"));
  EXPECT_EQ(Stored("Sale", Sale(id))->Find("GSI3PK")->string(), "STATUS#CONFIRMED");
  const auto illegal = Patch("Sale", Sale(id), R"({"Status": "DRAFT"})");
  ExpectProblem(illegal, ProblemCode::kIllegalTransition, "/Status");
  EXPECT_THAT(ProblemOf(illegal.error())->allowed, ElementsAre("INVOICED", "CANCELLED"));
  EXPECT_EQ(illegal.error().message(), "Sale.Status CONFIRMED cannot become DRAFT");
  EXPECT_EQ(TextOf("Sale", Sale(id), "Status"), "CONFIRMED");
}

TEST_F(SalesWrites, RenameFollowsIntoSalesUntilTheyAreInvoiced) {
  const std::string open = NewSale();
  // The sample is invoiced.
  const std::string frozen = TextOf("Sale", Sale("SALE001"), "BuyerName");
  ASSERT_TRUE(Call("renameBuyer", Texts({{"BuyerId", "BUYER001"}}), R"({"Name": "Zeta"})"));
  EXPECT_EQ(TextOf("Sale", Sale(open), "BuyerName"), "Zeta");
  EXPECT_EQ(TextOf("Sale", Sale("SALE001"), "BuyerName"), frozen);
  EXPECT_EQ(Stored("Buyer", Texts({{"BuyerId", "BUYER001"}}))->Find("GSI1SK")->string(),
            "BUYER#Zeta");
}

TEST_F(SalesWrites, UniqueValuesAreTakenChangedAndGivenBack) {
  ASSERT_TRUE(Create("Buyer", Buyer("A", "11.222.333/0001-44")));
  // The same digits in other clothes, and one that a sample has.
  ExpectProblem(Create("Buyer", Buyer("B", "11.222.333/0001-44")), ProblemCode::kNotUnique,
                "/Document");
  const std::string sample = TextOf("Buyer", Texts({{"BuyerId", "BUYER001"}}), "Document");
  ExpectProblem(Create("Buyer", Buyer("B", sample)), ProblemCode::kNotUnique, "/Document");
  // Another entity has its own values.
  EXPECT_TRUE(Create("Producer", R"({"Name": "P", "Document": "11.222.333/0001-44"})"));
  ASSERT_TRUE(
      Patch("Buyer", Texts({{"BuyerId", "BUYER002"}}), R"({"Document": "99.222.333/0001-44"})"));
  EXPECT_TRUE(Create("Buyer", Buyer("B", "11.222.333/0001-44")));
  ASSERT_TRUE(Remove("Buyer", Texts({{"BuyerId", "BUYER002"}})));
  EXPECT_TRUE(Create("Buyer", Buyer("C", "99.222.333/0001-44")));
}

TEST_F(SalesWrites, MarkerOfAnItemThatIsGoneMarksNothing) {
  ASSERT_TRUE(Create("Buyer", Buyer("A", "11.222.333/0001-44")));
  DeleteItem("SalesTable-dev", Texts({{"PK", "BUYER#BUYER002"}, {"SK", "#METADATA#buyer"}}));
  EXPECT_TRUE(Create("Buyer", Buyer("B", "11.222.333/0001-44")));
}

TEST_F(SalesWrites, ReferencesMustExistAndRulesMustHold) {
  const size_t items = CountItems();
  ExpectProblem(Create("Sale", R"({"BuyerId": "NOBODY", "ProducerId": "PRODUCER001",
                                   "SaleDate": "2026-03-01T10:00:00Z", "PaymentTerms": "CASH"})"),
                ProblemCode::kMissingReference, "/BuyerId");
  ASSERT_TRUE(Patch("Buyer", Texts({{"BuyerId", "BUYER001"}}), R"({"Status": "BLOCKED"})"));
  const auto refused = Call("createSale", {}, kSale);
  ExpectProblem(refused, ProblemCode::kRuleFailed);
  EXPECT_EQ(refused.error().message(), "The buyer is not active.");
  ExpectProblem(Patch("Sale", Sale("SALE001"), R"({"DeliveryDate": "2020-01-01T00:00:00Z"})"),
                ProblemCode::kRuleFailed);
  // The counter is there now, and nothing else.
  EXPECT_EQ(CountItems(), items + 1);
}

TEST_F(SalesWrites, ABuyerWithSalesStays) {
  ExpectProblem(Remove("Buyer", Texts({{"BuyerId", "BUYER001"}})), ProblemCode::kRestricted);
  EXPECT_TRUE(Get("Buyer", Texts({{"BuyerId", "BUYER001"}})));
}

TEST_F(SalesWrites, ASaleGoesWithItsCollectionOnly) {
  const std::string id = NewSale();
  const size_t items = CountItems();
  ExpectProblem(Remove("Sale", Sale(id)), ProblemCode::kRestricted);
  EXPECT_EQ(CountItems(), items);
  ASSERT_TRUE(Remove("Sale", Sale(id), true));
  EXPECT_EQ(CountItems(), items - 3);
  // Another sale is untouched.
  EXPECT_TRUE(Get("Sale", Sale("SALE001")));
}

TEST_F(SalesWrites, InvoiceAndSaleChangeTogetherOrNot) {
  const std::string id = NewSale();
  constexpr std::string_view kInvoice =
      R"({"invoice": {"InvoiceNumber": "NF-1", "IssueDate": "2026-03-02T00:00:00Z",
          "InvoiceKey": "35260312345678000190550010000000011234567890"}})";
  ExpectProblem(Call("issueInvoice", Sale(id), kInvoice), ProblemCode::kRuleFailed);
  ASSERT_TRUE(Call("changeSaleStatus", Sale(id), R"({"to": "CONFIRMED"})"));
  const auto issued = Call("issueInvoice", Sale(id), kInvoice);
  ASSERT_TRUE(issued) << issued.error().message();
  // DRAFT cannot become AUTHORIZED, so the sale stays CONFIRMED.
  ExpectProblem(Call("authorizeInvoice", Sale(id), R"({"AuthorizationProtocol": "P"})"),
                ProblemCode::kIllegalTransition);
  EXPECT_EQ(TextOf("Sale", Sale(id), "Status"), "CONFIRMED");
  ASSERT_TRUE(Patch("InvoiceMetadata", Sale(id), R"({"Status": "PENDING_AUTHORIZATION"})"));
  const auto authorized = Call("authorizeInvoice", Sale(id), R"({"AuthorizationProtocol": "P"})");
  ASSERT_TRUE(authorized) << authorized.error().message();
  EXPECT_EQ(TextOf("Sale", Sale(id), "Status"), "INVOICED");
  EXPECT_EQ(TextOf("Sale", Sale(id), "InvoiceNumber"), "NF-1");
  EXPECT_EQ(TextOf("Sale", Sale(id), "InvoiceDate"), "2026-03-02T00:00:00Z");
  EXPECT_EQ(TextOf("InvoiceMetadata", Sale(id), "AuthorizationDate"), "2027-01-15T08:00:00Z");
}

TEST_F(SalesWrites, VersionsGuardAgainstLostUpdates) {
  auto change = ChangeOf(Change::Kind::kUpdate, "Sale", Sale("SALE001"), R"({"Notes": "x"})");
  ASSERT_TRUE(change);
  change->if_version = 7;
  ExpectProblem(Apply({*change}), ProblemCode::kVersionMismatch);
  change->if_version = 0;  // samples have none
  const auto written = Apply({*change});
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(EntityTag(EntityOf("Sale"), encoding::ItemView(*written->changes[0].item)), "\"v1\"");
  auto absent = ChangeOf(Change::Kind::kReplace, "Buyer", Texts({{"BuyerId", "BUYER001"}}),
                         Buyer("A", "11.222.333/0001-44"));
  absent->if_absent = true;
  ExpectProblem(Apply({*absent}), ProblemCode::kVersionMismatch);
}

TEST_F(SalesWrites, AWriteThatChangesNothingIsNone) {
  ASSERT_TRUE(Patch("Sale", Sale("SALE001"), R"({"Notes": "x"})"));
  clock_.now_ms += 60'000;
  const auto again = Patch("Sale", Sale("SALE001"), R"({"Notes": "x"})");
  ASSERT_TRUE(again);
  EXPECT_EQ(Get("Sale", Sale("SALE001"))->version, 1);
  EXPECT_TRUE(again->changes[0].item);
}

TEST_F(SalesWrites, KeysOfASaleDoNotChange) {
  ExpectProblem(Patch("Sale", Sale("SALE001"), R"({"SaleId": "SALE777"})"),
                ProblemCode::kKeyChange);
  ExpectProblem(Patch("Sale", Sale("SALE404"), R"({"Notes": "x"})"), ProblemCode::kNotFound);
}

TEST_F(SalesWrites, ReplaceKeepsWhatTheServerSays) {
  const auto before = Get("Buyer", Texts({{"BuyerId", "BUYER001"}}));
  const auto written = Write(Change::Kind::kReplace, "Buyer", Texts({{"BuyerId", "BUYER001"}}),
                             Buyer("Outra", "11.222.333/0001-44"));
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_FALSE(written->changes[0].created);
  const auto after = Get("Buyer", Texts({{"BuyerId", "BUYER001"}}));
  EXPECT_EQ(*after->attributes.Find("CreatedAt"), *before->attributes.Find("CreatedAt"));
  EXPECT_EQ(after->attributes.Find("Email"), nullptr);
  EXPECT_EQ(TextOf("Buyer", Texts({{"BuyerId", "BUYER001"}}), "TaxId"), "11.222.333/0001-44");
}

TEST_F(SalesWrites, SeveralChangesAreOne) {
  auto good = ChangeOf(Change::Kind::kUpdate, "Sale", Sale("SALE001"), R"({"Notes": "x"})");
  auto bad =
      ChangeOf(Change::Kind::kUpdate, "Buyer", Texts({{"BuyerId", "NOBODY"}}), R"({"Notes": "x"})");
  ExpectProblem(Apply({*good, *bad}), ProblemCode::kNotFound);
  EXPECT_EQ(TextOf("Sale", Sale("SALE001"), "Notes"), TextOf("Sale", Sale("SALE001"), "Notes"));
  EXPECT_EQ(Get("Sale", Sale("SALE001"))->version, 0);
}

TEST_F(SalesWrites, MissingAndTooLargeIsRefused) {
  const auto missing = Create("Buyer", R"({"Name": "A"})");
  ExpectProblem(missing, ProblemCode::kInvalid, "/Document");
  EXPECT_EQ(ProblemOf(missing.error())->fields[0].code, "required");
  ExpectProblem(Create("Buyer", Buyer("A", "11.222.333/0001-44").insert(1, R"("BuyerId": "A#B",)")),
                ProblemCode::kInvalid, "/BuyerId");
}

TEST_F(SalesWrites, ARetryWithItsKeyIsNotDoneAgain) {
  const auto change =
      ChangeOf(Change::Kind::kCreate, "Buyer", {}, Buyer("A", "11.222.333/0001-44"));
  const IdempotencyKey key{"token", "print", ""};
  const auto first = Apply({*change}, {}, key);
  ASSERT_TRUE(first) << first.error().message();
  const size_t items = CountItems();
  const auto second = Apply({*change}, {}, key);
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_TRUE(second->replayed);
  EXPECT_EQ(second->changes[0].key, first->changes[0].key);
  EXPECT_EQ(second->changes[0].item, first->changes[0].item);
  EXPECT_EQ(CountItems(), items);
  const auto other = Apply({*change}, {}, IdempotencyKey{"token", "other", ""});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kIdempotentParameterMismatch);
}

class OrdersWrites : public WriteFixture {
 protected:
  OrdersWrites() { Open("orders"); }
  item::Map Order() const {
    return Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0001"}});
  }
};

TEST_F(OrdersWrites, StatusMovesAndThereIsOne) {
  ASSERT_EQ(TextOf("OrderStatus", Order(), "order_status"), "Pendente");
  const size_t items = CountItems();
  const auto moved = Call("changeOrderStatus", Order(), R"({"to": "AguardandoEstoque"})");
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(CountItems(), items);
  EXPECT_EQ(TextOf("OrderStatus", Order(), "order_status"), "AguardandoEstoque");
  EXPECT_EQ(Stored("OrderStatus", Order())->Find("SK")->string(), "STATUS#AguardandoEstoque");
  ExpectProblem(Call("changeOrderStatus", Order(), R"({"to": "Pendente"})"),
                ProblemCode::kIllegalTransition);
  item::Map second = Order();
  second.Set("order_status", S("Pendente"));
  ExpectProblem(Write(Change::Kind::kCreate, "OrderStatus", second, "{}"),
                ProblemCode::kAlreadyExists);
}

TEST_F(OrdersWrites, ItemsLeaveTheIndexWhenTheyArePicked) {
  item::Map item = Order();
  item.Set("product_id", S("PRD-1001"));
  ASSERT_TRUE(Call("changeItemStatus", item, R"({"to": "AguardandoSeparacao"})"));
  EXPECT_EQ(Stored("OrderItem", item)->Find("GSI2-PK")->string(), "ITEMSTATUS#AguardandoSeparacao");
  ASSERT_TRUE(Call("changeItemStatus", item, R"({"to": "Separado"})"));
  EXPECT_EQ(Stored("OrderItem", item)->Find("GSI2-PK"), nullptr);
  EXPECT_EQ(Stored("OrderItem", item)->Find("GSI2-SK"), nullptr);
}

TEST_F(OrdersWrites, AChildNeedsItsParent) {
  item::Map item = Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-9999"}});
  item.Set("product_id", S("P"));
  ExpectProblem(Write(Change::Kind::kCreate, "OrderItem", item, "{}"),
                ProblemCode::kMissingReference);
}

class TradingWrites : public WriteFixture {
 protected:
  TradingWrites() { Open("trading"); }
  static constexpr std::string_view kOrder =
      R"({"order_id": "o1", "client_id": "c1", "product_id": "p1", "symbol": "BTC", "side": "BUY",
          "quantity": 0.00000001, "price": 45000, "order_type": "LIMIT"})";
  item::Map Order() const {
    return Texts({{"client_id", "c1"}, {"order_id", "o1"}, {"created_at", "15/01/2027 08:00:00"}});
  }
};

TEST_F(TradingWrites, ExpiryComesWithTheTerminalState) {
  const auto created = Create("Order", kOrder);
  ASSERT_TRUE(created) << created.error().message();
  const auto item = Stored("Order", Order());
  ASSERT_TRUE(item);
  EXPECT_EQ(item->Find("SK")->string(), "ORDER#2027-01-15T08:00:00Z#o1");
  EXPECT_EQ(item->Find("created_at")->string(), "15/01/2027 08:00:00");
  EXPECT_EQ(item->Find("ttl"), nullptr);
  ASSERT_TRUE(Call("changeOrderStatus", Order(), R"({"to": "FILLED"})"));
  EXPECT_EQ(Stored("Order", Order())->Find("ttl")->number().ToString(), "1807776000");
  ExpectProblem(Create("Order", kOrder), ProblemCode::kAlreadyExists);
  clock_.now_ms += 1000;  // another key, the same id
  ExpectProblem(Create("Order", kOrder), ProblemCode::kNotUnique, "/order_id");
}

TEST_F(TradingWrites, AnExecutionFindsItsOrderThroughTheIndex) {
  ASSERT_TRUE(Create("Order", kOrder));
  constexpr std::string_view kBody =
      R"({"execution": {"execution_id": "e1", "product_id": "p1", "symbol": "BTC", "side": "BUY",
            "quantity": 1, "price": 2, "executed_at": "2027-01-15T08:00:01Z"},
          "status": "FILLED",
          "position": {"product_id": "p1", "symbol": "BTC", "side": "LONG", "quantity": 1}})";
  ExpectProblem(Call("bookExecution", Order(), kBody), ProblemCode::kNotFound);
  const auto booked = Call("bookFirstExecution", Order(), kBody);
  ASSERT_TRUE(booked) << booked.error().message();
  EXPECT_EQ(TextOf("Order", Order(), "status"), "FILLED");
  EXPECT_EQ(TextOf("Position", Texts({{"client_id", "c1"}, {"symbol", "BTC"}, {"side", "LONG"}}),
                   "quantity"),
            "1");
  ExpectProblem(Create("Execution",
                       R"({"execution_id": "e2", "order_id": "none", "client_id": "c1",
                           "product_id": "p1", "symbol": "BTC", "side": "BUY", "quantity": 1,
                           "price": 2, "executed_at": "2027-01-15T08:00:01Z"})"),
                ProblemCode::kMissingReference, "/order_id");
}

class ChatWrites : public WriteFixture {
 protected:
  ChatWrites() { Open("chat"); }
};

TEST_F(ChatWrites, MessagesOfOneInstantAreBothKept) {
  constexpr std::string_view kBody =
      R"({"message": {"id": "6fa459ea-ee8a-3ca4-894e-db77e160355e", "role": "USER",
                      "content": "Olá"}})";
  const Caller tenant{"u", "tenant-1"};
  const item::Map conversation = Texts({{"conversationId", "conversation-1"}});
  const auto first = Call("postMessage", conversation, kBody, tenant);
  ASSERT_TRUE(first) << first.error().message();
  const auto second = Call("postMessage", conversation, kBody, tenant);
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(first->changes[0].key.Find("createdAt")->string(), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(second->changes[0].key.Find("createdAt")->string(), "2027-01-15T08:00:00.001Z");
}

TEST_F(ChatWrites, TenantsDoNotReachEachOther) {
  const Caller other{"u", "tenant-2"};
  ExpectProblem(Patch("Conversation", Texts({{"conversationId", "conversation-1"}}),
                      R"({"title": "x"})", other),
                ProblemCode::kNotFound);
  ExpectProblem(
      Patch("Conversation", Texts({{"conversationId", "conversation-1"}, {"tenantId", "tenant-1"}}),
            R"({"title": "x"})", other),
      ProblemCode::kForbidden);
  ExpectProblem(Create("Conversation", R"({"userId": "u", "tenantId": "tenant-1"})", other),
                ProblemCode::kForbidden);
}

}  // namespace
}  // namespace monotable::entities
