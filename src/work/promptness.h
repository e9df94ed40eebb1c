#pragma once

namespace monotable::work {

// Asks the kernel to let this thread run soon after it wakes, ahead of threads that compute. The
// thread gets no larger share of the processors: its turns become shorter and come earlier. For
// threads that many clients wait for and that do little at a time. Needs no rights. Kernels before
// Linux 6.12 ignore it.
void BePrompt();

}  // namespace monotable::work
