#include "operations/table_settings.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "operations/table_errors.h"
#include "text/words.h"
#include "time/calendar.h"

namespace monotable::operations {
namespace {

using table::BillingMode;

// The key with which the service encrypts tables whose owner names none.
constexpr std::string_view kDefaultAlias = "alias/aws/dynamodb";
constexpr std::string_view kDefaultKeyId = "64796e61-6d6f-4462-8000-000000000001";

Status CheckUnits(int64_t units, std::string_view what, std::string_view index_name) {
  if (units <= kMaxCapacityUnits) return {};
  const std::string where = index_name.empty() ? "" : fmt::format(" for index {}", index_name);
  return Error::Validation(
      fmt::format("Given value {} for {} is out of bounds{}", units, what, where));
}

// Where a limit or warm throughput is, as messages put it; they differ.
std::string LimitPlace(std::string_view index_name) {
  return index_name.empty() ? "table" : fmt::format("index : {}", index_name);
}

std::string WarmPlace(std::string_view index_name) {
  return index_name.empty() ? "table" : fmt::format("index {}", index_name);
}

// -1 takes a limit away, so it means something only to a table that there is.
Status CheckLimit(const std::optional<int64_t>& limit, std::string_view what,
                  std::string_view index_name, Occasion occasion) {
  if (!limit || (*limit >= 1 && *limit <= kMaxCapacityUnits)) return {};
  if (*limit == -1 && occasion == Occasion::kUpdateTable) return {};
  return InvalidParameter(
      fmt::format("Requested {} for OnDemandThroughput for {} is outside of valid range", what,
                  LimitPlace(index_name)));
}

Error LimitOfProvisioned(std::string_view what, std::string_view index_name, Occasion occasion) {
  if (occasion == Occasion::kCreateTable) {
    const std::string where = index_name.empty() ? "" : fmt::format(" for index: {}", index_name);
    return InvalidParameter(
        fmt::format("{} for OnDemandThroughput{} cannot be specified when table BillingMode is "
                    "PROVISIONED.",
                    what, where));
  }
  const std::string where = index_name.empty() ? "" : fmt::format(" for index : {}", index_name);
  return InvalidParameter(
      fmt::format("{} for OnDemandThroughput{} cannot be specified when the table BillingMode is "
                  "PROVISIONED",
                  what, where));
}

Status CheckWarmUnits(const std::optional<int64_t>& units, int64_t least, std::string_view what,
                      std::string_view than) {
  if (!units || *units >= least) return {};
  return InvalidParameter(fmt::format("Requested {} is lower than {}", what, than));
}

Status Grow(std::optional<int64_t> wanted, int64_t current, std::string_view what,
            std::string_view index_name, std::optional<int64_t>* value) {
  if (!wanted) return {};
  if (*wanted < current) {
    return InvalidParameter(
        fmt::format("Requested {} for WarmThroughput for {} is lower than current WarmThroughput, "
                    "decreasing WarmThroughput is not supported",
                    what, WarmPlace(index_name)));
  }
  *value = wanted;
  return {};
}

std::string KeyArn(const engine::Engine& engine, std::string_view key_id) {
  if (key_id.starts_with("arn:")) return std::string(key_id);
  const engine::EngineOptions& options = engine.options();
  return fmt::format("arn:aws:kms:{}:{}:{}{}", options.region, options.account_id,
                     key_id.starts_with("alias/") ? "" : "key/", key_id);
}

// Tags are made of letters and digits of any script, blanks and a few signs; pictographs are none
// of these.
bool IsTagText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  constexpr std::string_view kSigns = "+-=._:/@";
  constexpr std::string_view kPictographs = "\xf0\x9f";
  if (text.find(kPictographs) != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return text::IsBeyondAscii(c) || text::IsAlphanumeric(c) ||
           kBlanks.find(c) != std::string_view::npos || kSigns.find(c) != std::string_view::npos;
  });
}

// In characters, not bytes.
size_t LengthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !text::ContinuesUtf8(c); }));
}

