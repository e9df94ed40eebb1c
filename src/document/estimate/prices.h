#pragma once

#include <string>
#include <string_view>

#include "error/result.h"

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

}  // namespace monotable::document
