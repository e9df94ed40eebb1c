#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/load/load.h"

// The design that tests share. It has no mistakes and the checks find nothing in it, so that a test
// can change one part of it and look at what follows.
namespace monotable::model {

inline constexpr std::string_view kShop = R"yaml(format: stm/1
model: shop
title: Shop | Sales
version: 1.2.0
description: Sales with lines.
samples: samples/shop.json
defaults:
  instant: {stored: iso8601, precision: seconds}
  key_values: {forbid: "#"}
  enums: closed
  unknown_attributes: reject
tables:
  main:
    name: "{TableName}_{environment}"
    aliases: [Store]
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: EntityType
    version_attribute: _v
    ttl_attribute: ExpiresAt
    billing: on_demand
    stream: new_and_old
    encryption: "alias/shop"
    rules: warn
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all, title: By buyer}
      GSI2: {hash: "GSI2PK S", range: "GSI2SK S", project: keys}
      GSI3: {hash: "GSI3PK S", range: "GSI3SK S", project: all, title: By progress}
environments:
  dev: {}
  staging: {pitr: {days: 7}}
  prod: {pitr: {days: 35}, deletion_protection: true, backups: {daily: "03:00Z", keep: 35}}
parameters:
  TableName: {default: shop_data, description: Base name}
  EnablePITR: {default: "false", allowed: ["true", "false"]}
enums:
  Progress:
    values: {DRAFT: Not confirmed, CONFIRMED: , DONE: Done}
    initial: DRAFT
    transitions: {DRAFT: [CONFIRMED], CONFIRMED: [DONE], DONE: []}
  Terms:
    values: [CASH, "15_DAYS"]
    code_names: {"15_DAYS": Days15}
    transitions: any
types:
  Money: {type: decimal, precision: 14, scale: 2}
  Address: {type: object, attributes: {Street: string!, Town: {type: string, max: 80}}}
  Audit: {mixin: {CreatedAt: {type: instant, set: on_create}}}
entities:
  Buyer:
    table: main
    path: buyers
    id: {attribute: BuyerId, generate: ulid}
    keys:
      primary: {PK: "BUYER#{BuyerId}", SK: "#METADATA#buyer"}
      GSI1: {GSI1PK: "BUYER#{BuyerId}", GSI1SK: "PROFILE#{FullName|fold}"}
    include: [Audit]
    attributes:
      BuyerId: {type: string, required: true, max: 64}
      FullName: {type: string, required: true, max: 120}
      Email: {type: string, required: true, format: email}
      Document: {type: string, match: "[0-9./-]+"}
      Address: Address!
      Terms: Terms
      Tags: set(string)
    unique:
      - {name: email, fields: ["{Email|lower}"]}
    delete: {restrict_if: salesOfBuyer}
  Sale:
    table: main
    title: Venda
    path: sales
    id: {attribute: SaleId, generate: ulid}
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "#METADATA#sale"}
      GSI1: {GSI1PK: "BUYER#{BuyerId}", GSI1SK: "SALE#{SaleDate}"}
      GSI2: {GSI2PK: "SELLER#{SellerId}", GSI2SK: "{SaleDate}#{SaleId}"}
      GSI3: {GSI3PK: "PROGRESS#{Progress}", GSI3SK: "SALE#{SaleDate}"}
    attributes:
      SaleId: {type: string, required: true, max: 64}
      BuyerId: {type: string, required: true, ref: Buyer}
      BuyerName: string
      SellerId: {type: string, required: true, max: 64}
      SaleDate: instant!
      DeliveryDate: date
      Progress: Progress!
      Terms: {type: Terms, default: {from: Buyer.Terms}}
      Subtotal: {type: Money, derive: "sum(lines.Price)"}
      Discount: {type: Money, default: 0}
      Amount: {type: Money, derive: "Subtotal - Discount", description: In reais}
    copies:
      - {set: BuyerName, from: Buyer.FullName, via: BuyerId, mode: live, freeze_when: "Amount > 0"}
    assert:
      - {name: amount_is_positive, that: "Amount >= 0"}
      - {name: active, that: "Buyer.Terms != null", when: create, message: Buyer has no terms}
    ttl: {base: SaleDate, after: 90d, when: "Progress in [DONE]", hide_expired: true}
    on_key_change: move
    delete: {cascade: collection}
    accept: [hot_partition]
  SaleLine:
    table: main
    parent: Sale
    path: lines
    id: {attribute: LineNumber}
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "LINE#{LineNumber:03}"}
    attributes:
      SaleId: {type: string, required: true, max: 64}
      LineNumber: {type: integer, required: true, min: 1, max: 999}
      Product: {type: string, required: true, max: 64}
      Price: Money!
