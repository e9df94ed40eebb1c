#include <algorithm>

#include <fmt/format.h>

#include "document/describe/describe_patterns.h"
#include "document/openapi/openapi_components.h"
#include "document/openapi/openapi_operations.h"
#include "model/plan/read_plan.h"
#include "text/characters.h"

namespace monotable::document {
namespace {

using PatternKind = model::PatternModel::Kind;

struct Planned {
  const model::Route* route;
  const model::PatternModel* pattern;
  model::ReadPlan plan;
};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string LabelOf(const model::PatternModel& pattern) {
  return pattern.id.empty() ? pattern.name : pattern.id;
}

bool IsNamedRoute(const model::Route& route) {
  return route.path == "/patterns/" + route.pattern->name;
}

// The entity that the pattern returns: the parent, if the pattern asks for parents.
const model::EntityModel* AnsweredEntity(const model::Model& model,
                                         const model::PatternModel& pattern) {
  const model::EntityModel* entity = model.FindEntity(pattern.entity);
  if (!pattern.parents || entity == nullptr) return entity;
  return model.FindEntity(entity->parent);
}

std::string AnswerSchema(const model::Model& model, const model::PatternModel& pattern) {
  const model::EntityModel* entity = AnsweredEntity(model, pattern);
  switch (pattern.kind) {
    case PatternKind::kGet:
      return entity->name;
    case PatternKind::kList:
      return ListSchemaName(entity->name);
    case PatternKind::kCount:
      return "Api_Count";
    case PatternKind::kCollection:
      return CollectionSchemaName(pattern.collection);
  }
  return "";
}

std::string SummaryOf(const model::PatternModel& pattern) {
  switch (pattern.kind) {
    case PatternKind::kGet:
      return fmt::format("Get {}: {}", pattern.entity, pattern.name);
    case PatternKind::kList:
      return fmt::format("List {}: {}", pattern.entity, pattern.name);
    case PatternKind::kCount:
      return fmt::format("Count {}: {}", pattern.entity, pattern.name);
    case PatternKind::kCollection:
      return fmt::format("Collection {}: {}", pattern.collection, pattern.name);
  }
  return pattern.name;
}

// Describes the purpose and the cost of one pattern in sentences.
std::string ProseOf(const Planned& planned) {
  std::string text = planned.pattern->description;
  const auto add = [&](const std::string& sentence) {
    if (!text.empty()) text += " ";
    text += sentence;
  };
  add(fmt::format("Takes {}.", CostClass(*planned.pattern, planned.plan)));
  if (!planned.plan.reason.empty()) {
    add(fmt::format("{}: {}.", model::VerdictName(planned.plan.verdict), planned.plan.reason));
    const size_t begin = text.rfind(model::VerdictName(planned.plan.verdict));
    text[begin] = text::ToUpper(text[begin]);
  }
  if (planned.pattern->page > 0) add(fmt::format("{} a page.", planned.pattern->page));
  return text;
}

std::string DescriptionOf(const std::vector<Planned>& all) {
  if (all.size() == 1) return ProseOf(all.front());
  std::string text = "This route serves several patterns; the parameters decide which one.";
  std::string otherwise;
  for (const Planned& each : all) {
    const std::string what =
        fmt::format(", {} ({}): {}", each.pattern->name, LabelOf(*each.pattern), ProseOf(each));
    if (each.route->query.empty()) {
      otherwise = "\n- Otherwise" + what;
    } else {
      text += fmt::format("\n- With `{}`{}", fmt::join(each.route->query, "` and `"), what);
    }
  }
  return text + otherwise;
}

void WriteRequirements(const model::PatternModel& pattern, json::Writer* out) {
  out->BeginObject();
  if (!pattern.id.empty()) out->Key("id").String(pattern.id);
  out->Key("name").String(pattern.name).Key("requirements").BeginArray();
  for (const std::string& requirement : pattern.requirements) out->String(requirement);
  out->EndArray().EndObject();
}

void WriteExamples(const Planned& planned, const model::Model& model, json::Writer* out) {
  if (planned.pattern->examples.empty()) return;
  out->Key("x-stm-examples").BeginArray();
  for (const model::PatternModel::Example& example : planned.pattern->examples) {
    out->BeginObject().Key("given").BeginObject();
    for (const auto& [name, value] : example.given) {
      out->Key(name);
      WriteTyped(ParameterType(model, *planned.route, name), value, out);
    }
    out->EndObject().Key("returns").BeginArray();
    for (const std::string& id : example.returns) out->String(id);
    out->EndArray();
    if (example.most_units) out->Key("units").Raw(example.most_units->ToString());
    out->EndObject();
  }
  out->EndArray();
}

void WriteExtensions(const Planned& planned, const model::Model& model, json::Writer* out) {
  const model::ReadStep& step = planned.plan.steps.front();
  const model::TableModel* table = model.FindTable(step.table);
  out->Key("x-stm-pattern");
  WriteRequirements(*planned.pattern, out);
  out->Key("x-stm-index").String(step.index.empty() ? table->name : step.index);
  out->Key("x-stm-cost").BeginObject();
  out->Key("verdict").String(model::VerdictName(planned.plan.verdict));
  out->Key("requests").String(CostClass(*planned.pattern, planned.plan)).EndObject();
  out->Key("x-stm-request").Raw(planned.plan.request);
  WriteExamples(planned, model, out);
}

// Writes the patterns that need query parameters, beside the pattern that needs none.
void WriteAlternatives(const std::vector<Planned>& all, const Planned& main,
                       const model::Model& model, json::Writer* out) {
  if (all.size() == 1) return;
  out->Key("x-stm-alternatives").BeginArray();
  for (const Planned& each : all) {
    if (&each == &main) continue;
    out->BeginObject().Key("when").BeginArray();
    for (const std::string& name : each.route->query) out->String(name);
    out->EndArray();
    WriteExtensions(each, model, out);
    out->EndObject();
  }
  out->EndArray();
}

class ParameterWriter {
 public:
  ParameterWriter(const OperationRoutes& routes, const std::vector<Planned>& all,
                  DocumentContext* context, json::Writer* out)
      : routes_(routes), all_(all), context_(*context), out_(*out) {}

