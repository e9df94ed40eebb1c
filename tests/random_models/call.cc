#include "random_models/call.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace monotable::random_models {
namespace {

std::string NameOf(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kCreate:
      return "create";
    case Change::Kind::kReplace:
      return "replace";
    case Change::Kind::kUpdate:
      return "patch";
    case Change::Kind::kDelete:
      return "delete";
    case Change::Kind::kCheck:
      break;
  }
  return "check";
}

std::string NameOf(Expectation expectation) {
  switch (expectation) {
    case Expectation::kNone:
      return "";
    case Expectation::kCurrentVersion:
      return " If-Match: (its version)";
    case Expectation::kOtherVersion:
      return " If-Match: (another version)";
    case Expectation::kPresent:
      return " If-Match: *";
    case Expectation::kAbsent:
      break;
  }
  return " If-None-Match: *";
}

std::string ChangeText(const Change& change) {
  std::string text =
      fmt::format("{} {} {}", NameOf(change.kind), change.entity, TextOf(change.key));
  if (!change.body.empty()) text += " " + TextOf(change.body);
  if (!change.removed.empty())
    text += fmt::format(" $remove [{}]", fmt::join(change.removed, ", "));
  for (const auto& [name, number] : change.added) text += fmt::format(" $add {} {}", name, number);
  if (change.cascade) text += " with cascade=collection";
  return text + NameOf(change.expectation);
}

std::string WriteText(const RawWrite& write) {
  switch (write.kind) {
    case RawWrite::Kind::kPut:
      return "PutItem " + TextOf(write.item);
    case RawWrite::Kind::kDelete:
      return "DeleteItem " + TextOf(write.key);
    case RawWrite::Kind::kUpdate:
      break;
  }
  return fmt::format("UpdateItem {} SET {} REMOVE [{}]", TextOf(write.key), TextOf(write.item),
                     fmt::join(write.removed, ", "));
}

}  // namespace

std::string TextOf(const Call& call) {
  std::string text = call.tenant ? fmt::format("(tenant {}) ", *call.tenant) : "";
  if (call.kind == Call::Kind::kOperation) {
    text += "operation " + call.operation + " " + TextOf(call.parameters);
    for (const Attributes& input : call.inputs) text += " " + TextOf(input);
    return text;
  }
  std::vector<std::string> parts;
  for (const Change& change : call.changes) parts.push_back(ChangeText(change));
  for (const RawWrite& write : call.raw) parts.push_back(WriteText(write));
  if (call.batch) text += "batch: ";
  return text + fmt::format("{}", fmt::join(parts, "\n      and "));
}

bool Mentions(const Design& design, const Call& call, const std::string& entity) {
  if (call.kind == Call::Kind::kOperation) {
    const OperationDesign* operation = design.FindOperation(call.operation);
    return operation->entity == entity || operation->child == entity;
  }
  const bool changed = std::any_of(call.changes.begin(), call.changes.end(),
                                   [&](const Change& one) { return one.entity == entity; });
  if (changed) return true;
  const EntityDesign& described = *design.Find(entity);
  return std::any_of(call.raw.begin(), call.raw.end(), [&](const RawWrite& write) {
    return Match(described.hash, write.key.hash) && Match(described.range, write.key.range);
  });
}

}  // namespace monotable::random_models
