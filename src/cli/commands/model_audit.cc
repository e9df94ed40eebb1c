#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/audit_report.h"
#include "cli/commands/model_commands.h"
#include "cli/dynamodb_client.h"
#include "json/json_writer.h"
#include "json/tree.h"
#include "text/words.h"

// `monotable model verify` and `monotable model repair`: they ask a server for one page after the
// other, and keep a report from which they can go on.
namespace monotable::cli {
namespace {

// A repair may uncover another one: a corrected name is the source of copies.
constexpr int kMaxPasses = 20;
constexpr std::chrono::seconds kSaveEvery{1};

// A model is named, or found in its file.
Result<std::string> ModelName(const std::string& word) {
  const bool is_file = word.ends_with(".yaml") || word.ends_with(".yml") ||
                       word.ends_with(".json") || word.find('/') != std::string::npos;
  if (!is_file) return word;
  TRY_ASSIGN(const CheckedFile checked, CheckFile(word));
  if (!checked.text.model) {
    return Error::Validation(fmt::format("{} is not a model. See monotable model check.", word));
  }
  return checked.text.model->name;
}

void PrintFinding(const AuditFinding& finding) {
  fmt::print("{}: {} [{}]\n", finding.Where(), finding.message, finding.kind);
  const bool person = finding.state == "undecided";
  fmt::print("  {}: {}\n",
             person                        ? "to do"
             : finding.state == "repaired" ? "repaired"
                                           : "repair",
             finding.remedy);
}

class ModelAudit {
 public:
  ModelAudit(deploy::Call call, AuditReport report, std::string report_path, int64_t page)
      : call_(std::move(call)),
        report_(std::move(report)),
        report_path_(std::move(report_path)),
        page_(page) {}

  int Run() {
    // A report that cannot be written is noticed before the work, not after it.
    if (const Status saved = Save(); !saved) return Fail(saved.error().message());
    const Status done = RunPasses();
    progress_.Clear();
    std::fflush(stdout);
    const Status saved = Save();
    if (!done) {
      Fail(done.error().message());
      if (!report_path_.empty() && saved && !report_.position.empty()) {
        fmt::print(stderr, "To go on: monotable model {} {} --resume {}\n", report_.command,
                   report_.model, report_path_);
      }
      return kUnusable;
    }
    if (!saved) return Fail(saved.error().message());
    PrintSummary();
    return report_.found() == 0 ? kFine : kHasErrors;
  }

 private:
  Status RunPasses() {
    while (!report_.complete) {
      TRY(RunPass());
      const bool again = report_.repaired_in_pass > 0 && report_.pass < kMaxPasses;
      if (again) {
        report_.BeginPass();
      } else {
        report_.complete = true;
      }
    }
    if (report_.apply) PrintFindings();
    return {};
  }

  Status RunPass() {
    do {
      progress_.Say(
          fmt::format("{}{} of about {} items, {} found{}.",
                      report_.pass > 1 ? fmt::format("Pass {}: ", report_.pass) : "", report_.items,
                      std::max(total_, report_.items), report_.found(),
                      report_.apply ? fmt::format(", {} repaired", report_.repaired_count) : ""));
      TRY(AskForPage());
      if (const auto begin = std::chrono::steady_clock::now(); begin >= next_save_) {
        TRY(Save());
        // A long report takes its time; most of the time is for the audit.
        const auto end = std::chrono::steady_clock::now();
        next_save_ =
            end + std::max<std::chrono::steady_clock::duration>(kSaveEvery, 10 * (end - begin));
      }
    } while (!report_.position.empty());
    return {};
  }

  Status AskForPage() {
    std::string body;
    json::Writer writer(&body);
    writer.BeginObject().Key("Model").String(report_.model);
    writer.Key("Repair").Bool(report_.apply).Key("Limit").Integer(page_);
    if (!report_.position.empty()) writer.Key("Position").String(report_.position);
    writer.EndObject();
    const auto text = call_("VerifyModel", body);
    if (!text && text.error().code() == ErrorCode::kUnknownOperation) {
      return Error::Validation("The server is too old to verify models.");
    }
    TRY(text);
    TRY_ASSIGN(const json::Tree answer, json::Tree::Parse(*text));
    const json::Node* findings = answer.root().Find("Findings");
    if (findings == nullptr) return Error::Internal("The server's answer lists no findings.");
    for (const json::Node& node : findings->items) {
      AuditFinding finding = AuditFinding::Read(node);
      const bool repaired = finding.state == "repaired";
      const bool print_now = repaired || (!report_.apply && finding.state != "note");
      if (print_now) {
        progress_.Clear();
        PrintFinding(finding);
      }
      report_.Add(std::move(finding));
    }
    report_.items += NumberIn(answer.root(), "Items");
    total_ = NumberIn(answer.root(), "TotalItems");
    report_.position = TextIn(answer.root(), "NextPosition");
    return {};
  }

