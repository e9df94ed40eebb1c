#include "cli/model_files.h"

#include <filesystem>
#include <system_error>

namespace monotable::cli {

std::string FindPriceTable(const std::string& model_path) {
  std::error_code error;
  const auto folder = std::filesystem::path(model_path).parent_path() / "prices";
  std::string newest;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(".yaml") && path > newest) newest = path;
  }
  return newest;
}

}  // namespace monotable::cli
