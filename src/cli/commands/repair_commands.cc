#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/dynamodb_client.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "deploy/json_document.h"
#include "engine/damage.h"
#include "server/private_files.h"
#include "storage/rocksdb/folder_repair.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

using storage::CheckedLog;
using storage::FolderReport;
using storage::LogState;

std::string What(const FolderReport& report, const storage::Range& keys) {
  if (report.reader == nullptr) return "unknown keys";
  return fmt::format("{} (keys {})", fmt::join(engine::WhatIsIn(keys, *report.reader), ", "),
                     engine::DescribeKeys(keys));
}

// What is wrong with the logs, and what a repair keeps of them.
void PrintLogs(const FolderReport& report) {
  bool lost = false;
  for (const CheckedLog& log : report.logs.logs) {
    if (log.state == LogState::kTorn && !lost) {
      fmt::print("{}: the last write was interrupted at position {}; the next start cuts off {}\n",
                 log.path, log.good_size, FormatBytes(log.size - log.good_size));
    }
    const bool damaged = log.state == LogState::kDamaged;
    if (damaged) fmt::print("{}\n", storage::DescribeLogDamage(log));
    if (!damaged && !lost) continue;
    // A hole would leave items without their index entries, so nothing after one is kept.
    const uint64_t kept = lost ? 0 : log.good_size;
    fmt::print("  kept: {} ({})\n  lost: at least {}{}\n", FormatBytes(kept),
               FormatCount(lost ? 0 : static_cast<int64_t>(log.records), "write"),
               FormatBytes(std::max(log.size, log.lost_size) - kept),
               lost ? fmt::format(", all of {}, which comes after the damage", log.path) : "");
    lost = true;
  }
}

void PrintReport(const FolderReport& report) {
  if (!report.root.empty()) fmt::print("The list of files cannot be read: {}\n", report.root);
  PrintLogs(report);
  for (const storage::Damage& damage : report.blocks) {
    fmt::print("{} bytes at position {} of the file {} cannot be read\n", damage.bytes,
               damage.offset, damage.file);
    fmt::print("  kept: the rest of the file\n  lost: {}\n", What(report, damage.keys));
  }
  for (const storage::LostFile& file : report.lost) {
    fmt::print("{} {}\n  lost: {} of {}\n", file.path,
               file.exists ? "cannot be read" : "is missing", FormatBytes(file.size),
               What(report, file.keys));
  }
}

Result<FolderReport> InspectWithProgress(const std::string& folder, storage::Pace* pace) {
  Progress progress;
  progress.Say(fmt::format("Reading {}.", folder));
  return storage::InspectFolder(folder, storage::Durability::kSync, pace);
}

int Repair(const std::string& folder, const FolderReport& report) {
  const auto kept = [&] {
    Progress progress;
    progress.Say("Repairing.");
    return storage::RepairFolder(folder, report);
  }();
  if (!kept) return Refuse(kept.error());
  storage::Pace pace;
  const auto after = InspectWithProgress(folder, &pace);
  if (!after) return Refuse(after.error());
  if (after->damaged()) {
    PrintReport(*after);
    return Refuse(Error::Internal("The folder is still damaged. Restore a backup."));
  }
  fmt::print("Repaired. What was changed or removed is in {}.\n", *kept);
  return kFine;
}

int ScrubFolder(const std::string& folder, uint64_t bytes_per_second) {
  storage::Pace pace(bytes_per_second);
  const auto report = InspectWithProgress(folder, &pace);
  if (!report) return Refuse(report.error());
  PrintReport(*report);
  fmt::print("Read {} in {}: {}\n", FormatBytes(report->bytes),
             FormatCount(static_cast<int64_t>(report->files), "file"),
             report->damaged() ? "damaged. See monotable repair." : "good");
  return report->damaged() ? kHasErrors : kFine;
}

struct ScrubAnswer {
  uint64_t files = 0;
  uint64_t bytes = 0;
  std::vector<std::string> damage;
};

Result<ScrubAnswer> AskForScrub(const GivenOptions& given) {
  TRY_ASSIGN(const deploy::Call call, OwnCallOf(given.Value("endpoint"), given.Value("ca-file")));
  TRY_ASSIGN(const std::string text, call("ScrubServer", "{}"));
  TRY_ASSIGN(const deploy::Document document, deploy::Document::Parse(text));
  ScrubAnswer answer;
  const auto files = json::Find(document.object(), "Files");
  const auto bytes = json::Find(document.object(), "Bytes");
  const auto damage = deploy::ArrayIn(document.object(), "Damage");
  if (!files || !bytes || !damage) {
    return Error::Internal("The server's answer says nothing about a scrub.");
  }
  answer.files = static_cast<uint64_t>(json::IntegerOf(*files));
  answer.bytes = static_cast<uint64_t>(json::IntegerOf(*bytes));
  for (const json::Element& line : *damage) answer.damage.emplace_back(json::StringOf(line));
  return answer;
}

int ScrubServer(const GivenOptions& given) {
  const auto answer = [&] {
    Progress progress;
    progress.Say("The server is reading its data.");
    return AskForScrub(given);
  }();
  if (!answer) return Refuse(answer.error());
  for (const std::string& line : answer->damage) fmt::print("{}\n", line);
  fmt::print("Read {} in {}: {}\n", FormatBytes(answer->bytes),
             FormatCount(static_cast<int64_t>(answer->files), "file"),
             answer->damage.empty() ? "good" : "damaged. See monotable repair.");
  return answer->damage.empty() ? kFine : kHasErrors;
}

}  // namespace

int RunRepair(std::span<const std::string_view> arguments) {
  const Command& command = *FindCommand("repair");
  const auto given = ReadArguments(command, arguments);
  if (!given) return Fail(given.error().message());
  if (given->help) {
    fmt::print("{}", HelpOf(*FindGroup("repair")));
    return kFine;
  }
  if (given->words.size() != 1) return Fail("Give the data folder to repair.");
  server::MakeFilesPrivate();
  const std::string& folder = given->words[0];
  storage::Pace pace;
  auto report = InspectWithProgress(folder, &pace);
  if (!report) return Refuse(report.error());
  PrintReport(*report);
  if (!report->damaged()) {
    fmt::print("The folder {} is not damaged.\n", folder);
    return kFine;
  }
  if (given->Has("apply")) return Repair(folder, *report);
  fmt::print(
      "Nothing was changed. A backup loses less, if there is one. To repair the folder:\n"
      "  monotable repair {} --apply\n",
      folder);
  return kHasErrors;
}

int RunScrub(std::span<const std::string_view> arguments) {
  const auto given = ReadArguments(*FindCommand("scrub"), arguments);
  if (!given) return Fail(given.error().message());
  if (given->help) {
    fmt::print("{}", HelpOf(*FindGroup("scrub")));
    return kFine;
  }
  if (given->words.size() > 1) return Fail("Give one data folder, or none for a running server.");
  if (given->words.empty()) return ScrubServer(*given);
  uint64_t megabytes = 0;
  if (given->Has("mb-per-second")) {
    const auto number = text::ParseNumber<uint64_t>(given->Value("mb-per-second"));
    if (!number || *number == 0 || *number > 100'000) {
      return Fail("--mb-per-second is a number from 1 to 100000.");
    }
    megabytes = *number;
  }
  return ScrubFolder(given->words[0], megabytes << 20);
}

}  // namespace monotable::cli
