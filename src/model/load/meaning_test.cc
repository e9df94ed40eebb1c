#include "model/load/mistakes_for_tests.h"

// Mistakes in what entities, collections, patterns, operations and the rest say.
namespace monotable::model {
namespace {

class LoadMeaning : public LoadMistake {};
TEST_P(LoadMeaning, IsReportedOnceWhereItStands) {
  ExpectMistake(GetParam());
}

constexpr Mistake kKeys[] = {
    {"unknown_table", "table: main", "table: §mian"},
    {"missing_primary_key",
     "keys:\n      primary: {PK: \"SALE#{SaleId}\", SK: \"LINE#{LineNumber:03}\"}",
     "keys:\n      §LSI1X: {}"},
    {"unknown_index", "      GSI3: {GSI3PK: \"PROGRESS", "      §GSI9: {GSI3PK: \"PROGRESS"},
    {"missing_key_part",
     "      GSI1: {GSI1PK: \"BUYER#{BuyerId}\", GSI1SK: \"PROFILE#{FullName|fold}\"}",
     "      §GSI1: {GSI1PK: \"BUYER#{BuyerId}\"}"},
    {"unknown_key_part", "{GSI1PK: \"BUYER#{BuyerId}\",",
     "{GSI1PK: \"BUYER#{BuyerId}\", §GSI3SK: \"X\","},
    {"unknown_key_part", "SK: \"#METADATA#sale\"}",
     "SK: \"#METADATA#sale\", §when: \"Amount > 0\"}"},
    {"key_part_differs", "LSI1: {Rank", "LSI1: {PK: §\"LINE#{SaleId}\", Rank"},
    {"bad_template", "\"SALE#{SaleDate}\", when", "§\"SALE#{SaleDate\", when"},
    {"unknown_attribute", "\"BUYER#{BuyerId}\", SK", "§\"BUYER#{BuyerIdd}\", SK"},
    {"not_a_key_value", "\"PROFILE#{FullName|fold}\"", "§\"PROFILE#{Address}\""},
    {"format_does_not_fit", "\"PROFILE#{FullName|fold}\"", "§\"PROFILE#{FullName:03}\""},
    {"format_does_not_fit", "\"PROFILE#{FullName|fold}\"", "§\"PROFILE#{FullName:yyyy}\""},
    {"key_type_mismatch", "Rank: \"{Rank}\"", "Rank: §\"P#{Rank}\""},
    {"bad_template", "\"#METADATA#buyer\"", "§\"\""},
    {"key_attribute_declared", "      BuyerName: string\n",
     "      BuyerName: string\n      §GSI1PK: string\n"},
    {"optional_key_attribute", "LineNumber: {type: integer, required: true,",
     "LineNumber: {type: integer,", "\"LINE#{LineNumber:03}\""},
};

constexpr Mistake kEntities[] = {
    {"attribute_taken", "      BuyerName: string\n",
     "      BuyerName: string\n      §EntityType: string\n"},
    {"unknown_attribute", "{attribute: SaleId, generate", "{attribute: §SaledId, generate"},
    {"bad_id_format", "\"BUYER{n:03}\"", "§\"BUYER{m:03}\""},
    {"bad_path", "path: buyers", "path: §/buyers"},
    {"duplicate_path", "path: sales", "path: §buyers"},
    {"cardinality_without_parent", "path: sales", "path: sales\n    cardinality: §one"},
    {"duplicate_type_value", "title: Venda", "title: Venda\n    type: §Buyer"},
    {"unknown_entity", "parent: Sale", "parent: §Sales"},
    {"parent_cycle", "parent: Sale", "parent: §SaleLine"},
    {"unknown_entity", "BuyerName: string", "BuyerName: {type: string, ref: §Byer}"},
    {"bad_source", "{from: Buyer.Terms}", "{from: §Buyer.Address.Town}"},
    {"constant_unique", "[\"{Email|lower}\"]", "§[]"},
    {"bad_source", "{from: Buyer.Terms}", "{from: §Buyer}"},
    {"unknown_attribute", "{from: Buyer.Terms}", "{from: §Buyer.Termss}"},
    {"not_referenced", "Price: Money!",
     "Price: Money!\n      Terms: {type: Terms, default: {from: §Buyer.Terms}}"},
    {"bad_rule", "\"Subtotal - Discount\"", "§\"Subtotal - \""},
    {"unknown_name", "\"Subtotal - Discount\"", "§\"Subtotal - Discout\""},
    {"unknown_name", "\"Progress in [DONE]\"", "§\"Progress in [DONNE]\""},
    {"unknown_name", "\"Buyer.Terms != null\"", "§\"Buyer.Term != null\""},
    {"unknown_aggregate", "\"sum(lines.Price)", "§\"sum(line.Price)"},
    {"from_key_not_in_key", "from_key: [LineNumber]", "from_key: [§Price]"},
    {"from_key_not_reversible", "SK: \"LINE#{LineNumber:03}\"", "SK: \"LINE#{SaleId}{LineNumber}\"",
     "LineNumber]"},
    {"duplicate_name", "      - {name: email,",
     "      - {name: email, fields: [\"{FullName}\"]}\n      - §{name: email,"},
    {"constant_unique", "\"{Email|lower}\"", "§\"Email\""},
    {"via_not_a_reference", "via: BuyerId", "via: §SaleId"},
    {"copy_type_mismatch", "set: BuyerName", "set: §SaleDate"},
    {"freeze_without_live", "mode: live, freeze_when: ", "mode: once, freeze_when: §"},
    {"bad_duration", "after: 90d", "after: §90days"},
    {"ttl_base_not_instant", "base: SaleDate", "base: §SaleId"},
    {"ttl_without_attribute", "    ttl_attribute: ExpiresAt\n", "", "{base: SaleDate"},
    {"bad_key_conflict", "\"bump(SoldAt, 1ms)\"", "§\"retry\""},
    {"bad_key_conflict", "\"bump(SoldAt, 1ms)\"", "§\"bump(SaleId, 1ms)\""},
    {"unknown_pattern", "restrict_if: salesOfBuyer", "restrict_if: §saleOfBuyer"},
    {"cascade_without_collection", "delete: {restrict_if: salesOfBuyer}",
     "delete: {cascade: §collection}"},
};

constexpr Mistake kPatterns[] = {
    {"no_parents", "    page: 20\n", "    page: 20\n    parents: §true\n"},
    {"unknown_entity", "patterns:", "  X: {root: §Sail, members: {}, partition: \"X\"}\npatterns:"},
    {"unknown_entity", "\"SaleLine[]\"}", "\"SaleLine[]\", rest: §\"SaleLines[]\"}"},
    {"unknown_attribute", "partition: \"SALE#{SaleId}\"", "partition: §\"SALE#{SaleIdd}\""},
    {"no_kind", "  - {id: AP1, name: getSale, get: Sale, by: [SaleId]}",
     "  - §{id: AP1, name: getSale}"},
    {"several_kinds", "get: Sale, by", "get: Sale, list: §Sale, by"},
    {"duplicate_name", "id: AP2", "id: §AP1"},
    {"duplicate_name", "name: linesOfSale", "name: §getSale"},
    {"unknown_collection", "collection: SaleFull", "collection: §SaleFul"},
    {"missing_by", "{id: AP1, name: getSale, get: Sale, by: [SaleId]}",
     "§{id: AP1, name: getSale, get: Sale}"},
    {"not_for_key_reads", "by: [SaleId]}", "by: [SaleId], index: §GSI1}"},
    {"by_with_where", "    order: desc", "    by: §[BuyerId]"},
    {"unknown_index", "index: GSI1\n", "index: §GSI7\n"},
    {"missing_where", "  - id: AP6", "  - §{name: all, list: Sale}\n  - id: AP6"},
    {"bad_where", "\"GSI1PK = BUYER#{BuyerId} and GSI1SK begins_with",
     "§\"GSI1PK = BUYER#{BuyerId} and GSI1SK like"},
    {"where_not_a_key", "\"GSI1PK = BUYER#{BuyerId} and", "§\"GSI3PK = BUYER#{BuyerId} and"},
    {"unknown_attribute", "\"GSI1PK = BUYER#{BuyerId}", "§\"GSI1PK = BUYER#{Buyer}"},
    {"fan_out_with_where", "    fan_out: {index: GSI3",
     "    where: \"PK = X\"\n    fan_out: §{index: GSI3"},
    {"fan_out_not_countable", "over: Progress", "over: §BuyerId"},
    {"merge_not_sort_key", "merge: GSI3SK", "merge: §GSI3PK"},
    {"range_not_instant", "{field: SaleDate, required: false, dates: whole_days}",
     "{field: SaleId, dates: §whole_days}"},
    {"bad_route", "route: GET /buyers/{BuyerId}/sales", "route: §/buyers/{BuyerId}/sales"},
    {"bad_route", "route: GET /buyers", "route: §POST /buyers"},
    {"bad_route", "route: GET /buyers/{BuyerId}/sales", "route: §GET /buyers/b-{BuyerId}/sales"},
    {"bad_route", "route: GET /buyers/{BuyerId}/sales", "route: §GET /sales?BuyerId=BUYER001"},
    {"unknown_route_parameter", "route: GET /buyers/{BuyerId}/sales",
     "route: §GET /sales?BuyerId=&until="},
    {"unknown_route_parameter", "route: GET /buyers/{BuyerId}/sales",
     "route: §GET /buyers/{Id}/sales"},
    {"duplicate_route", "get: Sale, by: [SaleId]}",
     "get: Sale, by: [SaleId], route: \"GET /buyers/{SaleId}/sales\"}", "GET /buyers/{BuyerId}"},
    {"unknown_example_parameter", "from: \"2026-01-01\"", "§form: \"2026-01-01\""},
    {"not_a_number", "units: 0.5", "units: §half"},
};

constexpr Mistake kOperations[] = {
    {"bad_input_count", "\"SaleLine[1..90]\"", "§\"SaleLine[90..1]\""},
    {"unknown_type", "note: string", "note: §strin"},
    {"unknown_input", "from: sale", "from: §sail"},
    {"input_count_mismatch", "each: lines", "from: §lines"},
    {"no_action", "- {put: Sale, from: sale}", "- §{from: sale}"},
    {"several_actions", "{put: Sale, from", "{put: Sale, delete: §Sale, from"},
    {"unknown_attribute", "set: {Terms: CASH", "set: {§Term: CASH"},
    {"unknown_value", "set: {Terms: CASH", "set: {Terms: §DRAFT"},
    {"unknown_name", "input.note", "§input.notes"},
    {"that_and_check", "{check: Buyer, that: \"Terms == CASH\"}", "§{check: Buyer}"},
    {"that_and_check", "{put: Sale, from: sale}", "{put: Sale, from: sale, that: §\"Amount > 0\"}"},
    {"empty_transaction", "tenancy:", "  nothing: {transact: §[]}\ntenancy:"},
    {"duplicate_name", "  confirmSale:", "  §getSale:"},
    {"unknown_tenant_attribute", "{attribute: BuyerId, claim", "{attribute: §tenant, claim"},
    {"unknown_entity", "    Sale: {per_day", "    §Sail: {per_day"},
    {"bad_count", "total: 500", "total: §many"},
    {"bad_size", "bytes: 4KB", "bytes: §4kilo"},
    {"unknown_rate", "create Buyer: 10", "§make Buyer: 10"},
    {"bad_rate", "getSale: 1000/day", "getSale: §1000/week"},
    {"bad_threshold", "\"> 10\"", "§\"ten\""},
    {"duplicate_name", "alarms:\n",
     "alarms:\n  - {name: shop-throttled, metric: A, threshold: \"> 1\"}\n",
     "shop-throttled\n    metric: Thr"},
};

INSTANTIATE_TEST_SUITE_P(Keys, LoadMeaning, testing::ValuesIn(kKeys), MistakeName);
INSTANTIATE_TEST_SUITE_P(Entities, LoadMeaning, testing::ValuesIn(kEntities), MistakeName);
INSTANTIATE_TEST_SUITE_P(Patterns, LoadMeaning, testing::ValuesIn(kPatterns), MistakeName);
INSTANTIATE_TEST_SUITE_P(Operations, LoadMeaning, testing::ValuesIn(kOperations), MistakeName);

}  // namespace
}  // namespace monotable::model