bool IsReserved(std::string_view key) {
  constexpr std::string_view kPrefix = "aws:";
  return text::EqualsIgnoringCase(key.substr(0, kPrefix.size()), kPrefix);
}

std::string StreamLabel(int64_t time_ms) {
  return time::Format(time_ms, "yyyy-MM-ddTHH:mm:ss.SSS");
}

}  // namespace

Status CheckBounds(const table::Throughput& throughput, std::string_view index_name) {
  TRY(CheckUnits(throughput.read_units, "ReadCapacityUnits", index_name));
  return CheckUnits(throughput.write_units, "WriteCapacityUnits", index_name);
}

Status CheckTableThroughput(const std::optional<table::Throughput>& throughput,
                            BillingMode billing_mode) {
  if (billing_mode == BillingMode::kPayPerRequest) {
    if (!throughput) return {};
    return InvalidParameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST");
  }
  if (!throughput) {
    return InvalidParameter(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
        "PROVISIONED");
  }
  return CheckBounds(*throughput, "");
}

Result<table::Throughput> CheckIndexThroughput(const IndexParameter& index,
                                               BillingMode billing_mode, Occasion occasion) {
  const bool with_table = occasion == Occasion::kCreateTable;
  if (billing_mode == BillingMode::kPayPerRequest) {
    if (!index.throughput) return table::Throughput();
    return InvalidParameter(
        fmt::format("{} specified for index: {} when BillingMode is PAY_PER_REQUEST",
                    with_table ? "ProvisionedThroughput should not be"
                               : "Neither ReadCapacityUnits nor WriteCapacityUnits can be",
                    index.index_name));
  }
  if (!index.throughput) {
    return InvalidParameter(
        fmt::format("{} specified for index: {}",
                    with_table ? "ProvisionedThroughput is not"
                               : "Both ReadCapacityUnits and WriteCapacityUnits must be",
                    index.index_name));
  }
  TRY(CheckBounds(*index.throughput, index.index_name));
  return *index.throughput;
}

Status CheckOnDemand(const std::optional<table::OnDemandThroughput>& limits,
                     BillingMode billing_mode, std::string_view index_name, Occasion occasion) {
  if (!HasLimits(limits)) return {};
  if (billing_mode == BillingMode::kProvisioned) {
    return LimitOfProvisioned(
        limits->max_read_units ? "MaxReadRequestUnits" : "MaxWriteRequestUnits", index_name,
        occasion);
  }
  TRY(CheckLimit(limits->max_read_units, "MaxReadRequestUnits", index_name, occasion));
  return CheckLimit(limits->max_write_units, "MaxWriteRequestUnits", index_name, occasion);
}

Status CheckWarm(const std::optional<table::WarmThroughput>& warm, BillingMode billing_mode,
                 const table::Throughput& throughput, std::string_view index_name) {
  if (!warm) return {};
  const std::string place = WarmPlace(index_name);
  const std::string reads = "ReadUnitsPerSecond for WarmThroughput for " + place;
  const std::string writes = "WriteUnitsPerSecond for WarmThroughput for " + place;
  if (billing_mode == BillingMode::kPayPerRequest) {
    constexpr std::string_view kInitial =
        "initial throughput for OnDemand. See: "
        "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
        "on-demand-capacity-mode.html#on-demand-capacity-mode-initial";
    const table::Throughput initial = WarmOf(billing_mode, {}, std::nullopt);
    TRY(CheckWarmUnits(warm->read_units_per_second, initial.read_units, reads, kInitial));
    return CheckWarmUnits(warm->write_units_per_second, initial.write_units, writes, kInitial);
  }
  TRY(CheckWarmUnits(warm->read_units_per_second, throughput.read_units, reads,
                     "ReadCapacityUnits of ProvisionedThroughput"));
  return CheckWarmUnits(warm->write_units_per_second, throughput.write_units, writes,
                        "WriteCapacityUnits of ProvisionedThroughput");
}