  void Write() {
    out_.Key("parameters").BeginArray();
    for (const auto& [shown, own] : routes_.path_parameters) {
      WriteOne({shown, "path", true, "", ExamplesOf(own)}, own);
    }
    for (const Planned& each : all_) {
      for (const std::string& name : each.plan.parameters) WriteQuery(name);
      for (const std::string& name : each.plan.optional_parameters) WriteQuery(name);
      const auto& range = each.pattern->range;
      if (range && range->dates == model::PatternModel::Dates::kWholeDays) WriteQuery("tz");
    }
    WriteShared();
    out_.EndArray();
  }

 private:
  bool InPath(std::string_view name) const {
    return std::any_of(routes_.path_parameters.begin(), routes_.path_parameters.end(),
                       [&](const auto& parameter) { return parameter.second == name; });
  }

  std::vector<std::pair<std::string, std::string>> ExamplesOf(std::string_view name) const {
    std::vector<std::pair<std::string, std::string>> examples;
    for (const Planned& each : all_) {
      for (size_t i = 0; i < each.pattern->examples.size(); ++i) {
        for (const auto& [parameter, value] : each.pattern->examples[i].given) {
          const bool known = std::any_of(
              examples.begin(), examples.end(),
              [&, text = &value](const auto& example) { return example.second == *text; });
          if (parameter != name || known) continue;
          const std::string label = Components::NameOf(LabelOf(*each.pattern));
          examples.emplace_back(fmt::format("{}-{}", label, i + 1), value);
        }
      }
    }
    return examples;
  }

  // Describes the bounds of a range, the time zone and the tenant.
  std::string DescriptionOfQuery(const std::string& name) const {
    if (context_.tenanted() && name == context_.model.tenancy->attribute) {
      return "The tenant, if neither a token nor the header Tenant names it.";
    }
    if (name == "tz") return "Where days begin and end: Z or an offset such as -03:00.";
    if (name != "from" && name != "to") return "";
    for (const Planned& each : all_) {
      const auto& range = each.pattern->range;
      if (!range) continue;
      std::string text = fmt::format("{} `{}`, inclusive.",
                                     name == "from" ? "The first" : "The last", range->field);
      if (range->dates == model::PatternModel::Dates::kWholeDays) {
        text += " A date (2026-01-30) means the whole day.";
      }
      return text;
    }
    return "";
  }

  void WriteQuery(const std::string& name) {
    if (InPath(name) || Contains(written_, name)) return;
    written_.push_back(name);
    const bool from_caller = context_.tenanted() && name == context_.model.tenancy->attribute;
    const bool required =
        !from_caller && std::all_of(all_.begin(), all_.end(), [&](const Planned& each) {
          return Contains(each.plan.parameters, name);
        });
    WriteOne({name, "query", required, DescriptionOfQuery(name), ExamplesOf(name)}, name);
  }

