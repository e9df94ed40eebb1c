#include "cli/checked_model.h"

#include <utility>

#include <fmt/format.h>

#include "cli/model_files.h"

namespace monotable::cli {

Result<CheckedFile> CheckFile(const std::string& path) {
  TRY_ASSIGN(const std::string text, ReadTextFile(path));
  return CheckedFile{path, model::CheckText(text)};
}

void PrintFindings(const CheckedFile& checked, std::FILE* to) {
  for (const model::Finding& finding : checked.text.findings) {
    std::string text = model::FormatFinding(checked.path, finding);
    if (text.empty() || text.back() != '\n') text += '\n';
    fmt::print(to, "{}", text);
  }
}

}  // namespace monotable::cli
