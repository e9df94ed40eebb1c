#pragma once

#include <string_view>

namespace monotable::load {

// Patterns of ItemText for entities of models/sales.model.yaml: 250 buyers, who take turns with the
// sales. A sale's number says all about it, and so does a buyer's; the revision is in a buyer's
// notes, which no other item copies.

// As items of the table, and their keys.
extern const std::string_view kSalePattern;
extern const std::string_view kSaleKeyPattern;
extern const std::string_view kBuyerPattern;
extern const std::string_view kBuyerKeyPattern;

// A buyer as REST's clients write it.
extern const std::string_view kBuyerBodyPattern;

}  // namespace monotable::load
