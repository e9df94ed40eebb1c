#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "text/words.h"

namespace monotable::model {
namespace {

// A parameter begins its segment, so that its end is never ambiguous. Query parameters are only
// named: /sales/{SaleId}:revise, /sales?from=&to=.
bool IsRoute(std::string_view text) {
  static const RE2 kRoute(R"((/([\w.~:-]+|\{[^{}/?]+\}[\w.~:-]*))+(\?[\w.~-]+=?(&[\w.~-]+=?)*)?)");
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRoute);
}

// The names in braces and in the query, and the route without the names in braces.
void TakeApart(std::string_view route, std::vector<std::string>* parameters, std::string* shape) {
  const size_t mark = std::min(route.find('?'), route.size());
  for (size_t at = 0; at < mark; ++at) {
    *shape += route[at];
    if (route[at] != '{') continue;
    const size_t end = route.find('}', at);
    parameters->emplace_back(route.substr(at + 1, end - at - 1));
    at = end - 1;
  }
  *shape += route.substr(mark);
  for (size_t at = mark; at < route.size();) {
    const size_t end = std::min(route.find('&', at + 1), route.size());
    const std::string_view each = route.substr(at + 1, end - at - 1);
    parameters->emplace_back(each.substr(0, each.find('=')));
    at = end;
  }
}

}  // namespace

void ReadRoute(MapReader* reader, const RouteTarget& target, LoadContext* context) {
  const Node* node = reader->FindText("route");
  if (node == nullptr) return;
  const std::string subject = reader->SubjectOf("route");
  const size_t space = node->text.find(' ');
  const std::string method = node->text.substr(0, space);
  const std::string route = space == std::string::npos ? "" : node->text.substr(space + 1);
  const std::vector<std::string> methods =
      target.reads ? std::vector<std::string>{"GET"}
                   : std::vector<std::string>{"POST", "PUT", "PATCH", "DELETE"};
  std::vector<std::string> parameters;
  std::string shape = method + " ";
  if (std::find(methods.begin(), methods.end(), method) == methods.end() || !IsRoute(route)) {
    context->Error("bad_route", node->place, subject,
                   Quoted(node->text) + " is not a route that fits here.",
                   target.reads ? "Write for example GET /buyers/{BuyerId}/sales."
                                : "Write POST, PUT, PATCH or DELETE and a path.");
    return;
  }
  TakeApart(route, &parameters, &shape);
  for (const std::string& name : parameters) {
    if (target.is_parameter(name)) continue;
    context->Error("unknown_route_parameter", node->place, subject,
                   Quoted(name) + " in the route is not something that a caller can give.",
                   "Name an attribute or an input.");
  }
  if (!context->routes.insert(shape).second) {
    context->Error("duplicate_route", node->place, subject,
                   Quoted(node->text) + " is already the route of something else.",
                   "Choose another path, or other query parameters.");
  }
  *target.method = method;
  *target.route = route;
}

