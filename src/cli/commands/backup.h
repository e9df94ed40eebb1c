#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Runs `monotable backup …`; the verbs are in backup_verbs.h. Returns the exit code: 0; 1 if
// something is damaged, differs or did not work; 2 after one line on standard error if there was
// no way to start.
int RunBackup(std::span<const std::string_view> arguments);

}  // namespace monotable::cli
