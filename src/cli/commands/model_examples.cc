#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/model_commands.h"
#include "cli/terminal.h"
#include "encoding/item.h"
#include "engine/capacity.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/read/pattern_reader.h"
#include "entities/record.h"
#include "error/result.h"
#include "model/instant.h"
#include "model/route/route.h"
#include "server/models.h"
#include "storage/memory/memory_store.h"
#include "telemetry/log.h"

namespace monotable::cli {
namespace {

// The outcome of one example of a pattern.
struct ExampleOutcome {
  std::string pattern;                // AP6 salesOfBuyer
  std::string given;                  // BuyerId = BUYER001, from = 2026-01-01
  std::vector<std::string> returned;  // ids, in order; of a count: the number
  double units = 0;
  std::string mistake;  // what is not as the example says; empty if all is
};

using model::PatternModel;

class StoppedClock final : public engine::Clock {
 public:
  explicit StoppedClock(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t NowMs() const override { return now_ms_; }

 private:
  const int64_t now_ms_;
};

std::string Shown(const item::Value& value) {
  if (value.type() == item::Type::kNumber) return value.number().ToString();
  return value.type() == item::Type::kString ? value.string() : std::string("?");
}

// The name that an example gives an item: its id, or else the last attribute of its route.
Result<std::string> IdOf(const entities::Found& found) {
  const model::EntityModel& model = *found.entity->model;
  std::string attribute;
  if (model.id) {
    attribute = model.id->attribute;
  } else {
    const auto key = model::RouteKey(found.entity->application->model(), model);
    if (!key.empty()) attribute = key.back();
  }
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(found.item.bytes));
  TRY_ASSIGN(const entities::Record record, entities::RecordOf(*found.entity, item));
  const item::Value* value = entities::FindPath(record.attributes, attribute);
  return value == nullptr ? std::string("?") : Shown(*value);
}

// The parameters of an example, as a client of the REST API gives them.
Result<item::Map> ParametersOf(const entities::Application& application,
                               const PatternModel& pattern, const PatternModel::Example& example) {
  const model::EntityModel* entity = application.model().FindEntity(pattern.entity);
  item::Map parameters;
  for (const auto& [name, text] : example.given) {
    const bool of_range = pattern.range && (name == "from" || name == "to" || name == "tz");
    const model::TypeModel* type = of_range || entity == nullptr ? nullptr : entity->FindPath(name);
    if (type == nullptr) {
      parameters.Set(name, item::Value(text));
      continue;
    }
    TRY_ASSIGN(item::Value value, entities::DecodeParameter(application, *type, name, text));
    parameters.Set(name, std::move(value));
  }
  return parameters;
}

struct Read {
  std::vector<std::string> ids;
  double units = 0;
};

Result<Read> GetOne(const entities::PatternReader& reader, const item::Map& parameters) {
  Read read;
  const auto found = reader.Get(parameters, entities::Caller(), false);
  if (!found) {
    const entities::ProblemDetail* problem = entities::ProblemOf(found.error());
    if (problem == nullptr || problem->code != entities::ProblemCode::kNotFound) {
      return found.error();
    }
    read.units = engine::ReadUnits(0, false);
    return read;
  }
  TRY_ASSIGN(std::string id, IdOf(*found));
  read.ids.push_back(std::move(id));
  read.units = engine::ReadUnits(encoding::ItemView(found->item).ChargedSize(), false);
  return read;
}

Result<Read> ReadExample(const entities::PatternReader& reader, item::Map parameters) {
  const PatternModel::Kind kind = reader.pattern().kind;
  if (kind == PatternModel::Kind::kGet) return GetOne(reader, parameters);
  entities::ListRequest request;
  request.parameters = std::move(parameters);
  request.count_only = kind == PatternModel::Kind::kCount;
  TRY_ASSIGN(const entities::ListResult list, reader.List(request, entities::Caller()));
  Read read;
  read.units = list.read_units;
  if (kind == PatternModel::Kind::kCount) {
    read.ids.push_back(std::to_string(list.count));
    return read;
  }
  for (const entities::Found& found : list.items) {
    TRY_ASSIGN(std::string id, IdOf(found));
    read.ids.push_back(std::move(id));
  }
  // An example of a collection names its root, which comes first.
  if (kind == PatternModel::Kind::kCollection && read.ids.size() > 1) read.ids.resize(1);
  return read;
}

std::string GivenOf(const PatternModel::Example& example) {
  std::vector<std::string> parts;
  for (const auto& [name, text] : example.given)
    parts.push_back(fmt::format("{} = {}", name, text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ListOf(const std::vector<std::string>& ids) {
  return ids.empty() ? "nothing" : fmt::format("{}", fmt::join(ids, ", "));
}

ExampleOutcome Run(const entities::Application& application, const entities::PatternReader& reader,
                   const PatternModel::Example& example) {
  const PatternModel& pattern = reader.pattern();
  ExampleOutcome outcome;
  outcome.pattern =
      pattern.id.empty() ? pattern.name : fmt::format("{} {}", pattern.id, pattern.name);
  outcome.given = GivenOf(example);
  auto parameters = ParametersOf(application, pattern, example);
  auto read =
      parameters ? ReadExample(reader, *std::move(parameters)) : Result<Read>(parameters.error());
  if (!read) {
    outcome.mistake = read.error().message();
    return outcome;
  }
  outcome.returned = std::move(read->ids);
  outcome.units = read->units;
  const auto units = item::Number::Parse(fmt::format("{}", read->units));
  if (outcome.returned != example.returns) {
    outcome.mistake = fmt::format("returned {}, should return {}", ListOf(outcome.returned),
                                  ListOf(example.returns));
  } else if (example.most_units && units && *example.most_units < *units) {
    outcome.mistake = fmt::format("took {} RU, should take at most {}", read->units,
                                  example.most_units->ToString());
  }
  return outcome;
}

// Reads every example of a model's patterns from a store in memory that holds the model's samples,
// at a given moment. Returns an error if the model cannot be deployed or has no samples.
Result<std::vector<ExampleOutcome>> RunExamples(const server::LoadedModel& model, int64_t now_ms) {
  const StoppedClock clock(now_ms);
  const std::unique_ptr<storage::Store> store = storage::NewMemoryStore();
  TRY_ASSIGN(const auto engine, engine::Engine::Open(*store, clock, {}));
  server::Config config;
  config.create_adopted = true;
  config.samples = true;
  TRY(server::DeployModels({model}, config, *engine));
  TRY(server::PutSamples({model}, config, *engine));
  TRY_ASSIGN(const auto application, entities::Application::Create(model.model, {}));
  std::vector<ExampleOutcome> outcomes;
  for (const PatternModel& pattern : application->model().patterns) {
    if (pattern.examples.empty()) continue;
    const entities::PatternReader reader(*engine, *application, pattern);
    for (const PatternModel::Example& example : pattern.examples) {
      outcomes.push_back(Run(*application, reader, example));
    }
  }
  return outcomes;
}

std::optional<int64_t> MomentOf(const std::string& text) {
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
  auto moment = model::ParseIso(text);
  if (!moment) moment = model::ParseDate(text);
  return moment ? std::optional(moment->millis) : std::nullopt;
}

void Print(const ExampleOutcome& outcome) {
  const std::string what = outcome.given.empty()
                               ? outcome.pattern
                               : fmt::format("{} ({})", outcome.pattern, outcome.given);
  if (!outcome.mistake.empty()) {
    fmt::print("FAILED  {}: {}\n", what, outcome.mistake);
    return;
  }
  fmt::print(
      "ok      {}: {}; {} RU\n", what,
      outcome.returned.empty() ? "nothing" : fmt::format("{}", fmt::join(outcome.returned, ", ")),
      outcome.units);
}

// Whether all examples of a file hold.
Result<bool> TestFile(const std::string& path, int64_t now_ms) {
  TRY_ASSIGN(CheckedFile checked, CheckFile(path));
  if (checked.text.has_errors() || !checked.text.model) {
    PrintFindings(checked, stderr);
    return false;
  }
  TRY_ASSIGN(const auto outcomes, RunExamples({path, "", *std::move(checked.text.model)}, now_ms));
  for (const ExampleOutcome& outcome : outcomes) Print(outcome);
  const auto failed = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const auto& outcome) { return !outcome.mistake.empty(); });
  fmt::print("{}: {} {}, {} failed\n", path, outcomes.size(),
             outcomes.size() == 1 ? "example" : "examples", failed);
  return failed == 0;
}

}  // namespace

int RunTest(const ModelArguments& arguments) {
  if (arguments.files.empty()) return Fail("Give the model files to test.");
  const auto now_ms = MomentOf(arguments.now);
  if (!now_ms) {
    return Fail(fmt::format(
        "Option --now: '{}' is not accepted. Give a moment such as 2026-01-30T14:30:00Z, or a day.",
        arguments.now));
  }
  // The deployment to memory is not worth a line in the log.
  telemetry::SetLogLevel(telemetry::LogLevel::kWarning);
  bool fine = true;
  for (const std::string& path : arguments.files) {
    const auto tested = TestFile(path, *now_ms);
    if (!tested) return Fail(fmt::format("{}: {}", path, tested.error().message()));
    fine = fine && *tested;
  }
  return fine ? kFine : kHasErrors;
}

}  // namespace monotable::cli