  void WriteOne(const ParameterText& parameter, const std::string& own) {
    const model::TypeModel* type = nullptr;
    for (const Planned& each : all_) {
      if (type == nullptr) type = ParameterType(context_.model, *each.route, own);
    }
    model::TypeModel day_or_moment;
    const bool is_end = parameter.in == "query" && (own == "from" || own == "to");
    if (is_end && type != nullptr && type->kind == model::TypeKind::kInstant) type = &day_or_moment;
    WriteParameter(parameter, type, &context_.schemas.types(), &out_);
  }

  bool Any(PatternKind kind) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Planned& each) { return each.pattern->kind == kind; });
  }

  void WriteShared() {
    const bool one = Any(PatternKind::kGet) && all_.size() == 1;
    const bool list = Any(PatternKind::kList);
    if (list || Any(PatternKind::kCollection)) {
      for (const std::string_view key : {"Limit", "After"}) WriteParameterReference(key, &out_);
    }
    if (list) {
      for (const std::string_view key : {"Order", "Count", "Filters"}) {
        WriteParameterReference(key, &out_);
      }
    }
    if (!Any(PatternKind::kCount)) WriteParameterReference("Fields", &out_);
    const bool table_only = std::all_of(all_.begin(), all_.end(), [](const Planned& each) {
      return each.plan.steps.front().index.empty();
    });
    if (table_only) WriteParameterReference("Consistent", &out_);
    if (one) {
      const model::EntityModel* entity = AnsweredEntity(context_.model, *all_.front().pattern);
      const model::CollectionModel* collection = CollectionOf(context_.model, *entity);
      if (collection != nullptr) WriteExpansion(*collection, &context_.schemas.types(), &out_);
      WriteParameterReference("IfChanged", &out_);
    }
    WriteParameterReference("Prefer", &out_);
    if (context_.tenanted()) WriteParameterReference("Tenant", &out_);
  }

  const OperationRoutes& routes_;
  const std::vector<Planned>& all_;
  DocumentContext& context_;
  json::Writer& out_;
  std::vector<std::string> written_;
};

// The id is salesOfBuyer for a declared route and patternSalesOfBuyer for /patterns/salesOfBuyer.
std::string IdOf(const model::Route& route) {
  std::string name = route.pattern->name;
  if (!IsNamedRoute(route)) return name;
  name[0] = text::ToUpper(name[0]);
  return "pattern" + name;
}

}  // namespace

void WritePatternOperation(const OperationRoutes& routes, DocumentContext* context,
                           json::Writer* out) {
  std::vector<Planned> all;
  for (const model::Route* route : routes.routes) {
    all.push_back({route, route->pattern, model::PlanPattern(context->model, *route->pattern)});
  }
  const auto plain = std::find_if(all.begin(), all.end(),
                                  [](const Planned& each) { return each.route->query.empty(); });
  const Planned& main = plain == all.end() ? all.front() : *plain;

  OperationHead head;
  head.id = IdOf(*main.route);
  head.declared = !IsNamedRoute(*main.route);
  head.summary = SummaryOf(*main.pattern);
  head.description = DescriptionOf(all);
  const model::EntityModel* entity = AnsweredEntity(context->model, *main.pattern);
  head.tag = IsNamedRoute(*main.route) || entity == nullptr ? "Patterns" : entity->name;

  out->Key("get").BeginObject();
  WriteHead(head, context, out);
  ParameterWriter(routes, all, context, out).Write();
  AnswerText answer;
  answer.description = "What the pattern found.";
  for (const Planned& each : all) {
    std::string schema = AnswerSchema(context->model, *each.pattern);
    if (!Contains(answer.schemas, schema)) answer.schemas.push_back(std::move(schema));
  }
  answer.tagged = main.pattern->kind == PatternKind::kGet;
  if (answer.tagged && entity != nullptr) {
    const model::CollectionModel* collection = CollectionOf(context->model, *entity);
    if (collection != nullptr) answer.schemas.push_back(CollectionSchemaName(collection->name));
  }
  out->Key("responses").BeginObject();
  WriteAnswer(answer, out);
  if (answer.tagged) WriteAnswer({304, "The item still has the ETag in If-None-Match.", {}}, out);
  WriteProblemResponses({400, 401, 403, 404, 429, 503}, out);
  out->EndObject();
  WriteExtensions(main, context->model, out);
  WriteAlternatives(all, main, context->model, out);
  out->EndObject();
}

}  // namespace monotable::document
