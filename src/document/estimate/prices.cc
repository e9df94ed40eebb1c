#include "document/estimate/prices.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "model/load/load.h"

namespace monotable::document {
namespace {

constexpr std::array<std::pair<std::string_view, std::string PriceTable::*>, 3> kTexts = {{
    {"region", &PriceTable::region},
    {"since", &PriceTable::since},
    {"currency", &PriceTable::currency},
}};

constexpr std::array<std::pair<std::string_view, double PriceTable::*>, 7> kAmounts = {{
    {"read_units_million", &PriceTable::read_units_million},
    {"write_units_million", &PriceTable::write_units_million},
    {"storage_gb_month", &PriceTable::storage_gb_month},
    {"free_storage_gb", &PriceTable::free_storage_gb},
    {"recovery_gb_month", &PriceTable::recovery_gb_month},
    {"backup_gb_month", &PriceTable::backup_gb_month},
    {"kms_key_month", &PriceTable::kms_key_month},
}};

Result<double> Amount(const model::Node& node, std::string_view name) {
  double amount = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, amount);
  if (node.kind != model::Node::Kind::kNumber || error != std::errc() || stop != end ||
      amount < 0) {
    return Error::Validation(fmt::format("The price table's {} is no amount.", name));
  }
  return amount;
}

}  // namespace

Result<PriceTable> ReadPrices(std::string_view text) {
  model::Findings findings;
  const auto document = model::ReadDocument(text, &findings);
  if (!document || !document->is_map()) {
    const std::string why = findings.all().empty() ? "it is no map" : findings.all()[0].message;
    return Error::Validation(fmt::format("The price table cannot be read: {}", why));
  }
  PriceTable prices;
  for (const auto& [name, member] : kTexts) {
    const model::Node* node = document->Find(name);
    if (node == nullptr || !node->is_scalar()) {
      return Error::Validation(fmt::format("The price table lacks {}.", name));
    }
    prices.*member = node->text;
  }
  for (const auto& [name, member] : kAmounts) {
    const model::Node* node = document->Find(name);
    if (node == nullptr) return Error::Validation(fmt::format("The price table lacks {}.", name));
    TRY_ASSIGN(prices.*member, Amount(*node, name));
  }
  return prices;
}

}  // namespace monotable::document
