#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/estimate/estimate.h"
#include "error/result.h"
#include "model/model.h"

// Estimates as text for a terminal, and the prices that they are multiplied with.
namespace monotable::document {

// What a region charged from a day on; the files of models/prices. Amounts are of one currency.
struct PriceTable {
  std::string region;
  std::string since;  // 2024-11-01
  std::string currency;
  double read_units_million = 0;
  double write_units_million = 0;
  double storage_gb_month = 0;
  double free_storage_gb = 0;    // of an account, each month
  double recovery_gb_month = 0;  // point-in-time recovery
  double backup_gb_month = 0;
  double kms_key_month = 0;
};

// Reads such a file. Every member must be there: a price that is missing would be taken for free.
Result<PriceTable> ReadPrices(std::string_view text);

// A number with as many decimals as tell something and a comma between thousands: 36,500 or 0.0002.
std::string Figure(double value);

// A rate of a second, as capacity tables print it: three decimals, four below a thousandth.
std::string PerSecond(double per_day);

// Bytes in KB, MB or GB, each 1000 of the smaller one and the KB of 1024 bytes, as capacity tables
// have it.
std::string Size(double bytes);

// Columns of text: the first and the last to the left, those between to the right.
class TextColumns {
 public:
  explicit TextColumns(std::vector<std::string> header);
  void Add(std::vector<std::string> cells);
  std::string Text() const;  // indented by two

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Estimates as text for a terminal.

// Requests, storage and, with prices, what a month costs.
std::string ReportEstimate(const model::Model& model, const Estimate& estimate,
                           const std::optional<PriceTable>& prices);

// The same workload as design documents count it, with what DynamoDB charges beside it and why the
// two differ.
std::string ReportPlainEstimate(const model::Model& model, const Estimate& estimate,
                                const std::optional<PriceTable>& prices);

}  // namespace monotable::document
