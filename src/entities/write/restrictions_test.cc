#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"
#include "model/instant.h"

// What a model keeps as it is or apart, and what operations may do all the same: a warehouse.
namespace monotable::entities {
namespace {

class RestrictionsTest : public WriteFixture {
 protected:
  RestrictionsTest() {
    OpenModel(R"yaml(format: stm/1
model: warehouse
tables:
  main: {name: warehouse, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
enums:
  OrderState:
    values: [OPEN, PACKED, SENT]
    initial: OPEN
    initial_only: true
    transitions: {OPEN: [PACKED], PACKED: [SENT, OPEN], SENT: []}
types:
  Line: {type: object, attributes: {sku: string!, quantity: integer!}}
entities:
  Product:
    path: products
    keys: {primary: {PK: "PRODUCT#{sku}", SK: PRODUCT}}
    attributes:
      sku: string!
      ean: {type: string, change: once}
      maker: {type: string, change: never}
      stock: {type: integer, change: by_operation, default: 0}
      views: {type: integer, change: by_operation}
      cpf: string
      cnpj: string
      promo: string
      discount: string
    exactly_one: [[cpf, cnpj]]
    at_most_one: [[promo, discount]]
  Order:
    path: orders
    keys: {primary: {PK: "ORDER#{order}", SK: ORDER}}
    attributes:
      order: string!
      state: OrderState
      address: string
      note: string
      extras: {type: object, open: true, attributes: {gift: boolean}}
      placed: {type: instant, set: on_create}
      due: {type: instant, derive: "placed + 48h"}
      label: {type: string, derive: "concat('Pedido ', order, ' – ', address)"}
      items: {type: integer, derive: count(lines)}
      heavy: {type: boolean, derive: "any(lines, quantity > 100)"}
    frozen:
      - {name: packed, when: "state == PACKED", attributes: [address]}
      - {name: sent, when: "state == SENT", except: [note]}
  OrderLine:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{order}", SK: "LINE#{sku}"}}
    attributes: {order: string!, sku: string!, quantity: integer!}
    assert:
      - {name: order_is_open, that: "Order.state == OPEN"}
  Delivery:
    path: deliveries
    id:
      attribute: number
      generate: counter
      scope: ["{company}", "{day}"]
      format: "{day:yyyyMMdd}-{n:04}"
    keys: {primary: {PK: "COMPANY#{company}", SK: "DELIVERY#{number}"}}
    attributes:
      company: string!
      day: date!
      number: string!
      token: {type: string, generate: uuid, change: never}
      place: {type: integer, generate: {as: counter, scope: ["{company}"]}}
      ticket: {type: string, generate: {as: ulid, format: "T-{n}"}}
collections:
  OrderFull: {root: Order, members: {lines: "OrderLine[]"}, partition: "ORDER#{order}"}
operations:
  receive:
    route: POST /deliveries
    input: {lines: {type: list, of: Line, max: 20}}
    transact:
      - {update: Product, each: lines, set: {stock: stock + each.quantity}}
  look:
    route: POST /products/{sku}:look
    transact:
      - {update: Product, set: {views: views + 1}}
  remember:
    route: POST /products/{sku}:remember
    input: {cpf: string}
    transact:
      - {upsert: Product, set: {views: views + 1, cpf: "coalesce(cpf, input.cpf)"}}
  pack:
    route: POST /orders/{order}:pack
    input: {note: string!}
    transact:
      - {check: Order, that: "input.note != 'no' and state == OPEN"}
      - {update: Order, set: {state: PACKED, note: input.note}}
  imported:
    route: POST /orders:import
    input: {order: string!}
    transact:
      - {put: Order, key: {order: input.order}, set: {state: SENT}}
  clear:
    route: POST /orders/{order}:clear
    input: {skus: {type: list, of: string, max: 20}}
    transact:
      - {delete: OrderLine, each: skus, key: {sku: each}}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
  }

  static item::Map Sku(const std::string& sku) { return Texts({{"sku", sku}}); }
  static item::Map Order(const std::string& order) { return Texts({{"order", order}}); }

  // The code of the first field of the refusal.
  static std::string FieldCode(const Result<WriteAnswer>& answer) {
    const ProblemDetail* problem = answer ? nullptr : ProblemOf(answer.error());
    if (problem == nullptr) return answer ? "(written)" : answer.error().message();
    if (problem->fields.empty()) return std::string(ProblemName(problem->code));
    return problem->fields[0].code + " " + problem->fields[0].path;
  }
  static void ExpectWritten(const Result<WriteAnswer>& answer) {
    EXPECT_TRUE(answer) << answer.error().message();
  }
};

TEST_F(RestrictionsTest, WhatNeverChangesIsGivenWithTheItem) {
  ExpectWritten(Create("Product", R"({"sku": "a", "maker": "Fábrica #1", "cpf": "1"})"));
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"maker": "x"})")), "read_only /maker");
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"maker": null})")), "read_only /maker");
  ExpectWritten(Patch("Product", Sku("a"), R"({"maker": "Fábrica #1", "promo": "x"})"));
  ExpectWritten(Create("Product", R"({"sku": "b", "cpf": "1"})"));
  EXPECT_EQ(FieldCode(Patch("Product", Sku("b"), R"({"maker": "x"})")), "read_only /maker");
}

TEST_F(RestrictionsTest, WhatIsGivenOnceStays) {
  ExpectWritten(Create("Product", R"({"sku": "a", "cpf": "1"})"));
  ExpectWritten(Patch("Product", Sku("a"), R"({"ean": "789"})"));
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"ean": "790"})")), "read_only /ean");
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"ean": null})")), "read_only /ean");
  // A replacement that leaves it out keeps it.
  ExpectWritten(Write(Change::Kind::kReplace, "Product", Sku("a"), R"({"cpf": "2"})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "ean"), "789");
}

TEST_F(RestrictionsTest, OnlyOperationsChangeACounter) {
  EXPECT_EQ(FieldCode(Create("Product", R"({"sku": "a", "cpf": "1", "stock": 5})")),
            "read_only /stock");
  ExpectWritten(Create("Product", R"({"sku": "a", "cpf": "1", "stock": 0})"));
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"stock": 5})")), "read_only /stock");
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"$add": {"stock": 5}})")), "read_only /stock");
  ExpectWritten(Call("receive", {}, R"({"lines": [{"sku": "a", "quantity": 7}]})"));
  EXPECT_EQ(
      FieldCode(Write(Change::Kind::kReplace, "Product", Sku("a"), R"({"cpf": "1", "stock": 0})")),
      "read_only /stock");
  ExpectWritten(Write(Change::Kind::kReplace, "Product", Sku("a"), R"({"cpf": "2"})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "stock"), "7");
}

TEST_F(RestrictionsTest, ACounterThatIsMissingCountsFromZero) {
  ExpectWritten(Create("Product", R"({"sku": "a", "cpf": "1"})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "views"), "(none)");
  ExpectWritten(Call("look", Sku("a"), ""));
  ExpectWritten(Call("look", Sku("a"), ""));
  EXPECT_EQ(TextOf("Product", Sku("a"), "views"), "2");
}

TEST_F(RestrictionsTest, AStepIsRepeatedForEachMemberOfAList) {
  for (const char* sku : {"a", "b"}) {
    ExpectWritten(Create("Product", R"({"cpf": "1", "sku": ")" + std::string(sku) + "\"}"));
  }
  ExpectWritten(Call("receive", {}, R"({"lines": [{"sku": "a", "quantity": 7},
      {"sku": "b", "quantity": 1}, {"sku": "a", "quantity": 2}]})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "stock"), "9");
  EXPECT_EQ(TextOf("Product", Sku("b"), "stock"), "1");
  // All or nothing.
  ExpectProblem(Call("receive", {}, R"({"lines": [{"sku": "a", "quantity": 1},
      {"sku": "missing", "quantity": 1}]})"),
                ProblemCode::kNotFound);
  EXPECT_EQ(TextOf("Product", Sku("a"), "stock"), "9");
}

