#include <chrono>

#include <fmt/format.h>

#include "cli/backup_arguments.h"
#include "cli/backup_request.h"
#include "cli/commands/backup_verbs.h"
#include "cli/outcome.h"
#include "cli/progress.h"

namespace monotable::cli {

int RunBackupCreate(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup create takes options only.");
  const auto start = std::chrono::steady_clock::now();
  const auto backup = [&] {
    Progress progress;
    progress.Say("the server makes a backup");
    return RequestBackup(given.Value("endpoint"), /*with_digests=*/false);
  }();
  if (!backup) return Refuse(backup.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("{}\nIt is in {} and took {:.1f} seconds.\n", SummaryOf(*backup), backup->folder,
             took.count());
  return kFine;
}

}  // namespace monotable::cli
