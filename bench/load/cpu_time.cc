#include "load/cpu_time.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace monotable::load {

double OwnCpuTime() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

std::optional<double> CpuTimeOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // The name of the process is in parentheses and may have blanks; utime and stime are the 12th and
  // 13th words after it.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  double user = 0;
  double system = 0;
  if (!(words >> user >> system)) return std::nullopt;
  return (user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace monotable::load