bool HasLimits(const std::optional<table::OnDemandThroughput>& limits) {
  return limits && (limits->max_read_units || limits->max_write_units);
}

bool HasUnits(const std::optional<table::WarmThroughput>& warm) {
  return warm && (warm->read_units_per_second || warm->write_units_per_second);
}

Status GrowWarm(const table::WarmThroughput& wanted, const table::Throughput& current,
                std::string_view index_name, std::optional<table::WarmThroughput>* warm) {
  if (!*warm) warm->emplace();
  TRY(Grow(wanted.read_units_per_second, current.read_units, "ReadUnitsPerSecond", index_name,
           &(*warm)->read_units_per_second));
  return Grow(wanted.write_units_per_second, current.write_units, "WriteUnitsPerSecond", index_name,
              &(*warm)->write_units_per_second);
}

std::string NewUuid() {
  std::random_device random;
  std::array<uint32_t, 4> bits = {};
  for (uint32_t& word : bits) word = static_cast<uint32_t>(random());
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", bits[0], bits[1] >> 16,
                     bits[1] & 0xFFF, 0x8000 | (bits[2] >> 18), bits[2] & 0xFFFF, bits[3]);
}

// A type alone switches encryption with KMS on.
Result<table::SseSettings> BuildSse(const engine::Engine& engine, const SseParameter& parameter) {
  if (!parameter.enabled.value_or(parameter.sse_type.has_value())) {
    if (parameter.sse_type) {
      return InvalidParameter("SSEType can not be specified if Enabled is false");
    }
    if (parameter.kms_master_key_id) {
      return InvalidParameter("KMSMasterKeyId can not be specified if Enabled is false");
    }
    return table::SseSettings();
  }
  if (parameter.sse_type && *parameter.sse_type != "KMS") {
    return InvalidParameter(fmt::format("SSEType {} is not supported", *parameter.sse_type));
  }
  if (parameter.kms_master_key_id && !parameter.sse_type) {
    return InvalidParameter("SSEType KMS is required if KMSMasterKeyId is specified");
  }
  const std::string_view key_id =
      parameter.kms_master_key_id ? std::string_view(*parameter.kms_master_key_id) : kDefaultAlias;
  table::SseSettings sse;
  sse.enabled = true;
  sse.kms_key_arn = KeyArn(engine, key_id == kDefaultAlias ? kDefaultKeyId : key_id);
  return sse;
}

void StartStream(int64_t now_ms, table::StreamViewType view_type,
                 table::TableDefinition* definition) {
  const auto taken = [definition](const std::string& label) {
    return std::any_of(
        definition->streams.begin(), definition->streams.end(),
        [&label](const table::StreamDefinition& stream) { return stream.label == label; });
  };
  std::string label = StreamLabel(now_ms);
  // Several may have begun within a millisecond.
  while (taken(label)) label = StreamLabel(++now_ms);
  definition->stream = {true, view_type, now_ms};
  definition->latest_stream_label = std::move(label);
}

Status CheckTagKey(const std::string& key) {
  if (key.empty() || LengthOf(key) > 128 || !IsTagText(key)) {
    return Error::Validation("The Tag Key provided is invalid, Key: " + key);
  }
  if (IsReserved(key)) {
    return Error::Validation("Tag Key cannot be prefixed with aws:, Key: " + key);
  }
  return {};
}

Status CheckTags(const std::vector<table::Tag>& tags) {
  std::set<std::string_view> keys;
  for (const table::Tag& tag : tags) {
    TRY(CheckTagKey(tag.key));
    if (LengthOf(tag.value) > 256 || !IsTagText(tag.value)) {
      return Error::Validation("The Tag Value provided is invalid, Value: " + tag.value);
    }
    if (!keys.insert(tag.key).second) {
      return Error::Validation("Duplicate Tag Keys provided as input: Duplicate Tag Key found " +
                               tag.key);
    }
  }
  if (tags.size() > kMaxTags) return TooManyTags();
  return {};
}

}  // namespace monotable::operations