  // What is left after the last pass of a repair.
  void PrintFindings() {
    progress_.Clear();
    for (const AuditFinding& finding : report_.findings) {
      if (finding.state != "note") PrintFinding(finding);
    }
  }

  void PrintSummary() const {
    for (const AuditFinding& finding : report_.findings) {
      if (finding.state == "note") fmt::print("note: {}\n", finding.message);
    }
    std::string what = fmt::format("{}: {}: ", report_.model, FormatCount(report_.items, "item"));
    if (report_.repaired_count > 0) what += fmt::format("{} repaired, ", report_.repaired_count);
    if (report_.found() == 0) {
      what += report_.repaired_count > 0 ? "nothing is left" : "nothing is wrong";
    } else if (report_.apply) {
      what += fmt::format("{} left to decide", report_.found());
    } else {
      what += fmt::format("{}, {} of them repairable", FormatCount(report_.found(), "finding"),
                          report_.repairable_count);
    }
    fmt::print("{}\n", what);
    if (report_.command == "repair" && !report_.apply && report_.repairable_count > 0) {
      fmt::print("Nothing was changed. To repair:\n  monotable model repair {} --apply\n",
                 report_.model);
    }
  }

  // Replaces the file at once, so that a kill leaves the old report or the new one.
  Status Save() const {
    if (report_path_.empty()) return {};
    const std::string part = report_path_ + ".part";
    TRY(WriteTextFile(part, report_.ToJson()));
    std::error_code error;
    std::filesystem::rename(part, report_path_, error);
    if (error) {
      return Error::Validation(fmt::format("{}: {}", report_path_, error.message()));
    }
    return {};
  }

  const deploy::Call call_;
  AuditReport report_;
  const std::string report_path_;
  const int64_t page_;
  int64_t total_ = 0;
  std::chrono::steady_clock::time_point next_save_ = std::chrono::steady_clock::now();
  Progress progress_;
};

Result<AuditReport> ReportOf(std::string_view command, const ModelArguments& arguments,
                             const std::string& model) {
  AuditReport report;
  report.command = command;
  report.model = model;
  report.apply = arguments.apply;
  if (arguments.resume.empty()) return report;
  TRY_ASSIGN(const std::string text, ReadTextFile(arguments.resume));
  auto earlier = AuditReport::Parse(text);
  if (!earlier) {
    return Error::Validation(fmt::format("{}: {}", arguments.resume, earlier.error().message()));
  }
  if (earlier->command != command || earlier->model != model || earlier->apply != arguments.apply) {
    return Error::Validation(fmt::format(
        "{} is a report of: monotable model {} {}{}. Resume that command.", arguments.resume,
        earlier->command, earlier->model, earlier->apply ? " --apply" : ""));
  }
  return std::move(*earlier);
}

int RunAudit(std::string_view command, const ModelArguments& arguments) {
  if (arguments.files.size() != 1) return Fail("Give the name of one model, or its file.");
  constexpr int64_t kMaxPage = 10'000;
  int64_t page = 1000;
  if (!arguments.page.empty()) {
    const auto number = text::ParseNumber<int64_t>(arguments.page);
    if (!number || *number < 1 || *number > kMaxPage) {
      return Fail("--page is a number from 1 to 10000.");
    }
    page = *number;
  }
  const auto model = ModelName(arguments.files[0]);
  if (!model) return Fail(model.error().message());
  auto report = ReportOf(command, arguments, *model);
  if (!report) return Fail(report.error().message());
  auto call = OwnCallOf(arguments.endpoint, arguments.ca_file);
  if (!call) return Fail(call.error().message());
  const std::string& path = arguments.report.empty() ? arguments.resume : arguments.report;
  return ModelAudit(std::move(*call), std::move(*report), path, page).Run();
}

}  // namespace

int RunVerify(const ModelArguments& arguments) {
  return RunAudit("verify", arguments);
}

int RunModelRepair(const ModelArguments& arguments) {
  return RunAudit("repair", arguments);
}

}  // namespace monotable::cli
