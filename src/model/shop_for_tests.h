#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "model/load/load.h"

// A small design that the tests of documents, templates and estimates share.
namespace monotable::model {

inline constexpr std::string_view kShopForTests = R"(format: stm/1
model: shop
title: Shop | Sales
version: 1.2.0
description: Sales with lines.
tables:
  main:
    name: "{TableName}_{environment}"
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: EntityType
    ttl_attribute: ttl
    billing: on_demand
    stream: new_and_old
    encryption: "alias/shop"
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all, title: By buyer}
      GSI2: {hash: "GSI2PK S", range: "GSI2SK S", project: keys}
      GSI3: {hash: "GSI3PK S", range: "GSI3SK S", project: all, title: By status}
environments:
  dev: {}
  staging: {pitr: {days: 7}}
  prod: {pitr: {days: 35}, deletion_protection: true, backups: {daily: "03:00Z", keep: 35}}
parameters:
  TableName: {default: shop_data, description: Base name}
  EnablePITR: {default: "false", allowed: ["true", "false"]}
enums:
  Status:
    values: {DRAFT: Not confirmed, CONFIRMED: Confirmed, DONE: Done}
    initial: DRAFT
    transitions: {DRAFT: [CONFIRMED], CONFIRMED: [DONE], DONE: []}
  Terms: {values: [CASH, "15_DAYS"]}
types:
  Money: {type: decimal, precision: 14, scale: 2}
entities:
  Buyer:
    path: buyers
    id: {attribute: BuyerId}
    keys:
      primary: {PK: "BUYER#{BuyerId}", SK: "#METADATA#buyer"}
      GSI1: {GSI1PK: "BUYERS", GSI1SK: "BUYER#{Name}"}
    attributes:
      BuyerId: string!
      Name: {type: string, required: true, max: 120}
  Sale:
    path: sales
    id: {attribute: SaleId}
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "#METADATA#sale"}
      GSI1: {GSI1PK: "BUYER#{BuyerId}", GSI1SK: "SALE#{SaleDate}"}
      GSI2: {GSI2PK: "NUMBER#{Number}", GSI2SK: "{SaleDate}"}
      GSI3: {GSI3PK: "STATUS#{Status}", GSI3SK: "SALE#{SaleDate}"}
    attributes:
      SaleId: string!
      BuyerId: {type: string, required: true, ref: Buyer}
      Number: string!
      SaleDate: instant!
      Status: Status!
      Terms: {type: Terms, default: CASH}
      Total: {type: Money, description: In reais}
    assert:
      - {name: total_is_positive, that: "Total >= 0"}
  SaleLine:
    path: lines
    parent: Sale
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "LINE#{LineNumber:03}"}
    attributes:
      SaleId: string!
      LineNumber: {type: integer, required: true, min: 1, max: 999}
collections:
  SaleFull: {root: Sale, members: {lines: "SaleLine[]"}, partition: "SALE#{SaleId}"}
patterns:
  - {id: AP1, name: getSale, get: Sale, by: [SaleId]}
  - id: AP2
    name: listSales
    list: Sale
    fan_out: {index: GSI3, over: Status, merge: GSI3SK}
    page: 20
  - id: AP3
    name: salesOfBuyer
    list: Sale
    index: GSI1
    where: "GSI1PK = BUYER#{BuyerId} and GSI1SK begins_with SALE#"
    order: desc
    route: GET /buyers/{BuyerId}/sales
    requirements: [R-1]
  - {id: AP4, name: saleFull, collection: SaleFull, by: [SaleId]}
  - id: AP5
    name: saleOfNumber
    list: Sale
    index: GSI2
    where: "GSI2PK = NUMBER#{Number}"
    hydrate: true
operations:
  createSale:
    input: {sale: Sale, lines: "SaleLine[1..98]"}
    transact:
      - {put: Sale, from: sale}
      - {put: SaleLine, each: lines}
  confirmSale:
    input: {SaleId: string!}
    transact:
      - {update: Sale, set: {Status: CONFIRMED}}
workload:
  volumes:
    Sale: {per_day: 100, bytes: 4KB}
    SaleLine: {per_day: 300, bytes: 341}
    Buyer: {total: 500, bytes: 2KB}
  rates:
    getSale: 1000/day
    listSales: {rate: 100/day, items: 20}
    saleFull: 10/day
    saleOfNumber: {rate: 10/day, items: 2}
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
)";

// A model from text that has no mistakes. After some text is replaced, if the test wants it so.
inline Model LoadForTest(std::string_view from = "", std::string_view to = "") {
  std::string text(kShopForTests);
  if (!from.empty()) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  Findings findings;
  auto model = LoadModel(text, &findings);
  for (const Finding& finding : findings.all()) {
    EXPECT_NE(finding.severity, Severity::kError) << FormatFinding("shop", finding);
  }
  return model ? std::move(*model) : Model();
}

// One of the designs in models/.
inline Model LoadDesign(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();
  std::ifstream file(folder / "../../models" / (name + ".model.yaml"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << name;
  Findings findings;
  std::optional<Model> model = LoadModel(text.str(), &findings);
  EXPECT_TRUE(model.has_value()) << name;
  return model.value_or(Model());
}

}  // namespace monotable::model
