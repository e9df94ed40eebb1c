#pragma once

#include <optional>
#include <string>

#include "document/estimate/estimate.h"
#include "document/estimate/prices.h"
#include "model/model.h"

// Estimates as text for a terminal.
namespace monotable::document {

// Requests, storage and, with prices, what a month costs.
std::string ReportEstimate(const model::Model& model, const Estimate& estimate,
                           const std::optional<PriceTable>& prices);

// The same workload as design documents count it, with what DynamoDB charges beside it and why the
// two differ.
std::string ReportPlainEstimate(const model::Model& model, const Estimate& estimate,
                                const std::optional<PriceTable>& prices);

}  // namespace monotable::document
