#include "entities/runtime.h"

#include <chrono>
#include <stop_token>
#include <utility>

#include "telemetry/log.h"

namespace monotable::entities {
namespace {

// How often jobs are looked for that no server is doing any more.
constexpr std::chrono::milliseconds kResumeInterval(1000);

bool ResumeJobs(const std::vector<std::unique_ptr<RunningModel>>& models) {
  bool done = true;
  for (const auto& model : models) {
    const Status resumed = model->writer->ResumeJobs();
    if (resumed) continue;
    done = false;
    telemetry::Log(telemetry::LogLevel::kWarning, "Copy jobs of {} could not be read: {}",
                   model->application->model().name, resumed.error().message());
  }
  return done;
}

}  // namespace

Runtime::Runtime(engine::Engine& engine, work::Executor& executor)
    : engine_(engine), executor_(executor), guard_(engine, executor) {}

RunningModel& Runtime::Add(std::unique_ptr<const Application> application) {
  auto model = std::make_unique<RunningModel>();
  model->writer = std::make_unique<Writer>(engine_, executor_, *application);
  model->application = std::move(application);
  guard_.Add(*model->application, *model->writer);
  models_.push_back(std::move(model));
  return *models_.back();
}

Status Runtime::Start() {
  for (const auto& model : models_) TRY(model->writer->AdoptExisting());
  if (models_.empty()) return {};
  engine_.SetWriteGuard(&guard_);
  resuming_.emplace(kResumeInterval,
                    [this](const std::stop_token&) { return ResumeJobs(models_); });
  resuming_->Start();
  return {};
}

void Runtime::Stop() {
  resuming_.reset();
  if (engine_.write_guard() == &guard_) engine_.SetWriteGuard(nullptr);
  guard_.Stop();
  for (const auto& model : models_) model->writer->Stop();
}

}  // namespace monotable::entities
