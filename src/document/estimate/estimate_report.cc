#include "document/estimate/estimate_report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/load/load.h"
#include "text/words.h"

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
  const auto amount = text::ParseNumber<double>(node.text);
  if (node.kind != model::Node::Kind::kNumber || !amount || *amount < 0) {
    return Error::Validation(fmt::format("The price table's {} is not an amount.", name));
  }
  return *amount;
}

}  // namespace

Result<PriceTable> ReadPrices(std::string_view text) {
  model::Findings findings;
  const auto document = model::ReadDocument(text, &findings);
  if (!document || !document->is_map()) {
    const std::string why = findings.all().empty() ? "it is not a map" : findings.all()[0].message;
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

namespace {

constexpr double kSecondsOfDay = 86'400;
constexpr double kKilobyte = 1024;
constexpr double kThousand = 1000;

std::string Trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string WithCommas(std::string number) {
  for (size_t at = std::min(number.find('.'), number.size()); at > 3;) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

// A KB has 1024 bytes; `larger` is how many of a unit are one of the next.
std::string SizeIn(double bytes, double larger) {
  double size = bytes / kKilobyte;
  if (size < 1) return fmt::format("{:.0f} bytes", bytes);
  for (const char* unit : {"KB", "MB"}) {
    if (size < kThousand) return fmt::format("{} {}", Trimmed(fmt::format("{:.1f}", size)), unit);
    size /= larger;
  }
  return fmt::format("{} GB", Trimmed(fmt::format("{:.2f}", size)));
}

}  // namespace

std::string Figure(double value) {
  if (value >= 100) return WithCommas(fmt::format("{:.0f}", value));
  if (value >= 1) return Trimmed(fmt::format("{:.1f}", value));
  return Trimmed(fmt::format("{:.{}f}", value, value >= 0.001 ? 3 : 4));
}

std::string PerSecond(double per_day) {
  const double rate = per_day / kSecondsOfDay;
  return fmt::format("{:.{}f}", rate, rate >= 0.001 ? 3 : 4);
}

std::string Size(double bytes) {
  return SizeIn(bytes, kKilobyte);
}

TextColumns::TextColumns(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextColumns::Add(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextColumns::Text() const {
  const size_t columns = rows_.front().size();
  std::vector<size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < columns; ++i) {
      const bool left = i == 0 || i + 1 == columns;
      line += left ? fmt::format("  {:<{}}", row[i], widths[i])
                   : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

namespace {

constexpr double kDaysOfMonth = 30;
constexpr double kMillion = 1e6;
constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;       // as it is billed
constexpr double kPlainGigabyte = 1024.0 * 1000.0 * 1000.0;  // as documents count

// Design documents count 1000 KB as a MB.
std::string PlainSize(double bytes) {
  return SizeIn(bytes, kThousand);
}

std::string Title(const model::Model& model) {
  return model.title.empty() ? model.name : model.title;
}

std::string Years(int years) {
  return years == 1 ? "1 year" : fmt::format("{} years", years);
}

std::string Money(const PriceTable& prices, double amount) {
  return fmt::format("{:.2f} {}", amount, prices.currency);
}

// A line of the bill: the item, its quantity and the amount.
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

// The bill of one environment, with everything that costs extra and the environments that have it.
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

// Design documents multiply the size after one year by the number of years.
std::string PlainStorage(const Estimate& estimate) {
  TextColumns columns({"storage", "items", "size", "in 1 year"});
  for (const StorageEstimate& each : estimate.storage) {
    columns.Add({each.entity, Figure(each.items_first_year), PlainSize(each.item_bytes),
                 PlainSize(each.item_bytes * each.items_first_year)});
  }
  const double year = estimate.PlainBytes(false);
  columns.Add({"total", "", "", PlainSize(year)});
  columns.Add({Years(estimate.years), "", "", PlainSize(year * estimate.years)});
  return columns.Text();
}

// Says how many times more, for use in a sentence.
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
      "  Writes: {} the above. Every index entry is written too, twice if its key changes. A\n"
      "  transaction is charged twice for every item that it writes or checks.\n",
      Times(writes, estimate.PlainUnitsPerDay(true)));
  text += fmt::format(
      "  Storage: {}, {} the above. Index entries are copies, items and entries take 100\n"
      "  bytes more, and what does not grow is there once, not once for each year. A billed MB\n"
      "  has 1024 KB; the document counts 1000.\n",
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
    lines.push_back(
        {"storage", PlainSize(bytes), bytes / kPlainGigabyte * prices->storage_gb_month});
    text += PriceHeading(*prices) + Bill(*prices, lines) + "\n";
  }
  return text + Differences(estimate);
}

}  // namespace monotable::document