TEST_F(RestrictionsTest, AnUpsertCreatesOrChanges) {
  ExpectWritten(Call("remember", Sku("a"), R"({"cpf": "1"})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "views"), "1");
  EXPECT_EQ(TextOf("Product", Sku("a"), "stock"), "0");
  ExpectWritten(Call("remember", Sku("a"), R"({"cpf": "2"})"));
  EXPECT_EQ(TextOf("Product", Sku("a"), "views"), "2");
  EXPECT_EQ(TextOf("Product", Sku("a"), "cpf"), "1");
}

TEST_F(RestrictionsTest, ExactlyOneOrAtMostOne) {
  EXPECT_EQ(FieldCode(Create("Product", R"({"sku": "a"})")), "exactly_one /cpf");
  EXPECT_EQ(FieldCode(Create("Product", R"({"sku": "a", "cpf": "1", "cnpj": "2"})")),
            "exactly_one /cpf");
  EXPECT_EQ(
      FieldCode(Create("Product", R"({"sku": "a", "cpf": "1", "promo": "x", "discount": "y"})")),
      "at_most_one /promo");
  ExpectWritten(Create("Product", R"({"sku": "a", "cpf": "1", "promo": "x"})"));
  EXPECT_EQ(FieldCode(Patch("Product", Sku("a"), R"({"cnpj": "2"})")), "exactly_one /cpf");
  ExpectWritten(Patch("Product", Sku("a"), R"({"cnpj": "2", "cpf": null})"));
}

TEST_F(RestrictionsTest, AClientBeginsWithTheInitialState) {
  ExpectProblem(Create("Order", R"({"order": "1", "state": "SENT"})"),
                ProblemCode::kIllegalTransition);
  ExpectWritten(Create("Order", R"({"order": "1", "state": "OPEN"})"));
  ExpectWritten(Create("Order", R"({"order": "2"})"));
  // An operation says itself where its items begin.
  ExpectWritten(Call("imported", {}, R"({"order": "3"})"));
  EXPECT_EQ(TextOf("Order", Order("3"), "state"), "SENT");
}

TEST_F(RestrictionsTest, WhatIsFrozenStays) {
  ExpectWritten(Create("Order", R"({"order": "1", "address": "Rua São João, 5"})"));
  ExpectWritten(Patch("Order", Order("1"), R"({"address": "Rua 7"})"));
  ExpectWritten(Patch("Order", Order("1"), R"({"state": "PACKED", "address": "Rua 8"})"));
  EXPECT_EQ(FieldCode(Patch("Order", Order("1"), R"({"address": "Rua 9"})")), "frozen /address");
  ExpectWritten(Patch("Order", Order("1"), R"({"note": "com cuidado"})"));
  ExpectWritten(Patch("Order", Order("1"), R"({"state": "SENT"})"));
  EXPECT_EQ(FieldCode(Patch("Order", Order("1"), R"({"address": "Rua 9"})")), "frozen /address");
  ExpectWritten(Patch("Order", Order("1"), R"({"note": "entregue"})"));
  ExpectProblem(Remove("Order", Order("1")), ProblemCode::kRuleFailed);
  EXPECT_EQ(TextOf("Order", Order("1"), "address"), "Rua 8");
}

TEST_F(RestrictionsTest, ChecksSeeTheInputs) {
  ExpectWritten(Create("Order", R"({"order": "1"})"));
  ExpectProblem(Call("pack", Order("1"), R"({"note": "no"})"), ProblemCode::kRuleFailed);
  ExpectWritten(Call("pack", Order("1"), R"({"note": "yes"})"));
  EXPECT_EQ(TextOf("Order", Order("1"), "note"), "yes");
}

TEST_F(RestrictionsTest, AssertionsSeeTheParent) {
  ExpectWritten(Create("Order", R"({"order": "1"})"));
  ExpectWritten(Create("OrderLine", R"({"order": "1", "sku": "a", "quantity": 101})"));
  ExpectWritten(Create("OrderLine", R"({"order": "1", "sku": "b", "quantity": 1})"));
  EXPECT_EQ(TextOf("Order", Order("1"), "items"), "2");
  EXPECT_TRUE(Get("Order", Order("1"))->attributes.Find("heavy")->boolean());
  ExpectWritten(Call("clear", Order("1"), R"({"skus": ["a"]})"));
  EXPECT_EQ(TextOf("Order", Order("1"), "items"), "1");
  EXPECT_FALSE(Get("Order", Order("1"))->attributes.Find("heavy")->boolean());
  ExpectWritten(Patch("Order", Order("1"), R"({"state": "PACKED"})"));
  ExpectProblem(Create("OrderLine", R"({"order": "1", "sku": "c", "quantity": 1})"),
                ProblemCode::kRuleFailed);
}

// What a delivery of a company and a day was given.
TEST_F(RestrictionsTest, CountsByScope) {
  const auto create = [this](std::string_view company, std::string_view day) {
    const auto answer = Create("Delivery", R"({"company": ")" + std::string(company) +
                                               R"(", "day": ")" + std::string(day) + "\"}");
    EXPECT_TRUE(answer) << answer.error().message();
  };
  create("São João", "2026-01-30");
  create("São João", "2026-01-30");
  create("São João", "2026-01-31");
  create("B", "2026-01-30");
  const auto of = [](std::string_view company, std::string_view number) {
    return Texts({{"company", std::string(company)}, {"number", std::string(number)}});
  };
  EXPECT_EQ(TextOf("Delivery", of("São João", "20260130-0001"), "place"), "1");
  EXPECT_EQ(TextOf("Delivery", of("São João", "20260130-0002"), "place"), "2");
  EXPECT_EQ(TextOf("Delivery", of("São João", "20260131-0001"), "place"), "3");
  EXPECT_EQ(TextOf("Delivery", of("B", "20260130-0001"), "place"), "1");
  EXPECT_EQ(TextOf("Delivery", of("B", "20260130-0001"), "token").size(), 36u);
  EXPECT_TRUE(TextOf("Delivery", of("B", "20260130-0001"), "ticket").starts_with("T-"));
  EXPECT_EQ(FieldCode(Patch("Delivery", of("B", "20260130-0001"), R"({"token": "x"})")),
            "read_only /token");
  // A client may bring its own.
  EXPECT_TRUE(
      Create("Delivery", R"({"company": "C", "day": "2026-01-30", "number": "X", "place": 9})"));
  EXPECT_EQ(TextOf("Delivery", of("C", "X"), "place"), "9");
  // What the scope needs must be there.
  EXPECT_EQ(FieldCode(Create("Delivery", R"({"company": "C"})")), "required /day");
}

TEST_F(RestrictionsTest, AnOpenObjectKeepsWhatItDoesNotKnow) {
  ExpectWritten(
      Create("Order", R"({"order": "1", "extras": {"gift": true, "cartão": {"de": "Ana"}}})"));
  EXPECT_EQ(TextOf("Order", Order("1"), "extras.cartão.de"), "Ana");
  ExpectWritten(Patch("Order", Order("1"), R"({"extras": {"laço": "azul"}})"));
  EXPECT_EQ(TextOf("Order", Order("1"), "extras.laço"), "azul");
  EXPECT_EQ(TextOf("Order", Order("1"), "extras.cartão.de"), "Ana");
  EXPECT_EQ(FieldCode(Patch("Order", Order("1"), R"({"extras": {"gift": "yes"}})")),
            "type /extras/gift");
}

TEST_F(RestrictionsTest, DerivesMomentsAndTexts) {
  ExpectWritten(Create("Order", R"({"order": "1", "address": "Rua São João"})"));
  const auto placed = model::ParseIso(TextOf("Order", Order("1"), "placed"));
  const auto due = model::ParseIso(TextOf("Order", Order("1"), "due"));
  ASSERT_TRUE(placed && due);
  EXPECT_EQ(due->millis - placed->millis, 48 * 3'600'000);
  EXPECT_EQ(TextOf("Order", Order("1"), "label"), "Pedido 1 – Rua São João");
}

}  // namespace
}  // namespace monotable::entities
