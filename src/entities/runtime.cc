#include "entities/runtime.h"

#include <utility>

namespace monotable::entities {

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
  if (!models_.empty()) engine_.SetWriteGuard(&guard_);
  return {};
}

void Runtime::Stop() {
  if (engine_.write_guard() == &guard_) engine_.SetWriteGuard(nullptr);
  guard_.Stop();
  for (const auto& model : models_) model->writer->Stop();
}

}  // namespace monotable::entities
