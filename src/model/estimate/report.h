#pragma once

#include <optional>
#include <string>

#include "model/estimate/estimate.h"
#include "model/estimate/prices.h"
#include "model/model.h"

// Estimates as text for a terminal.
namespace monotable::model {

// Requests, storage and, with prices, what a month costs.
std::string ReportEstimate(const Model& model, const Estimate& estimate,
                           const std::optional<PriceTable>& prices);

// The same workload as design documents count it, with what DynamoDB charges beside it and why the
// two differ.
std::string ReportPlainEstimate(const Model& model, const Estimate& estimate,
                                const std::optional<PriceTable>& prices);

}  // namespace monotable::model