collections:
  SaleFull: {root: Sale, members: {lines: "SaleLine[]"}, partition: "SALE#{SaleId}"}
patterns:
  - {id: AP1, name: getSale, get: Sale, by: [SaleId]}
  - id: AP2
    name: listSales
    list: Sale
    fan_out: {index: GSI3, over: Progress, merge: GSI3SK}
    page: 20
    accept: [fan_out]
  - id: AP3
    name: salesOfBuyer
    list: Sale
    index: GSI1
    where: "GSI1PK = BUYER#{BuyerId} and GSI1SK begins_with SALE#"
    range: {field: SaleDate, required: false, dates: whole_days}
    order: desc
    page: 20
    route: GET /buyers/{BuyerId}/sales
    requirements: [R-1]
    examples:
      - {given: {BuyerId: BUYER001, from: "2026-01-01"}, returns: [SALE001], units: 0.5}
  - {id: AP4, name: saleFull, collection: SaleFull, by: [SaleId]}
  - id: AP5
    name: salesOfSeller
    list: Sale
    index: GSI2
    where: "GSI2PK = SELLER#{SellerId}"
    hydrate: true
  - id: AP6
    name: linesOfSale
    list: SaleLine
    where: "PK = SALE#{SaleId} and SK begins_with LINE#"
  - {id: AP7, name: getBuyer, get: Buyer, by: [BuyerId]}
operations:
  createSale:
    route: POST /sales:withLines
    input: {sale: Sale, lines: "SaleLine[1..90]"}
    transact:
      - {put: Sale, from: sale}
      - {put: SaleLine, each: lines}
    requirements: [R-2]
  confirmSale:
    input: {SaleId: string!}
    transact:
      - {update: Sale, set: {Progress: CONFIRMED}}
workload:
  volumes:
    Sale: {per_day: 100, bytes: 4KB}
    SaleLine: {per_day: 300, bytes: 341}
    Buyer: {total: 500, bytes: 2KB}
  rates:
    getSale: 1000/day
    listSales: {rate: 100/day, items: 20}
    saleFull: 1/hour
    salesOfSeller: {rate: 10/day, items: 2}
    createSale: 100/day
    update Sale: 200/day
    create Buyer: 10/day
    delete Buyer: 1/day
  years: 5
alarms:
  - name: shop-throttled
    metric: ThrottledRequests
    statistic: Sum
    threshold: "> 10"
    period: 300
    periods: 2
  - {name: shop-user-errors, metric: UserErrors, threshold: ">= 0.5", period: 60, periods: 1}
)yaml";

// The text with the first occurrence of one part replaced. The part must be there.
inline std::string With(std::string_view text, std::string_view part, std::string_view other) {
  std::string changed(text);
  const size_t at = changed.find(part);
  EXPECT_NE(at, std::string::npos) << "not in the model: " << part;
  if (at != std::string::npos) changed.replace(at, part.size(), other);
  return changed;
}
inline std::string ShopWith(std::string_view part, std::string_view other) {
  return With(kShop, part, other);
}
// The shop with one more pattern.
inline std::string ShopWithPattern(std::string_view pattern) {
  return ShopWith("operations:\n", "  - " + std::string(pattern) + "\noperations:\n");
}

inline std::string FormatFindings(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += FormatFinding("test", finding) + "\n";
  return text;
}

// The model of a text that must have no mistakes.
inline Model LoadText(std::string_view text) {
  Findings findings;
  std::optional<Model> model = LoadModel(text, &findings);
  EXPECT_TRUE(model.has_value()) << FormatFindings(findings.all());
  EXPECT_TRUE(findings.all().empty()) << FormatFindings(findings.all());
  return model ? *std::move(model) : Model();
}
// The shop, with one part of its text replaced if the test wants it so.
inline Model LoadShop(std::string_view part = "", std::string_view other = "") {
  return LoadText(part.empty() ? std::string(kShop) : ShopWith(part, other));
}

// One of the designs in models/.
inline Model LoadDesign(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();
  std::ifstream file(folder / "../../models" / (name + ".model.yaml"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << name;
  return LoadText(text.str());
}

}  // namespace monotable::model
