#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/check/check_model.h"
#include "model/load/load.h"

// A small design in which nothing is found, for tests that break one thing of it.
namespace monotable::model {

inline constexpr std::string_view kShop = R"(format: stm/1
model: shop
defaults:
  instant: {stored: iso8601, precision: seconds}
  key_values: {forbid: "#"}
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: Kind
    ttl_attribute: ExpiresAt
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S"}
      GSI2: {hash: "GSI2PK S", range: "GSI2SK S", project: keys}
enums:
  Phase:
    values: [OPEN, PAID, GONE]
    initial: OPEN
    transitions: {OPEN: [PAID, GONE], PAID: [], GONE: []}
entities:
  Customer:
    path: customers
    id: {attribute: CustomerId, generate: ulid}
    keys:
      primary: {PK: "CUSTOMER#{CustomerId}", SK: "#PROFILE"}
    attributes:
      CustomerId: {type: string, required: true, max: 64}
      FullName: {type: string, required: true, max: 100}
      Email: {type: string, required: true, format: email}
    unique:
      - {name: email, fields: ["{Email|lower}"]}
  Sale:
    path: sales
    id: {attribute: SaleId, generate: ulid}
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "#SALE"}
      GSI1: {GSI1PK: "CUSTOMER#{CustomerId}", GSI1SK: "SALE#{SoldAt}"}
      GSI2: {GSI2PK: "SELLER#{SellerId}", GSI2SK: "{SoldAt}#{SaleId}"}
    attributes:
      SaleId: {type: string, required: true, max: 64}
      CustomerId: {type: string, required: true, ref: Customer}
      CustomerName: string
      SellerId: {type: string, required: true, max: 64}
      SoldAt: instant!
      Progress: Phase!
    copies:
      - {set: CustomerName, from: Customer.FullName, via: CustomerId, mode: live}
    ttl: {base: SoldAt, after: 90d}
  Line:
    parent: Sale
    path: lines
    id: {attribute: LineNumber}
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "LINE#{LineNumber:03}"}
    attributes:
      SaleId: {type: string, required: true, max: 64}
      LineNumber: {type: integer, required: true, min: 1, max: 999}
      Product: {type: string, required: true, max: 64}
collections:
  SaleFull: {root: Sale, members: {lines: "Line[]"}, partition: "SALE#{SaleId}"}
patterns:
  - {id: P1, name: getCustomer, get: Customer, by: [CustomerId]}
  - {id: P2, name: getSale, get: Sale, by: [SaleId]}
  - id: P3
    name: salesOfCustomer
    list: Sale
    index: GSI1
    where: "GSI1PK = CUSTOMER#{CustomerId} and GSI1SK begins_with SALE#"
    range: {field: SoldAt, required: false, dates: whole_days}
    order: desc
    page: 20
  - id: P4
    name: salesOfSeller
    list: Sale
    index: GSI2
    where: "GSI2PK = SELLER#{SellerId}"
    hydrate: true
  - {id: P5, name: saleFull, collection: SaleFull, by: [SaleId]}
  - {id: P6, name: linesOfSale, list: Line, where: "PK = SALE#{SaleId} and SK begins_with LINE#"}
operations:
  createSale:
    route: POST /sales:create
    input: {sale: Sale, lines: "Line[1..90]"}
    transact:
      - {put: Sale, from: sale}
      - {put: Line, each: lines}
)";

// The text with one part of it replaced; the part must be there, once or more.
inline std::string With(std::string_view text, std::string_view part, std::string_view other) {
  std::string changed(text);
  const size_t at = changed.find(part);
  EXPECT_NE(at, std::string::npos) << "not in the model: " << part;
  if (at != std::string::npos) changed.replace(at, part.size(), other);
  return changed;
}
inline std::string Shop(std::string_view part, std::string_view other) {
  return With(kShop, part, other);
}

inline std::string Describe(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += FormatFinding("test", finding) + "\n";
  return text;
}

// The model of a text that must load.
inline Model Loaded(std::string_view text) {
  Findings findings;
  std::optional<Model> model = LoadModel(text, &findings);
  EXPECT_TRUE(model.has_value()) << Describe(findings.all());
  return model ? *std::move(model) : Model();
}

inline std::vector<Finding> Checked(std::string_view text) {
  Findings findings;
  CheckModel(Loaded(text), &findings);
  return findings.all();
}

// The shop with one more pattern.
inline std::string AndPattern(std::string_view pattern) {
  return Shop("operations:\n", "  - " + std::string(pattern) + "\noperations:\n");
}

// The findings with that id.
inline std::vector<Finding> Found(std::string_view text, std::string_view id) {
  std::vector<Finding> found;
  for (const Finding& finding : Checked(text)) {
    if (finding.id == id) found.push_back(finding);
  }
  return found;
}

// Expects exactly one finding with that id, of that severity, about that thing, in that line.
inline void ExpectFound(std::string_view text, Severity severity, std::string_view id,
                        std::string_view subject, std::string_view in_line) {
  const std::vector<Finding> found = Found(text, id);
  ASSERT_EQ(found.size(), 1u) << id << " among\n" << Describe(Checked(text));
  EXPECT_EQ(found[0].severity, severity) << id;
  EXPECT_EQ(found[0].subject, subject) << id;
  EXPECT_FALSE(found[0].message.empty());
  EXPECT_EQ(found[0].message.back(), '.') << found[0].message;
  size_t begin = 0;
  for (int line = 1; line < found[0].place.line; ++line) begin = text.find('\n', begin) + 1;
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_NE(line.find(in_line), std::string_view::npos)
      << id << " at " << found[0].place.line << ": " << line;
}

inline void ExpectNotFound(std::string_view text, std::string_view id) {
  const std::vector<Finding> found = Found(text, id);
  EXPECT_TRUE(found.empty()) << Describe(found);
}

}  // namespace monotable::model
