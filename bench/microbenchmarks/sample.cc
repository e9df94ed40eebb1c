#include "sample.h"

#include "load/data_set.h"
#include "wire/attribute_value.h"

namespace monotable::bench {
namespace {

std::string Text(std::string_view pattern, uint64_t number, uint64_t revision) {
  std::string text;
  load::ItemText(pattern).AppendTo(text, number, revision);
  return text;
}

table::KeySchema StringKey(const std::string& hash, const std::string& range) {
  table::KeySchema key;
  key.hash = {{hash, item::Type::kString}};
  key.range = {{range, item::Type::kString}};
  return key;
}

}  // namespace

Document::Document(std::string_view text)
    : size_(text.size()),
      padded_(std::string(text) + std::string(json::kPadding, ' ')),
      root_(Must(parser_.Parse(std::string_view(padded_).substr(0, size_)))) {}

std::string ItemJson(uint64_t number, uint64_t revision) {
  return Text(load::kItemPattern, number, revision);
}

std::string KeyJson(uint64_t number) {
  return Text(load::kKeyPattern, number, 0);
}

item::Item SampleItem(uint64_t number) {
  return Must(wire::DecodeItem(Document(ItemJson(number)).object()));
}

table::TableDefinition SalesTable() {
  table::TableDefinition table;
  table.id = 1;
  table.name = "sales";
  table.key = StringKey("PK", "SK");
  for (uint16_t id = 1; id <= 3; ++id) {
    table::IndexDefinition index;
    index.id = id;
    index.name = "GSI" + std::to_string(id);
    index.key = StringKey(index.name + "PK", index.name + "SK");
    table.indexes.push_back(index);
  }
  return table;
}

}  // namespace monotable::bench
