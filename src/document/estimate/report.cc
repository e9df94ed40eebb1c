#include "document/estimate/report.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "document/estimate/figures.h"

namespace monotable::document {
namespace {

constexpr double kDaysOfMonth = 30;
constexpr double kMillion = 1e6;
constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;       // as it is billed
constexpr double kPlainGigabyte = 1024.0 * 1000.0 * 1000.0;  // as Size prints it

std::string Title(const model::Model& model) {
  return model.title.empty() ? model.name : model.title;
}

std::string Years(int years) {
  return years == 1 ? "1 year" : fmt::format("{} years", years);
}

std::string Money(const PriceTable& prices, double amount) {
  return fmt::format("{:.2f} {}", amount, prices.currency);
}

// A line of the bill: what, how much of it, and the amount.
struct BillLine {
  std::string what;
  std::string quantity;
  double amount = 0;
};

std::string Bill(const PriceTable& prices, const std::vector<BillLine>& lines) {
  TextColumns columns({"per month, of one environment", "", ""});
  double total = 0;
  for (const BillLine& line : lines) {
    columns.Add({line.what, line.quantity, Money(prices, line.amount)});
    total += line.amount;
  }
  columns.Add({"total", "", Money(prices, total)});
  return columns.Text();
}

std::vector<BillLine> RequestLines(const PriceTable& prices, double reads_per_day,
                                   double writes_per_day) {
  const double reads = reads_per_day * kDaysOfMonth;
  const double writes = writes_per_day * kDaysOfMonth;
  return {{"reads", Figure(reads) + " units", reads / kMillion * prices.read_units_million},
          {"writes", Figure(writes) + " units", writes / kMillion * prices.write_units_million}};
}

// The bill of one environment, with everything that costs extra and which environments have it.
std::vector<BillLine> BillLines(const model::Model& model, const Estimate& estimate,
                                const PriceTable& prices) {
  std::vector<BillLine> lines =
      RequestLines(prices, estimate.UnitsPerDay(false), estimate.UnitsPerDay(true));
  const double bytes = estimate.StoredBytes(true);
  const double gigabytes = bytes / kGigabyte;
  lines.push_back({fmt::format("storage after {}", Years(estimate.years)), Size(bytes),
                   gigabytes * prices.storage_gb_month});
  std::vector<std::string> recovered;
  for (const model::EnvironmentModel& each : model.environments) {
    if (each.pitr) recovered.push_back(each.name);
  }
  if (!recovered.empty()) {
    lines.push_back({fmt::format("point-in-time recovery ({})", fmt::join(recovered, ", ")),
                     Size(bytes), gigabytes * prices.recovery_gb_month});
  }
  for (const model::EnvironmentModel& each : model.environments) {
    if (each.daily_backup.empty()) continue;
    lines.push_back({fmt::format("daily backups ({})", each.name),
                     fmt::format("{} x {}", each.keep_backups_days, Size(bytes)),
                     each.keep_backups_days * gigabytes * prices.backup_gb_month});
  }
  std::vector<std::string> keys;
  for (const model::TableModel& table : model.tables) {
    const std::string& key = table.encryption_key;
    if (key.empty() || key.starts_with("alias/aws/")) continue;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  if (!keys.empty()) {
    lines.push_back({"KMS keys, without their requests", fmt::format("{}", fmt::join(keys, ", ")),
                     static_cast<double>(keys.size()) * prices.kms_key_month});
  }
  return lines;
}

std::string PriceHeading(const PriceTable& prices) {
  return fmt::format("Prices of {} since {}; a month has {:.0f} days.\n", prices.region,
                     prices.since, kDaysOfMonth);
}

std::string StorageText(const Estimate& estimate) {
  TextColumns columns({"storage", "items", "each", "index entries", "with overhead", "after 1 year",
                       "after " + Years(estimate.years)});
  for (const StorageEstimate& each : estimate.storage) {
    columns.Add({each.entity, Figure(each.items_last_year), Size(each.item_bytes),
                 std::to_string(each.entries), Size(each.stored_bytes),
                 Size(each.stored_bytes * each.items_first_year),
                 Size(each.stored_bytes * each.items_last_year)});
  }
  columns.Add({"total", "", "", "", "", Size(estimate.StoredBytes(false)),
               Size(estimate.StoredBytes(true))});
  return columns.Text();
}

std::string PlainRequests(const Estimate& estimate, bool writes) {
  const std::string_view unit = writes ? "WCU" : "RCU";
  TextColumns columns({writes ? "writes" : "reads", "per day", "size", std::string(unit),
                       fmt::format("{}/s", unit), "DynamoDB", "because"});
  for (const RequestEstimate& request : estimate.requests) {
    if (request.write != writes) continue;
    const std::string size =
        request.items > 1 ? fmt::format("{} x {}", Size(request.item_bytes), Figure(request.items))
                          : Size(request.item_bytes);
    columns.Add({request.what, Figure(request.per_day), size,
                 request.implied ? "-" : Figure(request.plain_units),
                 request.implied ? "-" : PerSecond(request.per_day * request.plain_units),
                 Figure(request.units), request.how});
  }
  columns.Add({"total", "", "", "", PerSecond(estimate.PlainUnitsPerDay(writes)),
               fmt::format("{}/s", PerSecond(estimate.UnitsPerDay(writes))), ""});
  return columns.Text();
}

// Design documents take what there is after a year for the growth of every year.
std::string PlainStorage(const Estimate& estimate) {
  TextColumns columns({"storage", "items", "size", "in 1 year"});
  for (const StorageEstimate& each : estimate.storage) {
    columns.Add({each.entity, Figure(each.items_first_year), Size(each.item_bytes),
                 Size(each.item_bytes * each.items_first_year)});
  }
  const double year = estimate.PlainBytes(false);
  columns.Add({"total", "", "", Size(year)});
  columns.Add({Years(estimate.years), "", "", Size(year * estimate.years)});
  return columns.Text();
}

// How many times more, for a sentence.
std::string Times(double more, double less) {
  return less > 0 ? fmt::format("{:.1f} times", more / less) : "more than";
}

std::string Differences(const Estimate& estimate) {
  const double reads = estimate.UnitsPerDay(false);
  const double writes = estimate.UnitsPerDay(true);
  const double plain_bytes = estimate.PlainBytes(false) * estimate.years;
  std::string text = "Where DynamoDB differs:\n";
  text += fmt::format(
      "  Reads: {} the above. Items are rounded up to 4 KB, and eventually consistent reads,\n"
      "  the only ones that global indexes have, count half; a fan-out reads every partition.\n",
      Times(reads, estimate.PlainUnitsPerDay(false)));
  text += fmt::format(
      "  Writes: {} the above. Every index entry is written too, twice if its key changes, and\n"
      "  a transaction writes items twice.\n",
      Times(writes, estimate.PlainUnitsPerDay(true)));
  text += fmt::format(
      "  Storage: {}, {} the above. Index entries are copies, items and entries take 100\n"
      "  bytes more, and what does not grow is there once, not once for each year.\n",
      Size(estimate.StoredBytes(true)), Times(estimate.StoredBytes(true), plain_bytes));
  return text;
}

}  // namespace

std::string ReportEstimate(const model::Model& model, const Estimate& estimate,
                           const std::optional<PriceTable>& prices) {
  std::string text = fmt::format("{}: what its workload takes\n\n", Title(model));
  for (const bool writes : {false, true}) {
    TextColumns columns({writes ? "writes" : "reads", "per day", "units", "units/s", "made of"});
    for (const RequestEstimate& request : estimate.requests) {
      if (request.write != writes) continue;
      columns.Add({request.what, Figure(request.per_day), Figure(request.units),
                   PerSecond(request.UnitsPerDay()), request.how});
    }
    columns.Add({"total", "", "", PerSecond(estimate.UnitsPerDay(writes)), ""});
    text += columns.Text() + "\n";
  }
  text += StorageText(estimate);
  if (!prices) return text;
  text += "\n" + PriceHeading(*prices) + Bill(*prices, BillLines(model, estimate, *prices));
  text += fmt::format(
      "  The first {:g} GB of storage of an account are free, and not taken off here. The free\n"
      "  read and write units of an account are for provisioned tables only.\n",
      prices->free_storage_gb);
  return text;
}

std::string ReportPlainEstimate(const model::Model& model, const Estimate& estimate,
                                const std::optional<PriceTable>& prices) {
  std::string text = fmt::format(
      "{}: its workload as its document counts it, without indexes and transactions\n\n",
      Title(model));
  text += PlainRequests(estimate, false) + "\n" + PlainRequests(estimate, true) + "\n";
  text += PlainStorage(estimate) + "\n";
  if (prices) {
    std::vector<BillLine> lines =
        RequestLines(*prices, estimate.PlainUnitsPerDay(false), estimate.PlainUnitsPerDay(true));
    const double bytes = estimate.PlainBytes(false) * estimate.years;
    lines.push_back({"storage", Size(bytes), bytes / kPlainGigabyte * prices->storage_gb_month});
    text += PriceHeading(*prices) + Bill(*prices, lines) + "\n";
  }
  return text + Differences(estimate);
}

}  // namespace monotable::document
