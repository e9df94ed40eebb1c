#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/estimate/estimate.h"
#include "error/result.h"
#include "model/model.h"

// Estimates as text for a terminal, and the prices for them.
namespace monotable::document {

// The prices of a region from a day on, as in the files of models/prices. All amounts have one
// currency.
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

// Reads a file of prices. Every member is required, because a missing price would count as free.
Result<PriceTable> ReadPrices(std::string_view text);

// A number with as many decimals as matter, and with commas between thousands: 36,500 or 0.0002.
std::string Figure(double value);

// A rate per second as capacity tables print it: three decimals, or four below a thousandth.
std::string PerSecond(double per_day);

// Bytes in KB, MB or GB as the service bills them: each unit is 1024 of the smaller one.
std::string Size(double bytes);

// Columns of text. The first and the last column are aligned to the left, the others to the right.
class TextColumns {
 public:
  explicit TextColumns(std::vector<std::string> header);
  void Add(std::vector<std::string> cells);
  std::string Text() const;  // indented by two

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Estimates as text for a terminal.

// The requests, the storage and, with prices, the cost of a month.
std::string ReportEstimate(const model::Model& model, const Estimate& estimate,
                           const std::optional<PriceTable>& prices);

// The same workload as design documents count it, compared with what DynamoDB charges, and why the
// two differ.
std::string ReportPlainEstimate(const model::Model& model, const Estimate& estimate,
                                const std::optional<PriceTable>& prices);

}  // namespace monotable::document