namespace {

using Step = OperationModel::Step;
using Input = OperationModel::Input;

// The largest number of actions in a DynamoDB transaction.
constexpr int kMostStepActions = 100;

// Reads the counts of SaleLine[1..98] or SaleLine[]. Returns false if the brackets hold something
// else.
bool ParseCounts(std::string_view text, Input* input) {
  input->most = kMostStepActions;
  if (text.empty()) return true;
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const auto parse = [](std::string_view digits, int* out) {
    const auto number = text::ParseNumber<int>(digits);
    if (number) *out = *number;
    return number.has_value();
  };
  return parse(text.substr(0, dots), &input->least) && parse(text.substr(dots + 2), &input->most) &&
         input->least >= 0 && input->least <= input->most;
}

Input ReadInput(const Node::Member& member, const std::string& subject, LoadContext* context) {
  Input input;
  input.name = member.name;
  ExpectName(member.name, member.place, subject, context->findings);
  if (member.value.is_map()) {
    MapReader reader(member.value, subject, context->findings);
    UsedType used = ReadTypeMembers(&reader, context);
    input.required = reader.Boolean("required", false) || used.required;
    input.type = std::move(used.type);
    reader.Finish();
    return input;
  }
  if (!ExpectText(member.value, subject, context->findings)) return input;
  std::string_view text = member.value.text;
  input.required = text.ends_with("!");
  if (input.required) text.remove_suffix(1);
  const size_t bracket = text.find('[');
  const std::string_view name = text.substr(0, bracket);
  if (context->model.FindEntity(name) == nullptr) {
    UsedType used = ReadTypeText(member.value, subject, context);
    input.type = std::move(used.type);
    return input;
  }
  input.entity = name;
  input.many = bracket != std::string_view::npos;
  if (!input.many) {
    input.required = true;  // An item to be written cannot be left out.
  } else if (!text.ends_with("]") ||
             !ParseCounts(text.substr(bracket + 1, text.size() - bracket - 2), &input)) {
    context->Error("bad_input_count", member.value.place, subject,
                   Quoted(member.value.text) + " does not say how many there may be.",
                   "Write for example SaleLine[] or SaleLine[1..98].");
  }
  return input;
}

const Input* FindInput(const OperationModel& operation, std::string_view name) {
  for (const Input& input : operation.inputs) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

// from and each: inputs that hold what is written.
void ReadInputName(MapReader* reader, std::string_view member, std::string* out,
                   const OperationModel& operation, LoadContext* context) {
  const Node* node = reader->FindText(member);
  if (node == nullptr) return;
  *out = node->text;
  const Input* input = FindInput(operation, node->text);
  if (input == nullptr) {
    context->Error("unknown_input", node->place, reader->SubjectOf(member),
                   Quoted(node->text) + " is not an input of the operation.",
                   Suggest(node->text, NamesOf(operation.inputs)));
    return;
  }
  const bool many = input->many || input->type.kind == TypeKind::kList;
  if (many != (member == "each")) {
    context->Error(
        "input_count_mismatch", node->place, reader->SubjectOf(member),
        many ? Quoted(node->text) + " is a list of items."
             : Quoted(node->text) + " is one item, not a list.",
        many ? "Write each: instead." : "Write from: instead, or make the input a list.");
  }
}

void ReadSet(const Node& node, const std::string& subject, const OperationModel& operation,
             const Step& step, std::vector<std::pair<std::string, Rule>>* set,
             LoadContext* context) {
  const EntityModel& entity = *context->model.FindEntity(step.entity);
  if (!ExpectMap(node, subject, context->findings)) return;
  const RuleNames names{&entity, /*others=*/true, &operation, FindInput(operation, step.each)};
  for (const Node::Member& member : node.members) {
    const std::string member_subject = subject + "." + member.name;
    const bool known = ExpectAttribute(member.name, member.place, member_subject, entity, context);
    if (!known) continue;
    auto rule = ReadRule(member.value, member_subject, names,
                         {.type = entity.FindPath(member.name)}, context);
    if (!rule) continue;
    set->emplace_back(member.name, *std::move(rule));
  }
}

void ReadOperationStep(const Node& node, const std::string& subject, OperationModel* operation,
                       LoadContext* context) {
  MapReader reader(node, subject, context->findings);
  Step step;
  step.place = node.place;
  const std::pair<const char*, Step::Action> actions[] = {
      {"put", Step::Action::kPut},       {"update", Step::Action::kUpdate},
      {"upsert", Step::Action::kUpsert}, {"delete", Step::Action::kDelete},
      {"move", Step::Action::kMove},     {"check", Step::Action::kCheck}};
  const Node* said = nullptr;
  for (const auto& [member, action] : actions) {
    const Node* target = reader.FindText(member);
    if (target == nullptr) continue;
    if (said != nullptr) {
      context->Error("several_actions", target->place, subject,
                     "The step says more than one of put, update, upsert, delete, move and check.",
                     "Write a step for each.");
      continue;
    }
    said = target;
    step.action = action;
    step.entity = target->text;
  }
  ReadInputName(&reader, "from", &step.from, *operation, context);
  ReadInputName(&reader, "each", &step.each, *operation, context);
  const Node* key = reader.Find("key");
  const Node* set = reader.Find("set");
  const Node* that = reader.Find("that");
  reader.Finish();
  if (said == nullptr) {
    if (!reader.is_map()) return;
    context->Error("no_action", node.place, subject, "The step does not say what it does.",
                   "Add put:, update:, upsert:, delete:, move: or check: with an entity.");
    return;
  }
  const EntityModel* entity = ExpectEntity(step.entity, said->place, subject, context);
  if (entity == nullptr) return;
  if (set != nullptr) {
    ReadSet(*set, reader.SubjectOf("set"), *operation, step, &step.set, context);
  }
  if (key != nullptr) {
    ReadSet(*key, reader.SubjectOf("key"), *operation, step, &step.key, context);
  }
  if (that != nullptr) {
    step.when = ReadRule(*that, reader.SubjectOf("that"),
                         {entity, /*others=*/true, operation, FindInput(*operation, step.each)},
                         {.condition = true}, context);
  }
  const bool is_check = step.action == Step::Action::kCheck;
  if (is_check != (that != nullptr)) {
    context->Error("that_and_check", that == nullptr ? node.place : that->place, subject,
                   is_check ? "A check does not say what must hold."
                            : "that says what must hold in a check, but this step is not a check.",
                   is_check ? "Add that: and a rule." : "Remove that, or make the step a check.");
  }
  operation->steps.push_back(std::move(step));
}

void ReadSteps(MapReader* reader, OperationModel* operation, LoadContext* context) {
  const Node* list =
      reader->Require("transact") == nullptr ? nullptr : reader->FindList("transact");
  if (list == nullptr) return;
  if (list->items.empty()) {
    context->Error("empty_transaction", list->place, reader->SubjectOf("transact"),
                   "The operation does nothing.", "Add at least one step.");
  }
  for (size_t i = 0; i < list->items.size(); ++i) {
    ReadOperationStep(list->items[i], reader->SubjectOf("transact") + "." + std::to_string(i + 1),
                      operation, context);
  }
}

// A caller gives inputs, and the attributes that identify the items.
bool IsParameter(const OperationModel& operation, const Model& model, std::string_view name) {
  if (FindInput(operation, name) != nullptr) return true;
  return std::any_of(operation.steps.begin(), operation.steps.end(), [&](const Step& step) {
    const EntityModel* entity = model.FindEntity(step.entity);
    return entity != nullptr && entity->Find(name) != nullptr;
  });
}

void LoadOperation(const Node::Member& member, LoadContext* context) {
  OperationModel operation;
  operation.name = member.name;
  operation.place = member.place;
  MapReader reader(member.value, "operations." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (context->model.FindPattern(member.name) != nullptr) {
    context->Error("duplicate_name", member.place, reader.subject(),
                   Quoted(member.name) + " is already the name of a pattern.",
                   "Give the operation another name.");
  }
  operation.description = reader.Text("description");
  operation.requirements = reader.Strings("requirements");
  if (const Node* inputs = reader.FindMap("input")) {
    for (const Node::Member& input : inputs->members) {
      operation.inputs.push_back(
          ReadInput(input, reader.SubjectOf("input") + "." + input.name, context));
    }
  }
  ReadSteps(&reader, &operation, context);
  ReadRoute(&reader,
            {&operation.method, &operation.route, /*reads=*/false,
             [&](std::string_view name) { return IsParameter(operation, context->model, name); }},
            context);
  reader.Finish();
  context->model.operations.push_back(std::move(operation));
}

}  // namespace

void LoadOperations(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "operations", context->findings)) return;
  for (const Node::Member& member : node.members) LoadOperation(member, context);
}

}  // namespace monotable::model
