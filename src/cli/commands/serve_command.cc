#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "server/server.h"
#include "server/version.h"
#include "telemetry/log.h"

namespace monotable::cli {
namespace {

// From the signal to the end of the process. Most of it is for the requests in flight, the rest for
// closing the store.
constexpr unsigned kStopLimitSeconds = 10;
constexpr std::chrono::seconds kDrainLimit{8};

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Sends this process the signal to stop when nobody can write to its standard input any more. The
// thread stays in its read if the process ends otherwise.
void StopWithInput() {
  std::thread([] {
    char bytes[256];
    for (;;) {
      const ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
      if (count == 0 || (count < 0 && errno != EINTR)) break;
    }
    kill(getpid(), SIGTERM);
  }).detach();
}

// Ends the process if it does not stop in time, or if the store, after its disk has failed, cannot
// even be closed. Every write that was acknowledged is in the log of the store, so that the next
// start has it, and whatever still runs here is not needed for that.
void EndNow(int) {
  constexpr std::string_view kText =
      "monotable: the server could not stop and was ended; no acknowledged write is lost\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(1);
}

int Serve(const server::LoadedConfig& loaded) {
  telemetry::SetLogLevel(loaded.config.log_level);
  for (const std::string& warning : loaded.warnings) {
    telemetry::Log(telemetry::LogLevel::kWarning, "{}", warning);
  }
  // The threads of the server inherit the mask, so that only sigwait receives the signals.
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // The reader of the ready line may have closed the pipe.
  std::signal(SIGPIPE, SIG_IGN);

  if (loaded.config.stop_with_input) StopWithInput();

  auto started = server::Server::Start(loaded.config);
  if (!started) return Refuse(started.error());
  const std::unique_ptr<server::Server> server = std::move(started).value();
  fmt::print("monotable {} is ready on {} ({})\n", server::kVersion, server->url(),
             server->data_description());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  // From here on a second signal has its default effect and ends the process.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::signal(SIGALRM, EndNow);
  std::signal(SIGABRT, EndNow);
  alarm(kStopLimitSeconds);
  telemetry::Log(telemetry::LogLevel::kInfo, "{}: finishing requests in flight",
                 signal == SIGINT ? "SIGINT" : "SIGTERM");
  server->Drain(kDrainLimit);
  return 0;
}

}  // namespace

int RunServe(std::span<const std::string_view> arguments) {
  auto parsed = ParseServeArguments(arguments);
  if (!parsed) return Refuse(parsed.error());
  if (parsed->help) {
    fmt::print("{}", ServeHelp());
    return 0;
  }
  parsed->sources.environment = server::MonotableEnvironment();
  const auto loaded = server::LoadConfig(parsed->sources);
  if (!loaded) return Refuse(loaded.error());
  return Serve(*loaded);
}

}  // namespace monotable::cli
