#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// A model for the tests of the loader, with something of every section.
namespace monotable::model {

inline constexpr std::string_view kSampleModel = R"yaml(format: stm/1
model: sales
title: Sale Module
version: 1.0.0
description: For tests.
samples: samples/sales.json
defaults:
  instant: {stored: iso8601, precision: seconds}
  key_values: {forbid: "#"}
  enums: closed
  unknown_attributes: reject
tables:
  main:
    name: "Sales-{environment}"
    aliases: [AgroCredit]
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: EntityType
    version_attribute: _v
    ttl_attribute: ttl
    billing: on_demand
    stream: new_and_old
    encryption: "alias/sales"
    rules: warn
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all, title: By buyer}
      GSI2: {hash: "SK S", range: "PK S", project: keys}
      GSI3: {hash: "GSI3PK S", range: "GSI3SK S", project: [Status, Total]}
      LSI1: {local: true, range: "Position N"}
environments:
  dev: {}
  production: {pitr: {days: 14}, deletion_protection: true, backups: {daily: "03:00Z", keep: 35}}
parameters:
  TableName: {default: a, allowed: [a, b], description: Its name}
enums:
  SaleStatus:
    values: {DRAFT: Not confirmed yet, CONFIRMED: , CANCELLED: Gone}
    initial: DRAFT
    transitions: {DRAFT: [CONFIRMED, CANCELLED], CONFIRMED: [CANCELLED], CANCELLED: []}
  Terms:
    values: [CASH, "15_DAYS"]
    code_names: {"15_DAYS": Days15}
    transitions: any
types:
  Money: {type: decimal, precision: 14, scale: 2}
  Address: {type: object, attributes: {Street: string!, City: {type: string, max: 80}}}
  Audit: {mixin: {CreatedAt: {type: instant, set: on_create}}}
entities:
  Buyer:
    table: main
    path: buyers
    id: {attribute: BuyerId, format: "BUYER{n:03}", generate: counter}
    keys:
      primary: {PK: "BUYER#{BuyerId}", SK: "#METADATA#buyer"}
      GSI1: {GSI1PK: "BUYERS", GSI1SK: "BUYER#{Name|fold}"}
    include: [Audit]
    attributes:
      BuyerId: string
      Name: {type: string, required: true, max: 120}
      Document: {type: string, match: "[0-9./-]+"}
      Address: Address!
      Terms: Terms
      Tags: set(string)
    unique:
      - {name: document, fields: ["{Document|digits}"]}
    delete: {restrict_if: salesOfBuyer}
  Sale:
    table: main
    title: Venda
    path: sales
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "#METADATA#sale"}
      GSI1: {GSI1PK: "BUYER#{BuyerId}", GSI1SK: "SALE#{SaleDate}", when: "Status != CANCELLED"}
      GSI3: {GSI3PK: "STATUS#{Status}", GSI3SK: "SALE#{SaleDate}"}
    attributes:
      SaleId: string!
      BuyerId: {type: string, required: true, ref: Buyer}
      BuyerName: string
      SaleDate: instant!
      DeliveryDate: date
      Status: SaleStatus!
      Terms: {type: Terms, default: {from: Buyer.Terms}}
      Subtotal: {type: Money, derive: "sum(lines.Total)"}
      Discount: {type: Money, default: 0}
      Total: {type: Money, derive: "Subtotal - Discount"}
    copies:
      - {set: BuyerName, from: Buyer.Name, via: BuyerId, mode: live, freeze_when: "Total > 0"}
    assert:
      - {name: active, that: "Buyer.Terms != null", when: create, message: Buyer has no terms}
    ttl: {base: SaleDate, after: 90d, when: "Status in [CANCELLED]", hide_expired: true}
    on_key_change: move
    delete: {cascade: collection}
    accept: [hot_partition]
  SaleLine:
    table: main
    parent: Sale
    path: lines
    cardinality: many
    keys:
      primary: {PK: "SALE#{SaleId}", SK: "LINE#{LineNumber:03}"}
      LSI1: {Position: "{Position}"}
    attributes:
      SaleId: string!
      LineNumber: {type: integer, required: true, min: 1, max: 999}
      Position: integer
      Total: Money!
      SoldAt: instant
    from_key: [LineNumber]
    on_key_conflict: "bump(SoldAt, 1ms)"
    unknown_attributes: keep
collections:
  SaleFull: {root: Sale, members: {lines: "SaleLine[]"}, partition: "SALE#{SaleId}"}
patterns:
  - {id: AP1, name: getSale, get: Sale, by: [SaleId]}
  - {id: AP2, name: listSales, list: Sale, fan_out: {index: GSI3, over: Status, merge: GSI3SK}}
  - {id: AP3, name: saleFull, collection: SaleFull, by: [SaleId]}
  - id: AP6
    name: salesOfBuyer
    list: Sale
    index: GSI1
    where: "GSI1PK = BUYER#{BuyerId} and GSI1SK begins_with SALE#"
    range: {field: SaleDate, required: false, dates: whole_days}
    filter: "Status == CONFIRMED"
    order: desc
    page: 20
    route: GET /buyers/{BuyerId}/sales
    requirements: [SAL-Q6]
    examples:
      - {given: {BuyerId: BUYER001, from: "2026-01-01"}, returns: [SALE001], units: 0.5}
operations:
  createSale:
    route: POST /sales:withLines
    input: {sale: Sale, lines: "SaleLine[1..98]", note: string}
    transact:
      - {put: Sale, from: sale}
      - {put: SaleLine, each: lines}
      - {update: Buyer, set: {Terms: CASH, Name: input.note}}
      - {check: Buyer, that: "Terms == CASH"}
    requirements: [SAL-W1]
tenancy: {attribute: BuyerId, claim: buyer_id}
workload:
  volumes: {Buyer: 500, Sale: {per_day: 100, bytes: 4KB}}
  rates: {getSale: 1000/day, listSales: {rate: 100/hour, items: 20}, create Sale: 100/day}
  years: 5
alarms:
  - {name: throttled, metric: ThrottledRequests, statistic: Sum, threshold: "> 10", period: 300}
)yaml";

// The sample with one text in it replaced by another; the sample as it is if the text is not there,
// which no test expects.
inline std::string SampleWith(std::string_view from, std::string_view to) {
  std::string text(kSampleModel);
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace monotable::model
