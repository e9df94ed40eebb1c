#pragma once

#include <string_view>

// A design with what the five of the repository do not have: shards, a key that says less than its
// field, a local index, milliseconds, a numbered range.
namespace monotable::entities {

inline constexpr std::string_view kLedger = R"yaml(format: stm/1
model: ledger
defaults:
  instant: {stored: iso8601, precision: milliseconds}
  key_values: {forbid: "#"}
tables:
  main:
    name: ledger
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: Kind
    ttl_attribute: ExpiresAt
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S"}
      GSI2: {hash: "GSI2PK S", range: "GSI2SK S", project: keys}
      LSI1: {local: true, range: "Month S"}
tenancy: {attribute: Bank, claim: bank}
enums:
  Phase: {values: [OPEN, HELD, DONE], initial: OPEN}
entities:
  Account:
    path: accounts
    id: {attribute: AccountId}
    keys:
      primary: {PK: "ACCOUNT#{AccountId}", SK: "ZZ"}
    attributes:
      AccountId: {type: string, required: true, max: 64}
      Bank: {type: string, required: true, max: 64}
      Owner: {type: string, max: 64}
  Entry:
    parent: Account
    path: entries
    id: {attribute: Number}
    keys:
      primary: {PK: "ACCOUNT#{AccountId}", SK: "ENTRY#{Number:05}"}
      GSI1: {GSI1PK: "PHASE#{Phase}", GSI1SK: "{At}#{Number:05}"}
      GSI2: {GSI2PK: "SHARD#{Number|shard(4)}", GSI2SK: "{At:yyyy-MM}#{Number:05}"}
    attributes:
      AccountId: {type: string, required: true, max: 64}
      Number: {type: integer, required: true, min: 0, max: 99999}
      Bank: {type: string, required: true, max: 64}
      Phase: Phase!
      At: instant!
      Amount: {type: decimal, required: true}
      Note: {type: string, max: 2000}
      Tags: "set(string)"
    ttl: {base: At, after: 10d, when: "Phase == DONE", hide_expired: true}
  Slot:
    path: slots
    id: {attribute: SlotId}
    keys:
      primary: {PK: "SLOT#{SlotId|shard(3)}", SK: "{SlotId}"}
      LSI1: {Month: "{Period}"}
    attributes:
      SlotId: {type: string, required: true, max: 64}
      Period: {type: string, required: true, max: 7}
collections:
  AccountFull: {root: Account, members: {entries: "Entry[]"}, partition: "ACCOUNT#{AccountId}"}
patterns:
  - {id: L1, name: getAccount, get: Account, by: [AccountId]}
  - id: L2
    name: entriesByNumber
    list: Entry
    where: "PK = ACCOUNT#{AccountId} and SK begins_with ENTRY#"
    range: {field: Number}
  - id: L3
    name: entriesByTime
    list: Entry
    fan_out: {index: GSI1, over: Phase, merge: GSI1SK}
    range: {field: At, dates: whole_days}
    page: 7
  - id: L4
    name: entriesByMonth
    list: Entry
    fan_out: {index: GSI2, over: Number}
    range: {field: At, dates: whole_days}
    hydrate: true
  - {id: L5, name: countEntries, count: Entry, fan_out: {index: GSI1, over: Phase}}
  - id: L6
    name: openLargeEntries
    list: Entry
    index: GSI1
    where: "GSI1PK = PHASE#OPEN"
    filter: "Amount >= 100"
    order: desc
  - id: L7
    name: accountsWithOpenEntries
    list: Entry
    index: GSI1
    where: "GSI1PK = PHASE#{Phase}"
    parents: true
  - {id: L8, name: slotsByMonth, list: Slot, fan_out: {index: LSI1, over: SlotId, merge: Month}}
  - {id: L9, name: accountFull, collection: AccountFull, by: [AccountId]}
  - id: L10
    name: entriesAtExactly
    list: Entry
    index: GSI1
    where: "GSI1PK = PHASE#{Phase}"
    range: {field: At, required: true, dates: exact}
)yaml";

}  // namespace monotable::entities
