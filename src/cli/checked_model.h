#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/outcome.h"
#include "error/result.h"
#include "model/check/check_model.h"
#include "model/model.h"

// What the commands about models share: files that were checked.
namespace monotable::cli {

// A model file with what there is to say about it.
struct CheckedFile {
  std::string path;
  model::CheckedText text;
};

Result<CheckedFile> CheckFile(const std::string& path);

void PrintFindings(const CheckedFile& checked, std::FILE* to);

// Loads the one model that a command is about and does something with it. A model with mistakes is
// not used: what is made of it would be wrong too.
template <typename Use>
int WithModel(const std::vector<std::string>& files, Use use) {
  if (files.size() != 1) return Fail("Give one model file.");
  const auto checked = CheckFile(files[0]);
  if (!checked) return Fail(checked.error().message());
  if (!checked->text.model) {
    PrintFindings(*checked, stderr);
    return kHasErrors;
  }
  return use(*checked->text.model);
}

}  // namespace monotable::cli
