#include "model/load/mistakes_for_tests.h"

// Mistakes in tables, environments, parameters, enums and types, and of the kinds of nodes.
namespace monotable::model {
namespace {

TEST_P(LoadMistake, IsReportedOnceWhereItStands) {
  ExpectMistake(GetParam());
}

constexpr Mistake kNodes[] = {
    {"missing_member", "format: stm/1\n", "§"},
    {"missing_member", "    name: \"{TableName}_{environment}\"\n    aliases", "    §aliases"},
    {"unknown_member", "title: Shop", "§titel: Shop"},
    {"unknown_member", "path: lines", "§paths: lines"},
    {"not_text", "title: Shop | Sales", "title: §[Sale]"},
    {"not_text", "title: Shop | Sales", "title: §true"},
    {"missing_value", "path: buyers", "§path:"},
    {"missing_value", "SK: \"#METADATA#sale\"}", "§SK: #METADATA#sale\n               }"},
    {"unquoted_braces", "PK: \"BUYER#{BuyerId}\"", "PK: §{BuyerId}"},
    {"not_a_map", "environments:\n  dev: {}", "environments:\n  dev: §[]"},
    {"not_a_list", "aliases: [Store]", "aliases: §Store"},
    {"not_a_boolean", "deletion_protection: true", "deletion_protection: §yes"},
    {"not_an_integer", "page: 20", "page: §twenty"},
    {"not_an_integer", "page: 20", "page: §2.5"},
    {"number_out_of_range", "days: 35", "days: §36"},
    {"unknown_choice", "billing: on_demand", "billing: §ondemand"},
    {"unknown_choice", "mode: live", "mode: §alive"},
    {"unknown_format", "stm/1", "§stm/2"},
    {"bad_model_name", "model: shop", "model: §Shop"},
    {"bad_name", "  Money: {", "  §2Money: {type: string}\n  Money: {"},
    {"bad_name", "TableName: {", "§environment: {}\n  TableName: {"},
};
INSTANTIATE_TEST_SUITE_P(Nodes, LoadMistake, testing::ValuesIn(kNodes), MistakeName);

constexpr Mistake kTables[] = {
    {"bad_key_attribute", "range: \"Rank N\"", "range: §\"Rank X\""},
    {"bad_key_attribute", "hash: \"GSI3PK S\"", "hash: §GSI3PK"},
    {"unknown_parameter", "\"{TableName}_{environment}\"", "§\"{TableName}_{enviroment}\""},
    {"bad_table_name", "\"{TableName}_{environment}\"", "§\"Sales {environment}\""},
    {"bad_table_name", "\"{TableName}_{environment}\"", "§\"Sales-{environment\""},
    {"duplicate_table_name", "environments:",
     "  other: {name: §\"{TableName}_{environment}\", keys: {hash: \"PK S\"}}\nenvironments:"},
    {"bad_index_name", "      LSI1: {", "      §G: {hash: \"X S\"}\n      LSI1: {"},
    {"bad_index_name", "      LSI1: {", "      §primary: {hash: \"X S\"}\n      LSI1: {"},
    {"local_index_hash", "local: true,", "local: true, hash: §\"PK S\","},
    {"local_index_without_sort_key", "environments:",
     "  other: {name: oth, keys: {hash: \"PK S\"}, indexes: {§LSI: {local: true, range: \"A "
     "S\"}}}\n"
     "environments:"},
    {"key_type_conflict", "      GSI4: {hash: \"SK S\"", "      §GSI4: {hash: \"SK N\""},
    {"same_hash_and_range", "      LSI1: {",
     "      §GSI9: {hash: \"X S\", range: \"X S\"}\n      LSI1: {"},
    {"empty_projection", "project: [Product, Price]", "project: §[]"},
    {"unknown_projected_attribute", "project: [Product, Price]", "project: [Product, §Prise]"},
    {"attribute_is_key", "ttl_attribute: ExpiresAt", "ttl_attribute: §SK"},
    {"bad_time", "\"03:00Z\"", "§\"03:00\""},
    {"bad_time", "\"03:00Z\"", "§\"24:00Z\""},
    {"default_not_allowed", "default: \"false\",", "default: §\"no\","},
};
INSTANTIATE_TEST_SUITE_P(Tables, LoadMistake, testing::ValuesIn(kTables), MistakeName);

constexpr Mistake kEnums[] = {
    {"empty_enum", "enums:\n", "enums:\n  Empty: {values: §[]}\n"},
    {"duplicate_type", "enums:\n", "enums:\n  §string: {values: [A]}\n"},
    {"duplicate_value", "values: [CASH,", "values: [CASH, §CASH,"},
    {"unknown_initial", "initial: DRAFT", "initial: §DRAFTED"},
    {"unknown_transition_value", "CONFIRMED: [DONE]", "CONFIRMED: [§DONNE]"},
    {"unknown_transition_value", "DONE: []}", "DONE: [], §GONE: []}"},
    {"unknown_choice", "transitions: any", "transitions: §all"},
    {"unknown_code_name_value", "{\"15_DAYS\": Days15}", "{§\"16_DAYS\": Days15}"},
    {"bad_code_name", "Days15", "§15Days"},
    {"bad_code_name", "{\"15_DAYS\": Days15}", "{CASH: Days15, \"15_DAYS\": §Days15}"},
};
INSTANTIATE_TEST_SUITE_P(Enums, LoadMistake, testing::ValuesIn(kEnums), MistakeName);

constexpr Mistake kTypes[] = {
    {"unknown_type", "BuyerName: string", "BuyerName: §strign"},
    {"bad_type", "BuyerName: string", "BuyerName: §string!!"},
    {"bad_type", "BuyerName: string", "BuyerName: §bag(string)"},
    {"incomplete_type", "BuyerName: string", "BuyerName: string\n      Extra: §list"},
    {"incomplete_type", "BuyerName: string", "BuyerName: string\n      Extra: §object"},
    {"recursive_type", "  Audit:", "  Tree: {type: object, attributes: {Left: §Tree}}\n  Audit:"},
    {"duplicate_type", "  Audit:", "  §Terms: string\n  Audit:"},
    {"duplicate_type", "  Audit:", "  §decimal: string\n  Audit:"},
    {"mixin_as_type", "Address: Address!", "Address: §Audit!"},
    {"bad_set_element", "Tags: set(string)", "Tags: §set(boolean)"},
    {"missing_element_type", "Tags: set(string)", "Tags: §{type: list}"},
    {"object_without_attributes", "Tags: set(string)", "Tags: §{type: object}"},
    {"constraint_does_not_apply", "Rank: integer", "Rank: {type: integer, match: §\"1+\"}"},
    {"constraint_does_not_apply", "SaleDate: instant!", "SaleDate: {type: instant!, min: §1}"},
    {"constraint_does_not_apply", "Tags: set(string)", "Tags: {type: string, of: §string}"},
    {"constraint_does_not_apply", "Tags: set(string)", "Tags: {type: string, attributes: §{}}"},
    {"bad_bounds", "min: 1, max: 999", "min: 1000, max: §999"},
    {"bad_bounds", "Tags: set(string)", "Tags: {type: string, min: 5, max: §4}"},
    {"not_a_number", "min: 1, max: 999", "min: §one, max: 999"},
    {"bad_regular_expression", "\"[0-9./-]+\"", "§\"[0-9\""},
    {"bad_scale", "scale: 2", "scale: §15"},
    {"default_does_not_fit", "default: 0}", "default: §none}"},
    {"default_does_not_fit", "default: 0}", "default: §0.005}"},
    {"default_does_not_fit", "Terms: Terms\n", "Terms: {type: Terms, default: §CREDIT}\n"},
    {"default_does_not_fit", "Tags: set(string)", "Tags: {type: \"string[]\", default: §[1]}"},
    {"default_does_not_fit", "DeliveryDate: date",
     "DeliveryDate: {type: date, default: §\"2026-02-30\"}"},
    {"set_does_not_fit", "BuyerName: string", "BuyerName: {type: string, set: §on_create}"},
    {"set_does_not_fit", "Rank: integer", "Rank: {type: integer, set: §caller_on_write}"},
    {"two_sources", "default: 0}", "default: §0, derive: \"Amount\"}"},
    {"not_in_object", "Town: {type: string, max: 80}", "Town: {type: string, ref: §Buyer}"},
    {"unknown_mixin", "include: [Audit]", "include: [§Audits]"},
    {"duplicate_attribute", "include: [Audit]", "include: [Audit, §Audit]"},
};
INSTANTIATE_TEST_SUITE_P(Types, LoadMistake, testing::ValuesIn(kTypes), MistakeName);

}  // namespace
}  // namespace monotable::model
