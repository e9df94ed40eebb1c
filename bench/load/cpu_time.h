#pragma once

#include <optional>

namespace monotable::load {

// CPU time in microseconds that this process has used, in user and in system mode.
double OwnCpuTime();

// The same of another process, all its threads together; absent when there is none. The kernel
// tells it in hundredths of a second.
std::optional<double> CpuTimeOf(int pid);

}  // namespace monotable::load
